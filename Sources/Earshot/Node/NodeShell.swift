import CoreMetrics
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
/// the loop.
actor NodeShell {
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }
    nonisolated let clock: any NodeClock

    private(set) var machine: NodeMachine
    private var actions = ActionQueue<NodeAction>()
    private var nextCall = NextCall()
    nonisolated let storage: NodeStorage
    var network: NodeNetwork

    private nonisolated let inbox = LoopInbox()
    private var requests = PendingRequests()
    var subscriptions: Subscriptions

    let events: EventBus
    let logger: Logger
    var telemetry: Telemetry
    /// The past, as far as the node's diagnosis needs it.
    private(set) var observations: NodeObservations

    /// Where the node is in its life. Anybody may read it; only the shell changes it.
    nonisolated let state = Mutex(NodeState.open)
    private var life: NodeLife

    init(
        machine: NodeMachine, observations: NodeObservations, lock: HomeLock, events: EventBus, loop: any EventLoop,
        storage: NodeStorage, transport: any Transport, clock: any NodeClock, logger: Logger,
        metrics: any MetricsFactory, subscribedUsers: Int
    ) {
        subscriptions = Subscriptions(limit: subscribedUsers)
        self.observations = observations
        self.machine = machine
        life = NodeLife(lock)
        self.events = events
        self.loop = loop
        self.storage = storage
        network = NodeNetwork(transport)
        self.clock = clock
        self.logger = logger
        telemetry = Telemetry(logger: logger, metrics: metrics)
    }

    /// Keeps the home for whoever writes there; `nil` once the node has stopped.
    var lock: HomeLock? { life.lock }

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
    func decision(_ verdict: TrustDecision, about userID: UserID, named name: UserName?) -> Decision? {
        machine.decision(verdict, about: userID, name: name)
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
        storage.fileKeeper.messagesWent()
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

    private nonisolated func request(_ question: LoopInbox.Question) async throws(EarshotError) -> RequestAnswer {
        let result = await withUnsafeContinuation { (answer: PendingRequests.Answer<RequestAnswer>) in
            if inbox.asking.add(.init(question: question, answer: answer)) { askSoon() }
        }
        return try result.get()
    }

    private nonisolated func askSoon() { loop.execute { self.assumeIsolated { $0.askAll() } } }

    /// Asks the machine what programs want to know, and then does what follows from all of it.
    private func askAll() {
        let (requests, hasMore) = inbox.asking.take()
        if hasMore { askSoon() }
        // The home may belong to another node by now, and nobody would answer.
        guard life.lock != nil else {
            let error = life.stoppedError
            for request in requests { request.answer.resume(returning: .failure(error)) }
            return
        }
        // Some may ask about messages that the disk has just told them of.
        finishCommit()
        let now = clock.now
        perform(
            machine.together(now: now) { machine in
                ask(requests, of: &machine, now: now)
            })
    }

    /// Hands requests to the machine in their order: calls that send to one destination and follow each other all at once.
    private func ask(_ requests: [LoopInbox.Request], of machine: inout NodeMachine, now: Moment) {
        var (calls, destination): ([SendCall], Destination?) = ([], nil)
        func send() {
            guard let destination, !calls.isEmpty else { return }
            _ = machine.send(calls, to: destination, now: now)
            calls.removeAll(keepingCapacity: true)
        }
        for request in requests {
            let requestID = self.requests.add(request.answer)
            switch request.question {
            case .send(let drafts, let next):
                if next != destination {
                    send()
                    destination = next
                }
                calls.append(SendCall(requestID: requestID, drafts: drafts))
            case .other(let ask):
                send()
                _ = ask(&machine, requestID, now)
            }
        }
        send()
    }

    /// Asks up to `Limits.reachabilityPeers` linked users whether they can connect to this node's port.
    /// - Returns: empty without links.
    /// - Throws: `EarshotError` `stopped` if the node does not listen, or stops meanwhile.
    func reachability() async throws(EarshotError) -> [Reachability] {
        guard let port = network.port else {
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
            port: network.port, discovery: observations.discovery, dialTargets: machine.dialTargetCount)
    }

    /// The clocks of peers that were met lately, whether linked or refused.
    var peerClocks: [NodeFacts.PeerClock] {
        machine.peerClocks.map { NodeFacts.PeerClock(name: $0.name.text, ahead: $0.offset) }
    }

    var ownClock: NodeFacts.OwnClock {
        let now = clock.now
        return NodeFacts.OwnClock(
            setBy: machine.clockWasSet(within: 86_400_000, now: now), stampsAhead: machine.stampsAhead(now: now))
    }

    // MARK: - The node's life

    private func enter(_ newState: NodeState) {
        state.withLock { $0 = newState }
        post(.nodeStateChanged(newState))
    }

    /// Begins the node's only run.
    /// - Throws: `EarshotError` `alreadyRunning` if the node runs; `stopped` if it has already run, or was stopped without a run.
    /// - Returns: `false` if somebody has stopped the node already.
    func beginRun() throws(EarshotError) -> Bool {
        defer { life.hasRun = true }
        switch state.withLock({ $0 }) {
        case .open:
            life.end = .begun
            enter(.starting)
            return true
        case .starting, .running: throw EarshotError(.alreadyRunning, "the node runs already")
        case .stopping, .stopped:
            guard !life.hasRun else {
                throw EarshotError(.stopped, "a node runs once: when it has stopped, open its home again")
            }
            return false
        }
    }

    /// The node is about to stop, and nobody asked it to.
    func failed(_ error: EarshotError) { life.failure = error }

    /// Why the node ended, if nobody asked it to.
    var failure: EarshotError? { life.failure }

    /// What a node that has stopped answers.
    var stoppedError: EarshotError { life.stoppedError }

    /// Listens, and begins to dial.
    func listen(port: UInt16, staticPeers: [PeerAddress]) async throws(EarshotError) -> UInt16 {
        let node = self
        let transport = network.transport
        let listener = try await transport.listen(port: port) { connection in
            node.assumeIsolated { $0.accept(connection) }
        }
        network.listener = listener
        for peer in staticPeers { perform(machine.addStaticPeer(peer, now: clock.now)) }
        perform(machine.dialRemembered(now: clock.now))
        return listener.port
    }

    /// The node listens, and is about to look for others.
    func running(port: UInt16, discovery: Discovery) {
        network.discovery = discovery
        // Somebody may have stopped it meanwhile.
        if case .starting = state.withLock({ $0 }) { enter(.running(port: port)) }
    }

    /// The node is to end: nothing more is handed out, and whoever handles messages finishes.
    func beginStopping() {
        switch state.withLock({ $0 }) {
        case .open, .starting, .running: enter(.stopping)
        case .stopping, .stopped: break
        }
    }

    /// Stops a node that does not run; otherwise waits until its run has stopped it.
    func stopOrWait() async {
        switch life.end {
        case .free: await stop()
        case .begun: await withCheckedContinuation { life.waitUntilStopped($0) }
        case .over: return
        }
    }

    /// Treats the process as dead: tells everybody who waits, and accepts nothing more.
    func abandon() {
        requests.stop(life.unfinishedError)
        life.giveUpHome()
    }

    /// Says goodbye to everybody, and returns when everything that waited is on the disk and the home is free.
    func stop() async {
        life.end = .begun
        beginStopping()
        network.takeListener()?.close()
        perform(machine.stop(now: clock.now))
        if !machine.isSettled { await withCheckedContinuation { life.waitUntilSettled($0) } }
        nextCall.cancel()
        await storage.drain()
        requests.stop(life.unfinishedError)
        life.giveUpHome()
        unsubscribeAll()
        enter(.stopped)
        events.finish()
        storage.fileKeeper.finish()
        life.stopped()
    }

    // MARK: - What happens

    /// Where a copy of this device is advertised.
    var copies: [PeerAddress] { observations.ownDeviceElsewhere }

    /// Whether this device's user has revoked it.
    var isRevoked: Bool { machine.isRevoked(machine.localCredential.deviceID, of: machine.userID) }

    /// Notes what discovery reports, for the diagnosis.
    /// - Returns: whether it is news that a copy of this device is advertised.
    func note(_ event: DiscoveryEvent) -> Bool {
        let wasCopied = !observations.ownDeviceElsewhere.isEmpty
        observations.note(event)
        telemetry.note(event, now: clock.now.uptime)
        return !wasCopied && !observations.ownDeviceElsewhere.isEmpty
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
        network.connections[connectionID] = connection
        connection.deliver(to: ConnectionHandler(node: self, connectionID: connectionID))
        perform(actions)
    }

    func received(_ bytes: [UInt8], on connectionID: ConnectionID) {
        telemetry.received(bytes: bytes.count)
        perform(machine.received(bytes, on: connectionID, now: clock.now))
    }

    func disconnected(_ connectionID: ConnectionID) {
        network.connections[connectionID] = nil
        perform(machine.disconnected(connectionID, now: clock.now))
    }

    private func tick() {
        nextCall.fired()
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
        if life.isAwaited, machine.isSettled { life.settled() }
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
        case .seek(let deviceID): network.discovery?.seek(deviceID)
        case .commit(let commit):
            guard commit.isSmall else { return }
            // The loop first hands on everything else that had come with what is written. Then it shows whether more waits,
            // which is better written together.
            loop.execute { self.assumeIsolated { $0.write(commit, isAlone: !$0.machine.hasUnwritten) } }
        case .read(let read): self.read(read)
        case .findExpired(let logID, let after, let clock): findExpired(logID, after: after, clock)
        case .findKeys(let lookup, let keys): findKeys(keys, for: lookup)
        case .readChains(let read): readChains(read)
        case .probe(let probeID, let address): probe(probeID, address)
        case .reachability(let requestID, let answers): requests.complete(requestID, answers)
        case .complete(let requestID, let result): requests.complete(requestID, result)
        case .accepted(let calls): requests.complete(calls)
        case .renamed(let runs): events.rename(runs)
        case .device(let task): perform(task)
        case .file(let task): perform(task)
        case .post(let event): post(event)
        case .postRun(let run): post(run)
        }
    }

    private func write(_ commit: Commit, isAlone: Bool) {
        let (begin, calls) = (ContinuousClock.now, requests.handOver(machine.callsInCommit))
        storage.disk.commit(commit, isAlone: isAlone) { [self] result in
            inbox.leave(.init(commit, begin: begin, result: result))
            loop.execute { self.assumeIsolated { $0.finishCommit() } }
            if case .success = result { calls?.answer() }
        }
    }

    /// Tells the machine what has become of the last commit, unless it was told.
    private func finishCommit() {
        guard let commit = inbox.takeFinishedCommit() else { return }
        let now = clock.now
        switch commit.result {
        case .success:
            telemetry.committed(entries: commit.entries, duration: .now - commit.begin, now: now.uptime)
            if commit.hasLateContents { events.lateContents.signal() }
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

    func post(_ event: Event) {
        let now = clock.now.uptime
        observations.note(event, now: now)
        telemetry.note(event, now: now)
        switch event {
        case .userDiscovered(let user), .userUpdated(let user, _):
            if user.isOnline { observations.linked(hosts: machine.hosts(of: user.userID)) }
            subscriptions.update(user)
        case .messageUpdated(let update):
            if update.change == .isRetracted { storage.fileKeeper.messagesWent() }
        default: break
        }
        events.post(event)
    }

    private func post(_ run: EventRun) {
        if run.messages.contains(where: { !$0.attachments.isEmpty }) { storage.fileKeeper.look() }
        events.post(run)
    }

    private func schedule() {
        // The stored value alone: a method of the machine would be given a copy of all of it, at each input.
        let deadline = machine.nextCall
        guard nextCall.isLate(for: deadline) else { return }
        // Weak: messages may wait for weeks, and must not keep alive a node that nobody holds.
        let timer = clock.schedule(at: deadline, on: loop) { [weak self] in self?.assumeIsolated { $0.tick() } }
        nextCall.set(timer, at: deadline)
    }
}

extension NodeAction {
    fileprivate var tellsPrograms: Bool {
        switch self {
        case .post, .postRun, .complete, .accepted, .renamed, .reachability: true
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
