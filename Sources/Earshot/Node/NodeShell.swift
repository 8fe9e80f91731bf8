import CoreMetrics
import Dispatch
import EarshotDiscovery
import EarshotProtocol
import EarshotStore
import Foundation
import Logging
import NIOCore

/// Runs a node's machine: gives it what happens and does what it says, and decides nothing.
///
/// It is an actor whose executor is one event loop. Connections live on the same loop and call it directly; the disk
/// works on threads of its own and comes back to the loop. So nothing here needs a lock.
actor NodeShell {
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    private(set) var machine: NodeMachine
    private var actions = ActionQueue<NodeAction>()
    private let store: Store
    let events: EventBus
    private let sockets: LinkSockets
    private let logger: Logger
    var telemetry: Telemetry
    /// What the node's diagnosis needs to know of the past.
    private(set) var journal: NodeJournal
    private let reads = DispatchQueue(label: "earshot.reads")
    /// Kept until the last write to the home directory is done.
    private let lock: HomeLock

    private var channels: [ConnectionID: any Channel] = [:]
    private var requests: [RequestID: CheckedContinuation<[Message], any Error>] = [:]
    private var reachabilityRequests: [RequestID: CheckedContinuation<[Reachability], any Error>] = [:]
    private var requestCount: UInt64 = 0
    private var timer: Scheduled<Void>?
    private var timerDeadline = Int64.max
    private var settling: [CheckedContinuation<Void, Never>] = []
    private var listener: (any Channel)?
    private var hasStarted = false

    init(
        machine: NodeMachine, journal: NodeJournal, store: Store, lock: HomeLock, events: EventBus,
        loop: any EventLoop, logger: Logger, metrics: any MetricsFactory
    ) {
        self.journal = journal
        self.machine = machine
        self.store = store
        self.lock = lock
        self.events = events
        self.loop = loop
        self.logger = logger
        telemetry = Telemetry(logger: logger, metrics: metrics)
        sockets = LinkSockets(loop: loop)
    }

    // MARK: - What programs ask

    var users: [User] { machine.users }

    func user(_ userID: UserID) -> User? { machine.user(userID) }

    func send(_ drafts: [MessageDraft], to recipientID: UserID) async throws -> [Message] {
        try await request { machine, requestID, now in
            machine.send(drafts, to: recipientID, requestID: requestID, now: now)
        }
    }

    func cancel(_ messageID: MessageID) async throws {
        _ = try await request { machine, requestID, now in
            machine.cancel(messageID, requestID: requestID, now: now)
        }
    }

    func markRead(_ messageID: MessageID) async throws {
        _ = try await request { machine, requestID, now in
            machine.markRead(messageID, requestID: requestID, now: now)
        }
    }

    func decide(_ decision: TrustDecision, about userID: UserID, named name: UserName?) async throws {
        _ = try await request { machine, requestID, now in
            machine.decide(decision, about: userID, name: name, requestID: requestID, now: now)
        }
    }

    func admit(_ admission: Admission) { perform(machine.admit(admission, now: .now)) }

    /// Contents were deleted from the disk. Called on the disk's thread, and so in the order of its commits.
    nonisolated func withholdDeleted(_ messageIDs: [MessageID]) {
        loop.execute { self.assumeIsolated { $0.machine.withholdDeleted(messageIDs) } }
    }

    private func request(
        _ body: (inout NodeMachine, RequestID, Moment) -> [NodeAction]
    ) async throws -> [Message] {
        requestCount += 1
        let requestID = RequestID(requestCount)
        return try await withCheckedThrowingContinuation { continuation in
            requests[requestID] = continuation
            perform(body(&machine, requestID, .now))
        }
    }

    /// Asks up to `Limits.reachabilityPeers` linked users whether they can connect to this node's port.
    /// - Returns: empty without links.
    /// - Throws: `EarshotError` `stopped` if the node does not listen, or stops meanwhile.
    func reachability() async throws -> [Reachability] {
        guard let port else {
            throw EarshotError(.stopped, "the node does not listen", remedy: "ask again while it runs")
        }
        requestCount += 1
        let requestID = RequestID(requestCount)
        return try await withCheckedThrowingContinuation { continuation in
            reachabilityRequests[requestID] = continuation
            perform(machine.checkReachability(port: port, requestID: requestID, now: .now))
        }
    }

    func status() -> ShellStatus {
        let now = Moment.now
        let links = machine.establishedLinks.map { LinkStatus($0, now: now) }
        return ShellStatus(
            links: links.sorted { ($0.name, $0.deviceID) < ($1.name, $1.deviceID) }, undelivered: machine.undelivered,
            port: port, discovery: journal.discovery, dialTargets: machine.dialTargetCount)
    }

    /// The clocks of the peers that were met lately, linked or refused.
    var peerClocks: [NodeFacts.PeerClock] {
        machine.peerClocks.map { NodeFacts.PeerClock(name: $0.name.text, ahead: $0.offset) }
    }

    // MARK: - What happens

    /// Takes the one run that a node has.
    /// - Throws: `EarshotError` `stopped` if it was taken.
    func beginRun() throws(EarshotError) {
        guard !hasStarted else {
            throw EarshotError(.stopped, "a node runs once", remedy: "make a new one when this one has stopped")
        }
        hasStarted = true
    }

    /// Listens, and begins to dial.
    func start(port: UInt16, staticPeers: [PeerAddress]) async throws(EarshotError) -> UInt16 {
        let node = self
        let channel = try await sockets.listen(port: port) { channel in
            node.assumeIsolated { $0.accept(channel) }
        }
        listener = channel
        for peer in staticPeers { perform(machine.addStaticPeer(peer, now: .now)) }
        perform(machine.dialRemembered(now: .now))
        return self.port ?? port
    }

    private var port: UInt16? { listener?.localAddress?.port.flatMap { UInt16(exactly: $0) } }

    /// Takes note of what discovery says, for the diagnosis.
    func note(_ event: DiscoveryEvent) {
        journal.note(event)
        telemetry.note(event, now: Moment.now.uptime)
    }

    func found(_ deviceID: DeviceID, addresses: [PeerAddress]) {
        perform(machine.found(deviceID, addresses: addresses, now: .now))
    }

    func lost(_ deviceID: DeviceID) { perform(machine.lost(deviceID, now: .now)) }

    /// An address, an interface or a route of this host changed.
    func networkChanged() { perform(machine.networkChanged(now: .now)) }

    /// The host resumed from sleep, or this process went on after it was stopped.
    func woke() { perform(machine.woke(now: .now)) }

    /// The wall clock was set.
    func clockChanged() { perform(machine.clockChanged(now: .now)) }

    /// Shows another credential of this device from now on.
    func renew(_ credential: Credential) { perform(machine.renew(credential, now: .now)) }

    /// Says goodbye to everybody, and returns when all that waited is on the disk.
    func stop() async {
        listener?.close(promise: nil)
        listener = nil
        perform(machine.stop(now: .now))
        if !machine.isSettled { await withCheckedContinuation { settling.append($0) } }
        timer?.cancel()
        await withCheckedContinuation { continuation in reads.async { continuation.resume() } }
        for request in requests.values {
            request.resume(throwing: EarshotError(.stopped, "the node has stopped before this was done"))
        }
        requests = [:]
        for request in reachabilityRequests.values {
            request.resume(throwing: EarshotError(.stopped, "the node has stopped before this was done"))
        }
        reachabilityRequests = [:]
    }

    private func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
        let (connectionID, actions) = machine.accepted(from: channel.remoteAddress?.peerAddress, now: .now)
        channels[connectionID] = channel
        let added = addHandler(to: channel, connectionID)
        perform(actions)
        return added
    }

    private func addHandler(to channel: any Channel, _ connectionID: ConnectionID) -> EventLoopFuture<Void> {
        let handler = LinkChannelHandler(node: self, connectionID: connectionID)
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
            return loop.makeSucceededVoidFuture()
        } catch {
            return loop.makeFailedFuture(error)
        }
    }

    func received(_ bytes: [UInt8], on connectionID: ConnectionID) {
        telemetry.received(bytes: bytes.count)
        perform(machine.received(bytes, on: connectionID, now: .now))
    }

    func disconnected(_ connectionID: ConnectionID) {
        channels[connectionID] = nil
        perform(machine.disconnected(connectionID, now: .now))
    }

    private func tick() {
        timer = nil
        timerDeadline = .max
        perform(machine.tick(now: .now))
    }

    // MARK: - What is to be done

    /// What is done may at once bring about more, as a connection that fails when it is begun or written to. That waits
    /// its turn: the messages of a link have an order.
    private func perform(_ actions: [NodeAction]) {
        guard self.actions.add(actions) else { return }
        while let action = self.actions.next() {
            telemetry.note(action)
            perform(action)
        }
        telemetry.flush(machine.takeNotes(), now: Moment.now.uptime)
        schedule()
        if machine.isSettled, !settling.isEmpty {
            for continuation in settling { continuation.resume() }
            settling = []
        }
    }

    private func perform(_ action: NodeAction) {
        switch action {
        case .connect(let connectionID, let addresses): connect(connectionID, addresses)
        case .write(let connectionID, let bytes): write(bytes, to: connectionID)
        case .disconnect(let connectionID): disconnect(connectionID)
        case .commit(let commit): write(commit)
        case .read(let read): self.read(read)
        case .findExpired(let logID, let after, let now): findExpired(logID, after: after, now: now)
        case .probe(let probeID, let address): probe(probeID, address)
        case .reachability(let requestID, let answers):
            reachabilityRequests.removeValue(forKey: requestID)?.resume(returning: answers)
        case .complete(let requestID, let result): complete(requestID, result)
        case .post(let event): post(event)
        }
    }

    /// A peer that does not read what it makes this node write is let go before that takes the memory.
    private func write(_ bytes: [UInt8], to connectionID: ConnectionID) {
        guard let channel = channels[connectionID] else { return }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        guard let options = channel.syncOptions else { return }
        do {
            guard try options.getOption(.bufferedWritableBytes) > Limits.unwrittenBytes else { return }
            logger.warning("a peer does not read", metadata: ["connection": "\(connectionID)"])
        } catch {
            logger.debug("a connection has ended", metadata: ["error": "\(error)"])
        }
        channel.close(promise: nil)
    }

    private func connect(_ connectionID: ConnectionID, _ addresses: [PeerAddress]) {
        sockets.connect(to: addresses) { [self] channel in
            assumeIsolated { $0.addHandler(to: channel, connectionID) }
        }.assumeIsolated().whenComplete { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let channel):
                    shell.channels[connectionID] = channel
                    let address = Self.address(of: channel, among: addresses)
                    shell.perform(shell.machine.connected(connectionID, to: address, now: .now))
                case .failure(let error):
                    shell.telemetry.dialFailed()
                    shell.logger.debug("dial failed", metadata: ["addresses": "\(addresses)", "error": "\(error)"])
                    shell.perform(shell.machine.connectFailed(connectionID, reason: "\(error)", now: .now))
                }
            }
        }
    }

    /// Connects only to see whether that succeeds.
    private func probe(_ probeID: ProbeID, _ address: PeerAddress) {
        sockets.probe(address).assumeIsolated().whenComplete { [self] result in
            assumeIsolated { shell in
                let isReachable: Bool
                switch result {
                case .success(let channel):
                    channel.close(promise: nil)
                    isReachable = true
                case .failure(let error):
                    shell.logger.debug("dial-back failed", metadata: ["address": "\(address)", "error": "\(error)"])
                    isReachable = false
                }
                shell.perform(shell.machine.probed(probeID, isReachable: isReachable, now: .now))
            }
        }
    }

    /// Which of the addresses answered, as it was given: with its scope.
    private static func address(of channel: any Channel, among addresses: [PeerAddress]) -> PeerAddress {
        let remote = channel.remoteAddress?.peerAddress
        let match = addresses.first { address in
            guard let remote, remote.port == address.port else { return false }
            return address.host.prefix { $0 != "%" } == remote.host.prefix { $0 != "%" }
        }
        return match ?? remote ?? addresses[0]
    }

    /// Closes once all that was written is out, or after a moment where the peer does not take it.
    private func disconnect(_ connectionID: ConnectionID) {
        guard let channel = channels.removeValue(forKey: connectionID) else { return }
        let patience = loop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
            patience.cancel()
            channel.close(promise: nil)
        }
    }

    private func write(_ commit: Commit) {
        let (begin, entries) = (ContinuousClock.now, commit.entries.reduce(0) { $0 + $1.entries.count })
        store.commit(commit) { [self] result in
            loop.execute {
                self.assumeIsolated { shell in
                    switch result {
                    case .success:
                        shell.telemetry.committed(entries: entries, duration: .now - begin, now: Moment.now.uptime)
                        shell.perform(shell.machine.committed(now: .now))
                    case .failure(let error):
                        shell.telemetry.commitFailed(now: Moment.now.uptime)
                        shell.logger.debug("commit failed", metadata: ["error": "\(error)"])
                        shell.perform(
                            shell.machine.commitFailed(
                                error.message, isDiskFull: error.code == .full, now: .now))
                    }
                }
            }
        }
    }

    private func read(_ read: EntriesRead) {
        reads.async { [self] in
            let result = Result { () throws(StoreError) in
                try store.entries(
                    of: read.logID, from: read.from, countLimit: read.countLimit, byteLimit: read.byteLimit)
            }
            loop.execute {
                self.assumeIsolated { shell in
                    switch result {
                    case .success(let entries):
                        shell.perform(shell.machine.entriesRead(read, entries: entries, now: .now))
                    case .failure(let error):
                        shell.perform(shell.machine.readFailed(read, error.message, now: .now))
                    }
                }
            }
        }
    }

    private func findExpired(_ logID: LogID, after: UInt64, now: Int64) {
        reads.async { [self] in
            let result = Result { () throws(StoreError) in try store.expired(in: logID, after: after, now: now) }
            loop.execute {
                self.assumeIsolated { shell in
                    switch result {
                    case .success(let (sequences, nextExpiry)):
                        shell.perform(
                            shell.machine.expiredFound(
                                in: logID, sequences: sequences, nextExpiry: nextExpiry, now: .now))
                    case .failure(let error):
                        shell.logger.error("expired messages cannot be found", metadata: ["error": "\(error)"])
                        shell.perform(shell.machine.findExpiredFailed(in: logID, now: .now))
                    }
                }
            }
        }
    }

    private func complete(_ requestID: RequestID, _ result: Result<[Message], ProtocolError>) {
        // None where the node has stopped meanwhile: then everybody who waited was told so.
        requests.removeValue(forKey: requestID)?.resume(with: result.mapError { EarshotError($0) })
    }

    /// Where the linked devices of a user are.
    private func hosts(of userID: UserID) -> Set<String> {
        Set(machine.establishedLinks.filter { $0.peer.userID == userID }.compactMap { $0.address?.host })
    }

    func post(_ event: Event) {
        let now = Moment.now.uptime
        journal.note(event, now: now)
        telemetry.note(event, now: now)
        switch event {
        case .userDiscovered(let user), .userUpdated(let user, _):
            if user.isOnline { journal.linked(hosts: hosts(of: user.userID)) }
        default: break
        }
        events.post(event)
    }

    /// Sets the timer for when the machine wants to be called next.
    private func schedule() {
        let now = Moment.now
        let deadline = machine.deadline(now: now)
        guard deadline != timerDeadline else { return }
        timer?.cancel()
        timer = nil
        timerDeadline = deadline
        guard deadline != .max else { return }
        // Weak: messages may wait for weeks, and must not keep a node alive that nobody holds any more.
        timer = loop.scheduleTask(in: .milliseconds(max(0, deadline - now.uptime))) { [weak self] in
            self?.assumeIsolated { $0.tick() }
        }
    }
}

/// What a node's shell knows of the node's status.
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
        establishedAt = now.wallClock - (now.uptime - link.establishedAt)
        clockOffset = link.clockOffset
    }
}

extension Moment {
    /// The system's clocks. Uptime counts the time of sleep, so that a laptop that wakes knows how long it was away.
    static var now: Moment {
        Moment(wallClock: milliseconds(CLOCK_REALTIME), uptime: milliseconds(CLOCK_BOOTTIME))
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
