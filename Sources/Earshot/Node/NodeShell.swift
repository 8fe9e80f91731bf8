import CoreMetrics
import EarshotCrypto
import EarshotDiscovery
import EarshotProtocol
import EarshotStore
import Logging
import NIOCore
import Synchronization

/// Runs a node's machine: it tells the machine what happens, runs its actions, and decides nothing.
///
/// It is an actor whose executor is one event loop. Connections live on the same loop and call it directly; the disk
/// works on threads of its own and comes back to the loop. So nothing here needs a lock, except what other threads leave for
/// the loop: what programs ask, and what has become of a commit.
actor NodeShell {
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    private(set) var machine: NodeMachine
    private var actions = ActionQueue<NodeAction>()
    private let disk: any Disk
    nonisolated let fileDisk: FileDisk
    nonisolated let fileKeeper: FileKeeper
    private let transport: any Transport
    private let keeper: CredentialKeeper
    /// Signalled whenever the pairing is at another point.
    nonisolated let pairingSignal = CommitSignal()
    nonisolated let clock: any NodeClock
    let events: EventBus
    let logger: Logger
    var telemetry: Telemetry
    /// The past, as far as the node's diagnosis needs it.
    private(set) var observations: NodeObservations
    /// Kept until the last write to the home directory is done: by the node until it has stopped, and meanwhile by
    /// anything else that writes there.
    private(set) var lock: HomeLock?

    var connections: [ConnectionID: any TransportConnection] = [:]
    private nonisolated let asking = Asking<Request>()
    private var requests = PendingRequests()
    /// What has become of a commit, until the machine is told.
    private nonisolated let finished = Mutex<FinishedCommit?>(nil)
    var subscriptions: Subscriptions
    private var timer: (any NodeTimer)?
    private var timerDeadline = Int64.max
    private var settling: [CheckedContinuation<Void, Never>] = []
    private var listener: (any TransportListener)?
    /// From the moment when the node looks for others.
    private var discovery: Discovery?

    /// Where the node is in its life. Anybody may read it; only the shell changes it.
    nonisolated let life = Mutex(NodeState.open)
    private var stopping: [CheckedContinuation<Void, Never>] = []

    init(
        machine: NodeMachine, observations: NodeObservations, lock: HomeLock, events: EventBus, loop: any EventLoop,
        disk: any Disk, fileDisk: FileDisk, fileKeeper: FileKeeper, transport: any Transport, keeper: CredentialKeeper,
        clock: any NodeClock, logger: Logger, metrics: any MetricsFactory, subscribedUsers: Int
    ) {
        subscriptions = Subscriptions(limit: subscribedUsers)
        self.keeper = keeper
        self.observations = observations
        self.machine = machine
        self.lock = lock
        self.events = events
        self.loop = loop
        self.disk = disk
        self.fileDisk = fileDisk
        self.fileKeeper = fileKeeper
        self.transport = transport
        self.clock = clock
        self.logger = logger
        telemetry = Telemetry(logger: logger, metrics: metrics)
    }

    /// What has become of a commit.
    private struct FinishedCommit {
        let begin: ContinuousClock.Instant
        let result: Result<Void, StoreError>
        let entries: Int
        let isJournalled: Bool
        let hasContents: Bool

        init(_ commit: Commit, begin: ContinuousClock.Instant, result: Result<Void, StoreError>) {
            (self.begin, self.result) = (begin, result)
            entries = commit.entries.reduce(0) { $0 + $1.entries.count }
            isJournalled = !commit.journal.isEmpty || commit.beginsGeneration
            hasContents = entries > 0 || !commit.erasures.isEmpty
        }
    }

    // MARK: - What programs ask

    var users: [User] { machine.users }

    func user(_ userID: UserID) -> User? { machine.user(userID) }

    func users(_ userIDs: Set<UserID>) -> [UserID: User] {
        userIDs.reduce(into: [:]) { $0[$1] = machine.user($1) }
    }

    func names(of userIDs: Set<UserID>) -> [UserID: UserName] {
        userIDs.reduce(into: [:]) { $0[$1] = machine.user($1)?.name }
    }

    nonisolated func send(
        _ drafts: [EntryDraft], to destination: Destination
    ) async throws(EarshotError) -> [Message] {
        try await request(.send(drafts, destination)).messages
    }

    nonisolated func cancel(_ messageID: MessageID) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.cancel(messageID, requestID: requestID, now: now)
        }
    }

    nonisolated func markRead(_ messageID: MessageID) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.markRead(messageID, requestID: requestID, now: now)
        }
    }

    nonisolated func setTyping(
        _ isTyping: Bool, in conversationID: ConversationID, with peerID: UserID?
    ) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.setTyping(isTyping, in: conversationID, with: peerID, requestID: requestID, now: now)
        }
    }

    /// What the user's other devices are told of a decision.
    func decision(_ verdict: TrustDecision, about userID: UserID) -> Decision? {
        machine.decision(verdict, about: userID)
    }

    nonisolated func decide(
        _ decision: TrustDecision, about userID: UserID, named name: UserName?, signed: Decision?
    ) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.decide(
                decision, about: userID, name: name, signed: signed, requestID: requestID, now: now)
        }
    }

    func admit(_ admission: Admission) { perform(machine.admit(admission, now: clock.now)) }

    /// Contents were deleted from the disk. Called on the disk's thread, and therefore in the order of its commits.
    nonisolated func withholdDeleted(_ messageIDs: [MessageID]) {
        loop.execute {
            self.assumeIsolated { $0.perform($0.machine.withholdDeleted(messageIDs, now: $0.clock.now)) }
        }
    }

    /// What was erased on this device, for the user's other devices.
    nonisolated func tellErased(_ runs: [ErasedRun]) async throws(EarshotError) {
        guard !runs.isEmpty else { return }
        _ = try await request { machine, requestID, now in
            machine.handleErased(runs, requestID: requestID, now: now)
        }
        fileKeeper.messagesWent()
    }

    /// What a program asks.
    private enum Question {
        /// Most questions by far: this one needs no object.
        case send([EntryDraft], Destination)
        case other(@Sendable (inout NodeMachine, RequestID, Moment) -> [NodeAction])

        func ask(_ machine: inout NodeMachine, _ requestID: RequestID, _ now: Moment) -> [NodeAction] {
            switch self {
            case .send(let drafts, let destination):
                machine.send(drafts, to: destination, requestID: requestID, now: now)
            case .other(let ask): ask(&machine, requestID, now)
            }
        }
    }

    /// What a program asks, and who waits for the answer.
    private struct Request {
        let question: Question
        let answer: PendingRequests.Answer<RequestAnswer>
    }

    /// Asks the machine, and waits for its answer.
    ///
    /// It goes to the event loop by itself, because an isolated function would return there: each answer would cost a
    /// hop to the loop and back.
    nonisolated func request(
        _ ask: @escaping @Sendable (inout NodeMachine, RequestID, Moment) -> [NodeAction]
    ) async throws(EarshotError) -> RequestAnswer {
        try await request(.other(ask))
    }

    private nonisolated func request(_ question: Question) async throws(EarshotError) -> RequestAnswer {
        let result = await withUnsafeContinuation { (answer: PendingRequests.Answer<RequestAnswer>) in
            if asking.add(Request(question: question, answer: answer)) { askSoon() }
        }
        return try result.get()
    }

    private nonisolated func askSoon() { loop.execute { self.assumeIsolated { $0.askAll() } } }

    /// Asks the machine what programs want to know, and then does what follows from all of it.
    private func askAll() {
        let (requests, hasMore) = asking.take()
        if hasMore { askSoon() }
        // The home may belong to another node by now, and nobody would answer.
        guard lock != nil else {
            let error = EarshotError(.stopped, "the node has stopped")
            for request in requests { request.answer.resume(returning: .failure(error)) }
            return
        }
        // Some may ask about messages that the disk has just told them of.
        finishCommit()
        let now = clock.now
        perform(
            machine.together(now: now) { machine in
                for request in requests {
                    _ = request.question.ask(&machine, self.requests.add(request.answer), now)
                }
            })
    }

    /// Asks up to `Limits.reachabilityPeers` linked users whether they can connect to this node's port.
    /// - Returns: empty without links.
    /// - Throws: `EarshotError` `stopped` if the node does not listen, or stops meanwhile.
    func reachability() async throws(EarshotError) -> [Reachability] {
        guard let port else {
            throw EarshotError(.stopped, "the node does not listen")
        }
        let result = await withUnsafeContinuation { (answer: PendingRequests.Answer<[Reachability]>) in
            let requestID = requests.add(answer)
            perform(machine.checkReachability(port: port, requestID: requestID, now: clock.now))
        }
        return try result.get()
    }

    func status() -> ShellStatus {
        let now = clock.now
        let links = machine.establishedLinks.map { LinkStatus($0, now: now) }
        return ShellStatus(
            links: links.sorted { ($0.name, $0.deviceID) < ($1.name, $1.deviceID) }, undelivered: machine.undelivered,
            port: port, discovery: observations.discovery, dialTargets: machine.dialTargetCount)
    }

    /// The clocks of peers that were met lately, whether linked or refused.
    var peerClocks: [NodeFacts.PeerClock] {
        machine.peerClocks.map { NodeFacts.PeerClock(name: $0.name.text, ahead: $0.offset) }
    }

    // MARK: - The node's life

    private func enter(_ state: NodeState) {
        life.withLock { $0 = state }
        post(.nodeStateChanged(state))
    }

    /// Begins the node's only run.
    /// - Throws: `EarshotError` `stopped` if the node has already run, or was stopped without a run.
    func beginRun() throws(EarshotError) {
        guard life.withLock({ $0 }) == .open else {
            throw EarshotError(.stopped, "a node runs once: open it anew when it has stopped")
        }
        enter(.starting)
    }

    /// Listens, and begins to dial.
    func listen(port: UInt16, staticPeers: [PeerAddress]) async throws(EarshotError) -> UInt16 {
        let node = self
        let listener = try await transport.listen(port: port) { connection in
            node.assumeIsolated { $0.accept(connection) }
        }
        self.listener = listener
        for peer in staticPeers { perform(machine.addStaticPeer(peer, now: clock.now)) }
        perform(machine.dialRemembered(now: clock.now))
        return listener.port
    }

    /// The node listens, and is about to look for others.
    func running(port: UInt16, discovery: Discovery) {
        self.discovery = discovery
        enter(.running(port: port))
    }

    private var port: UInt16? { listener?.port }

    /// Stops a node that does not run; otherwise waits until its run has stopped it.
    func stopOrWait() async {
        switch life.withLock({ $0 }) {
        case .open: await stop()
        case .starting, .running, .stopping: await withCheckedContinuation { stopping.append($0) }
        case .stopped: return
        }
    }

    /// Treats the process as dead: tells everybody who waits, and accepts nothing more.
    func abandon() {
        requests.stop()
        lock = nil
    }

    /// Says goodbye to everybody, and returns when everything that waited is on the disk and the home is free.
    func stop() async {
        enter(.stopping)
        listener?.close()
        listener = nil
        perform(machine.stop(now: clock.now))
        if !machine.isSettled { await withCheckedContinuation { settling.append($0) } }
        timer?.cancel()
        await disk.drain()
        await fileDisk.drain()
        await keeper.drain()
        requests.stop()
        lock = nil
        unsubscribeAll()
        enter(.stopped)
        events.finish()
        pairingSignal.finish()
        fileKeeper.finish()
        for waiting in stopping { waiting.resume() }
        stopping = []
    }

    // MARK: - What happens

    /// Notes what discovery reports, for the diagnosis.
    func note(_ event: DiscoveryEvent) {
        observations.note(event)
        telemetry.note(event, now: clock.now.uptime)
    }

    func found(_ device: DiscoveredDevice) {
        perform(
            machine.found(
                device.deviceID, fingerprint: device.fingerprint, addresses: device.addresses, now: clock.now))
    }

    func lost(_ deviceID: DeviceID) { perform(machine.lost(deviceID, now: clock.now)) }

    /// An address, an interface or a route of this host changed.
    func networkChanged() { perform(machine.networkChanged(now: clock.now)) }

    /// The host resumed from sleep, or this process was stopped and continued.
    func woke() { perform(machine.woke(now: clock.now)) }

    /// The wall clock was set.
    func clockChanged() { perform(machine.clockChanged(now: clock.now)) }

    /// Shows another credential of this device from now on.
    func renew(_ credential: Credential) { perform(machine.renew(credential, now: clock.now)) }

    private func accept(_ connection: any TransportConnection) {
        let (connectionID, actions) = machine.accepted(from: connection.remoteAddress, now: clock.now)
        connections[connectionID] = connection
        connection.deliver(to: ConnectionHandler(node: self, connectionID: connectionID))
        perform(actions)
    }

    func received(_ bytes: [UInt8], on connectionID: ConnectionID) {
        telemetry.received(bytes: bytes.count)
        perform(machine.received(bytes, on: connectionID, now: clock.now))
    }

    func disconnected(_ connectionID: ConnectionID) {
        connections[connectionID] = nil
        perform(machine.disconnected(connectionID, now: clock.now))
    }

    private func tick() {
        timer = nil
        timerDeadline = .max
        perform(machine.tick(now: clock.now))
    }

    /// Tells the machine something, and does what follows.
    func perform(_ input: (inout NodeMachine, Moment) -> [NodeAction]) { perform(input(&machine, clock.now)) }

    // MARK: - What is to be done

    /// An action may bring about others at once, such as when a connection fails on its first write. They wait their
    /// turn, because the messages of a link have an order.
    private func perform(_ actions: [NodeAction]) {
        writeFirst(actions)
        guard self.actions.add(peersFirst(actions)) else { return }
        while let action = self.actions.next() {
            telemetry.note(action)
            perform(action)
        }
        telemetry.flush(machine.takeNotes(), now: clock.now.uptime)
        schedule()
        if !settling.isEmpty, machine.isSettled {
            for continuation in settling { continuation.resume() }
            settling = []
        }
    }

    /// The disk works beside the loop, so it gets what takes it long before the loop does all else. Nothing of that waits for
    /// this commit.
    private func writeFirst(_ actions: [NodeAction]) {
        for case .commit(let commit) in actions where !commit.isSmall { write(commit, isAlone: false) }
    }

    /// What peers are sent is on its way while programs are told.
    private func peersFirst(_ actions: [NodeAction]) -> [NodeAction] {
        guard actions.count > 1, actions.contains(where: \.tellsPrograms) else { return actions }
        return actions.filter { !$0.tellsPrograms } + actions.filter(\.tellsPrograms)
    }

    private func perform(_ action: NodeAction) {
        switch action {
        case .connect(let connectionID, let addresses): connect(connectionID, addresses)
        case .write(let connectionID, let bytes): write(bytes, to: connectionID)
        case .disconnect(let connectionID): disconnect(connectionID)
        case .seek(let deviceID): discovery?.seek(deviceID)
        case .commit(let commit):
            guard commit.isSmall else { return }
            // The loop first hands on everything else that had come with what is written. Then it shows whether more waits,
            // which is better written together.
            loop.execute { self.assumeIsolated { $0.write(commit, isAlone: !$0.machine.hasUnwritten) } }
        case .read(let read): self.read(read)
        case .findExpired(let logID, let after, let now): findExpired(logID, after: after, now: now)
        case .findKeys(let lookup, let keys): findKeys(keys, for: lookup)
        case .readChains(let read): readChains(read)
        case .probe(let probeID, let address): probe(probeID, address)
        case .reachability(let requestID, let answers): requests.complete(requestID, answers)
        case .complete(let requestID, let result): requests.complete(requestID, result)
        case .accepted(let calls): requests.complete(calls)
        case .device(let task): perform(task)
        case .file(let task): perform(task)
        case .post(let event): post(event)
        case .postRun(let run): post(run)
        }
    }

    private func perform(_ task: DeviceTask) {
        switch task {
        case .pairingChanged: pairingSignal.signal()
        case .issue(let request, let withIdentity):
            keeper.grant(request, withIdentity: withIdentity) { [self] result in
                loop.execute { self.assumeIsolated { $0.issued(request, result) } }
            }
        case .adopt(let credential):
            keeper.adopt(credential) { [self] result in
                loop.execute { self.assumeIsolated { $0.adopted(credential, result) } }
            }
        }
    }

    private func issued(
        _ request: CredentialRequest, _ result: Result<(CredentialGrant, SecretBytes?), EarshotError>
    ) {
        switch result {
        case .success(let (grant, identity)):
            perform(machine.issued(request, grant, identity: identity, now: clock.now))
        case .failure(let error):
            logger.warning("no credential was issued to a device", metadata: ["error": "\(error)"])
            perform(machine.issued(request, nil, now: clock.now))
        }
    }

    private func adopted(_ credential: Credential, _ result: Result<Void, EarshotError>) {
        switch result {
        case .success: renew(credential)
        case .failure(let error):
            logger.error("a renewed credential cannot be written", metadata: ["error": "\(error)"])
        }
    }

    /// A peer that does not read what it makes this node write loses its link before the memory is used up.
    private func write(_ bytes: [UInt8], to connectionID: ConnectionID) {
        guard let connection = connections[connectionID] else { return }
        connection.write(bytes)
        guard connection.unwrittenBytes > Limits.unwrittenBytes else { return }
        logger.warning("a peer does not read", metadata: ["connection": "\(connectionID)"])
        connection.close()
    }

    private func connect(_ connectionID: ConnectionID, _ addresses: [PeerAddress]) {
        let handler = ConnectionHandler(node: self, connectionID: connectionID)
        transport.connect(to: addresses, handler: handler) { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let connection):
                    shell.connections[connectionID] = connection
                    let address = Self.address(of: connection, among: addresses)
                    shell.perform(shell.machine.connected(connectionID, to: address, now: shell.clock.now))
                case .failure(let error):
                    shell.telemetry.dialFailed()
                    shell.logger.debug("dial failed", metadata: ["addresses": "\(addresses)", "error": "\(error)"])
                    shell.perform(
                        shell.machine.connectFailed(connectionID, reason: "\(error)", now: shell.clock.now))
                }
            }
        }
    }

    /// Connects only to see whether it succeeds.
    private func probe(_ probeID: ProbeID, _ address: PeerAddress) {
        transport.probe(address) { [self] result in
            assumeIsolated { shell in
                var isReachable = true
                if case .failure(let error) = result {
                    shell.logger.debug("dial-back failed", metadata: ["address": "\(address)", "error": "\(error)"])
                    isReachable = false
                }
                shell.perform(shell.machine.probed(probeID, isReachable: isReachable, now: shell.clock.now))
            }
        }
    }

    /// The address that answered, as it was given, with its scope.
    private static func address(
        of connection: any TransportConnection, among addresses: [PeerAddress]
    ) -> PeerAddress {
        let remote = connection.remoteAddress
        let match = addresses.first { address in
            guard let remote, remote.port == address.port else { return false }
            return address.host.prefix { $0 != "%" } == remote.host.prefix { $0 != "%" }
        }
        return match ?? remote ?? addresses[0]
    }

    /// Closes once everything that was written is out, or after a moment if the peer does not take it.
    private func disconnect(_ connectionID: ConnectionID) { connections.removeValue(forKey: connectionID)?.finish() }

    private func write(_ commit: Commit, isAlone: Bool) {
        let (begin, calls) = (ContinuousClock.now, requests.handOver(machine.callsInCommit))
        disk.commit(commit, isAlone: isAlone) { [self] result in
            finished.withLock { $0 = FinishedCommit(commit, begin: begin, result: result) }
            loop.execute { self.assumeIsolated { $0.finishCommit() } }
            if case .success = result { calls?.answer() }
        }
    }

    /// Tells the machine what has become of the last commit, unless it was told.
    private func finishCommit() {
        guard let commit = finished.withLock({ $0.take() }) else { return }
        let now = clock.now
        switch commit.result {
        case .success:
            telemetry.committed(entries: commit.entries, duration: .now - commit.begin, now: now.uptime)
            perform(machine.committed(now: now))
            if commit.isJournalled { events.journalGrowth.signal() }
            if commit.hasContents { events.contents.signal() }
        case .failure(let error):
            requests.takeBack()
            telemetry.commitFailed(now: now.uptime)
            logger.debug("commit failed", metadata: ["error": "\(error)"])
            perform(machine.commitFailed(error.message, isDiskFull: error.code == .full, now: now))
        }
    }

    private func read(_ read: EntriesRead) {
        disk.read(read) { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let entries):
                    shell.perform(shell.machine.entriesRead(read, entries: entries, now: shell.clock.now))
                case .failure(let error):
                    shell.perform(shell.machine.readFailed(read, error.message, now: shell.clock.now))
                }
            }
        }
    }

    private func findExpired(_ logID: LogID, after: UInt64, now: Int64) {
        disk.findExpired(in: logID, after: after, now: now) { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let (sequences, nextExpiry)):
                    shell.perform(
                        shell.machine.expiredFound(
                            in: logID, sequences: sequences, nextExpiry: nextExpiry, now: shell.clock.now))
                case .failure(let error):
                    shell.logger.error("expired messages cannot be found", metadata: ["error": "\(error)"])
                    shell.perform(shell.machine.findExpiredFailed(in: logID, now: shell.clock.now))
                }
            }
        }
    }

    private func readChains(_ read: ChainsRead) {
        disk.readChains(read) { [self] result in
            assumeIsolated { shell in
                let now = shell.clock.now
                switch result {
                case .success(let chains): shell.perform(shell.machine.chainsRead(read, chains: chains, now: now))
                case .failure(let error):
                    shell.perform(shell.machine.chainsReadFailed(read, error.message, now: now))
                }
            }
        }
    }

    private func findKeys(_ keys: [EntryKey], for lookup: KeyLookup) {
        disk.findKeys(keys) { [self] result in
            assumeIsolated { shell in
                let now = shell.clock.now
                switch result {
                case .success(let entries): shell.perform(shell.machine.keysFound(lookup, entries, now: now))
                case .failure(let error):
                    shell.perform(shell.machine.findKeysFailed(lookup, error.message, now: now))
                }
            }
        }
    }

    /// The hosts of a user's linked devices.
    private func hosts(of userID: UserID) -> Set<String> {
        Set(machine.establishedLinks.filter { $0.peer.userID == userID }.compactMap { $0.address?.host })
    }

    func post(_ event: Event) {
        let now = clock.now.uptime
        observations.note(event, now: now)
        telemetry.note(event, now: now)
        switch event {
        case .userDiscovered(let user), .userUpdated(let user, _):
            if user.isOnline { observations.linked(hosts: hosts(of: user.userID)) }
            subscriptions.update(user)
        case .messageUpdated(let update):
            if update.change == .isRetracted { fileKeeper.messagesWent() }
        default: break
        }
        events.post(event)
    }

    private func post(_ run: EventRun) {
        if run.messages.contains(where: { !$0.attachments.isEmpty }) { fileKeeper.look() }
        events.post(run)
    }

    /// Sets the timer for the machine's next call. One that comes sooner stays: a call too early does no harm, and most
    /// inputs put the next call off.
    private func schedule() {
        // The stored value alone: a method of the machine would be given a copy of all of it, at each input.
        let nextCall = machine.nextCall
        guard nextCall < timerDeadline else { return }
        timer?.cancel()
        timerDeadline = nextCall
        // Weak: messages may wait for weeks, and must not keep alive a node that nobody holds.
        timer = clock.schedule(at: nextCall, on: loop) { [weak self] in self?.assumeIsolated { $0.tick() } }
    }
}

extension NodeAction {
    fileprivate var tellsPrograms: Bool {
        switch self {
        case .post, .postRun, .complete, .accepted, .reachability: true
        case .connect, .write, .disconnect, .seek, .commit, .read, .readChains, .findExpired, .findKeys, .probe,
            .device, .file:
            false
        }
    }
}

/// The shell's part of a node's status.
struct ShellStatus {
    let links: [LinkStatus]
    let undelivered: [UserID: UInt64]
    let port: UInt16?
    let discovery: NodeDiscovery
    let dialTargets: Int
}

extension LinkStatus {
    fileprivate init(_ link: EstablishedLink, now: Moment) {
        userID = link.peer.userID
        deviceID = link.peer.deviceID
        name = link.peer.credential.name
        address = link.address?.description
        isOutbound = link.isOutbound
        establishedMilliseconds = now.wallClock - (now.uptime - link.establishedAt)
        clockOffsetMilliseconds = link.clockOffset
    }
}
