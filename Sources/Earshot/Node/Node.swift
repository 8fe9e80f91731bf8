import Dispatch
import EarshotCrypto
import EarshotDiscovery
import EarshotFiles
import EarshotProtocol
import EarshotStore
import Logging
import NIOCore
import Synchronization

/// A user's node on the local network. It finds other users, keeps the history with each of them, and reports what
/// happens to every message.
///
/// Call `open`, let `run` run beside what your program does, and call `stop`:
/// ```swift
/// let node = try await Node.open(.standard())
/// let met = node.events.events(.userDiscovered)
/// async let running: Void = node.run()
/// for try await bob in met where bob.name.text == "bob" {
///     try await node.messages.send("hello", to: bob.userID)
///     break
/// }
/// await node.stop()
/// try await running
/// ```
/// If the node cannot run, it stops. Then every sequence of its events ends, so nobody waits in vain, and `run` throws
/// the reason.
///
/// One node at a time owns a home directory, from `open` until it has stopped. As soon as it is open, it can read the
/// history and accept messages. It finds and links to peers while it runs.
public final class Node: Sendable {
    public let home: Home
    public let configuration: NodeConfiguration
    /// Events from now on, including changes of the node's own state.
    public let events: EventBus
    /// The user that this node speaks for.
    public let userID: UserID
    public let name: UserName
    public let deviceID: DeviceID
    /// Milliseconds since 1970.
    package var credentialExpiry: Int64 { keeper.credential.notAfter }
    /// Distinguishes the node's network from others, and holds no secret; `nil` without a network key.
    public let networkTag: String?

    let shell: NodeShell
    let store: Store
    /// Programs' reads wait for the disk on this queue's own thread, and hold up nobody else's.
    let historyQueue = DispatchQueue(label: "earshot.history")
    let keeper: CredentialKeeper
    private let otherNetworks = Mutex(OtherNetworks())
    /// Looks for other nodes, once this node runs.
    private let discovery = Mutex<Discovery?>(nil)
    let inboxReaders = InboxReaders()
    /// Those in this process who handle messages, and finish before the node says goodbye.
    let workers: Workers
    #if ServiceLifecycle
        /// Whether a group of services has told the node to end.
        let isShutDownByGroup = Atomic(false)
    #endif
    let search: SearchKeeper
    let notificationKeeper: NotificationKeeper
    let fileKeeper = FileKeeper()
    let environment: NodeEnvironment
    /// Ends when the node is to stop.
    private let untilStop: AsyncStream<Never>
    private let stopRequest: AsyncStream<Never>.Continuation

    /// Opens a home directory that `Home.create` has made, and takes its lock.
    ///
    /// An expired credential is no error here: history and users can still be read. A running node reports it
    /// (`Event.credentialExpired`), and peers refuse the node until the credential is renewed.
    /// - Parameters:
    ///   - home: the home directory.
    ///   - configuration: the program's choices for the node.
    ///   - passphrase: opens a sealed identity, so that the node can renew its credential, now and for as long as it
    ///     lives. The identity's key stays in wiped memory for that time.
    /// - Throws: `EarshotError`: `notInitialized`, `looseHome`, `unusableHome`, `homeInUse`, `wrongPassphrase`,
    ///   `storeDamaged`, `storeUnavailable`; `invalidAddress` for static peers that cannot be dialled; `invalidLimit`
    ///   for a configuration without room for a subscribed user.
    public static func open(
        _ home: Home, configuration: NodeConfiguration = NodeConfiguration(), passphrase: Passphrase? = nil
    ) async throws(EarshotError) -> Node {
        try await open(home, configuration: configuration, passphrase: passphrase, environment: .host)
    }

    /// Opens a node in another environment.
    package static func open(
        _ home: Home, configuration: NodeConfiguration, passphrase: Passphrase? = nil, environment: NodeEnvironment
    ) async throws(EarshotError) -> Node {
        // A passphrase takes a second to compute, and a database may have to be brought up to date.
        try await LongWork.run { () throws(EarshotError) in
            try Node(home: home, configuration: configuration, passphrase: passphrase, environment: environment)
        }
    }

    /// What `open` does, on the thread of the caller.
    package init(
        home: Home, configuration: NodeConfiguration = NodeConfiguration(), passphrase: Passphrase? = nil,
        environment: NodeEnvironment = .host
    ) throws(EarshotError) {
        try configuration.check()
        try home.check()
        let lock = try HomeLock(home)
        for leftover in home.removeLeftovers() {
            configuration.logger.warning(
                "what an interrupted export or import has left cannot be removed", metadata: ["path": "\(leftover)"])
        }
        let now = environment.clock.now
        let unlocked = try home.unlock(passphrase: passphrase, now: now.wallClock)
        if let failure = unlocked.renewalFailure {
            configuration.logger.warning("the credential was not renewed", metadata: ["error": "\(failure)"])
        }
        let snapshot: Snapshot
        do {
            (store, snapshot) = try Store.open(path: home.databaseFile)
            notificationKeeper = try NotificationKeeper(store: store)
        } catch { throw EarshotError(error) }
        for record in snapshot.scheduled where ScheduledMessage(record) == nil {
            configuration.logger.error(
                "the database is damaged: a message that waits for its time cannot be read, and is not sent",
                metadata: ["scheduled": "\(ScheduledMessageID(record.scheduledID))"])
        }
        for record in snapshot.drafts where Draft(record) == nil {
            configuration.logger.error(
                "the database is damaged: a draft cannot be read, and is not shown",
                metadata: ["draft": "\(DraftID(record.draftID))"])
        }
        let link = LinkConfiguration(
            agreementKey: unlocked.keys.agreement, credential: unlocked.credential,
            networkKey: unlocked.networkKey?.secret, run: UInt64.random(in: 1 ... .max))
        let local = LocalDevice(signingKey: unlocked.keys.signing, link: link)
        let events = EventBus()
        let loop = configuration.eventLoopGroup.next()
        let discoverySources = configuration.discovery.sources(on: configuration.interfaces)
        keeper = CredentialKeeper(home: home, unlocked: unlocked, clock: WallClock(environment.clock))
        search = SearchKeeper(store: store, path: home.searchFile, logger: configuration.logger)
        let fileDisk: FileDisk
        do throws(FilesError) {
            fileDisk = FileDisk(
                try FileStore(home.filesFolder), store: store, of: unlocked.credential.userID, loop: loop)
        } catch {
            throw EarshotError(.unusableHome, error.message, .init(path: home.filesFolder), cause: error)
        }
        shell = NodeShell(
            machine: NodeMachine(
                local: local, snapshot: snapshot, now: now, linkLimit: configuration.linkLimit
            ) { AgreementKey.ephemeral() },
            observations: NodeObservations(
                networkTag: link.networkTag, isDiscovering: !discoverySources.isEmpty),
            lock: lock, events: events, loop: loop,
            storage: NodeStorage(
                disk: environment.disk(store, loop), fileDisk: fileDisk, fileKeeper: fileKeeper, credentials: keeper),
            transport: environment.transport(loop), clock: environment.clock, logger: configuration.logger,
            metrics: configuration.metrics, subscribedUsers: configuration.subscribedUsers)
        self.home = home
        self.configuration = configuration
        self.environment = environment
        (untilStop, stopRequest) = AsyncStream.makeStream()
        workers = Workers(limit: configuration.endingLimit, clock: environment.clock, loop: loop)
        self.events = events
        userID = local.userID
        name = local.name
        deviceID = local.deviceID
        networkTag = unlocked.networkKey?.tag
    }

    /// How many devices discovery sees now that belong to other networks.
    var otherNetworkCount: Int { otherNetworks.withLock(\.count) }

    /// The state of discovery; `nil` before the node runs.
    var discoveryStatus: DiscoveryStatus? { discovery.withLock(\.self)?.status }

    var credentialFacts: CredentialFacts {
        let credential = keeper.credential
        return CredentialFacts(
            notBefore: credential.notBefore, notAfter: credential.notAfter, canRenew: keeper.canRenew,
            isLinked: keeper.isLinked, isInUse: true)
    }

    public var users: Users { Users(node: self) }
    public var devices: Devices { Devices(node: self) }
    public var messages: Messages { Messages(node: self) }
    public var conversations: Conversations { Conversations(node: self) }
    public var inbox: Inbox { Inbox(node: self) }
    public var notifications: Notifications { Notifications(node: self) }
    public var files: Files { Files(node: self) }
    var profiles: ProfileKeeper { ProfileKeeper(node: self) }

    /// Where the node is in its life. Each change posts `Event.nodeStateChanged`.
    public var state: NodeState { shell.state.withLock { $0 } }

    /// Listens, finds peers and talks to them until `stop()` is called or this task is cancelled. Then the bots and the
    /// loops over the inbox in this process finish what they have begun, for at most `NodeConfiguration.endingLimit`; the
    /// node says goodbye to everybody, writes what waits, and `run` returns. A node runs once.
    ///
    /// Everything that the node does happens within this call.
    /// - Throws: `EarshotError` `portInUse` or `networkUnavailable` at the beginning, and the node has stopped;
    ///   `alreadyRunning` if it runs; `stopped` if it has run. If `stop()` was first, nothing is left to run, and it returns.
    public func run() async throws(EarshotError) {
        try await untilGracefulShutdown { () throws(EarshotError) in try await self.runUntilCancelled() }
    }

    private func runUntilCancelled() async throws(EarshotError) {
        guard try await shell.beginRun() else { return await shell.stopOrWait() }
        let port: UInt16
        do { port = try await listen() } catch {
            await shell.failed(error)
            await finishWork()
            await shell.stop()
            throw error
        }
        remember(port: port)
        let discovery = Discovery(
            sources: configuration.discovery.sources(on: configuration.interfaces),
            advertising: Advertisement(
                name: name, userID: userID, deviceID: deviceID, networkTag: networkTag, port: port))
        self.discovery.withLock { $0 = discovery }
        configuration.logger.info("node is up", metadata: ["name": "\(name)", "port": "\(port)"])
        await shell.running(port: port, discovery: discovery)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.run(discovery) }
            group.addTask { for await event in discovery.events { await self.discovered(event) } }
            group.addTask { await self.watchHost() }
            group.addTask { await self.keepCredential() }
            group.addTask { await self.profiles.run() }
            group.addTask { await self.search.run(commits: self.events.contents) }
            group.addTask { await self.notificationKeeper.run(of: self) }
            group.addTask { await self.fileKeeper.run(of: self) }
            group.addTask { await self.overwriteErased() }
            // If one of these ends, the node still runs until it is told to stop.
            for await _ in untilStop {}
            await finishWork()
            group.cancelAll()
        }
        await search.close()
        await shell.stop()
    }

    /// Stops the node. It returns when everything that was accepted is on the disk, every sequence of the node's events
    /// has ended, and its home is free for another node. `run()` returns too.
    ///
    /// Before that nothing more is handed out by the inbox, and whoever handles messages in this process (a `Bot` that
    /// runs, a loop over `Inbox.batches`) finishes what they have begun, for at most `NodeConfiguration.endingLimit`.
    ///
    /// The history can still be read afterwards. You may call `stop` in every state, and more than once. Called by a bot's
    /// handler, it returns at once, and the node stops when the handler has returned; the body of a loop over the inbox
    /// leaves its loop first.
    public func stop() async {
        guard !Handling.holdsUp(workers) else {
            Task.detached { await self.stop() }
            return
        }
        stopRequest.finish()
        await finishWork()
        await shell.stopOrWait()
    }

    /// Nothing more is handed out. Returns when whoever handles messages has finished.
    private func finishWork() async {
        await shell.beginStopping()
        workers.beginEnding()
        // Wakes those who wait for messages.
        events.arrivals.signal()
        await workers.end()
    }

    /// Treats the process as dead, for tests of crashes: calls that are under way fail as `stopped`, and so do all
    /// later ones.
    package func abandon() async {
        await shell.abandon()
        workers.giveUp()
    }

    private func keepCredential() async {
        await keeper.run { credential in
            await shell.renew(credential)
        } post: { event in
            await shell.post(event)
        }
    }

    private func run(_ discovery: Discovery) async {
        do { try await discovery.run() } catch is CancellationError {
        } catch {
            configuration.logger.error("discovery ended", metadata: ["error": "\(error)"])
            await shell.post(.discoveryUnavailable(source: "discovery", reason: "\(error)"))
        }
    }

    private func discovered(_ event: DiscoveryEvent) async {
        let isCopied = await shell.note(event)
        switch event {
        case .found(let device), .updated(let device):
            guard device.protocolVersion == Int(LinkConfiguration.protocolVersion) else {
                await reportVersion(of: device)
                return
            }
            guard device.networkTag == networkTag else {
                await otherNetworkSeen(device)
                return
            }
            otherNetworks.withLock { $0.lost(device.deviceID) }
            await shell.found(device)
        case .lost(let deviceID):
            otherNetworks.withLock { $0.lost(deviceID) }
            await shell.lost(deviceID)
        case .sourceUnavailable(let source, let reason):
            await shell.post(.discoveryUnavailable(source: source, reason: reason))
        case .sourceAvailable(let source): await shell.post(.discoveryAvailable(source: source))
        case .ownDeviceElsewhere(let addresses):
            if isCopied { await shell.post(.deviceCopied(DeviceCopy(addresses: addresses))) }
        case .malformed: break
        }
    }

    /// Counts a device of another network, and no longer dials it if it belonged to this network.
    private func otherNetworkSeen(_ device: DiscoveredDevice) async {
        let news = otherNetworks.withLock { $0.seen(device.deviceID, tag: device.networkTag) }
        if let news { await shell.post(.otherNetworkSeen(news)) }
        await shell.lost(device.deviceID)
    }

    private func reportVersion(of device: DiscoveredDevice) async {
        let message =
            "\(device.name) speaks version \(device.protocolVersion) of the protocol, and this node "
            + "\(LinkConfiguration.protocolVersion): update the older of the two"
        let address = device.addresses.first?.description ?? "unknown"
        await shell.post(
            .linkFailed(
                LinkFailure(
                    address: address, userID: nil, code: ProtocolError.Code.unsupportedVersion.description,
                    message: message)))
    }
}
