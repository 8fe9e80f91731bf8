import Dispatch
import EarshotCrypto
import EarshotDiscovery
import EarshotProtocol
import EarshotStore
import Logging
import NIOPosix
import Synchronization

/// A user's node on the local network: finds other users, keeps the history with each, and tells what becomes of
/// every message.
///
/// ```swift
/// let node = try Node(home: .standard())
/// try await withThrowingTaskGroup(of: Void.self) { group in
///     group.addTask { try await node.run() }
///     group.addTask {
///         for await bob in node.events.events(.userDiscovered) where bob.name.text == "bob" {
///             try await node.messages.send("hello", to: bob.userID)
///         }
///     }
///     try await group.next()
///     group.cancelAll()
/// }
/// ```
///
/// One node owns a home directory at a time. Messages can be sent and read as soon as the object exists; peers are
/// found and linked while `run()` runs.
public final class Node: Sendable {
    public let home: Home
    public let configuration: NodeConfiguration
    /// Tells what happens, from now on.
    public let events: EventBus
    /// The user that this node speaks for.
    public let userID: UserID
    public let name: UserName
    public let deviceID: DeviceID
    /// Until when the node's credential is valid, in milliseconds since 1970. A node that runs renews it in time where
    /// it can.
    public var credentialExpiry: Int64 { keeper.credential.notAfter }
    /// Tells the node's network from others, without a secret in it; `nil` without a network key.
    public let networkTag: String?

    let shell: NodeShell
    let store: Store
    /// Where programs' reads wait for the disk: a thread of its own, so that they hold up nobody else's.
    let historyQueue = DispatchQueue(label: "earshot.history")
    private let keeper: CredentialKeeper
    private let otherNetworks = Mutex(OtherNetworks())
    /// What looks for others, once the node runs.
    private let discovery = Mutex<Discovery?>(nil)

    /// Opens a home directory that `Home.create` has made, and takes its lock.
    ///
    /// A credential that has expired is no error here: history and users can be read all the same. A node that runs
    /// tells of it (`Event.credentialExpired`), and peers refuse it until it is renewed.
    /// - Parameter passphrase: opens a sealed identity, so that the credential can be renewed: now, and for as long as
    ///   the node lives. The identity's key stays in wiped memory that long.
    /// - Throws: `EarshotError`: `notInitialized`, `looseHome`, `unusableHome`, `homeInUse`, `wrongPassphrase`,
    ///   `storeDamaged`, `storeUnavailable`.
    public init(
        home: Home, configuration: NodeConfiguration = NodeConfiguration(), passphrase: Passphrase? = nil
    ) throws(EarshotError) {
        try home.check()
        let lock = try HomeLock(home)
        for leftover in home.removeLeftovers() {
            configuration.logger.warning(
                "what an interrupted export or import has left cannot be removed", metadata: ["path": "\(leftover)"])
        }
        let unlocked = try home.unlock(passphrase: passphrase)
        if let failure = unlocked.renewalFailure {
            configuration.logger.warning("the credential was not renewed", metadata: ["error": "\(failure)"])
        }
        let snapshot: Snapshot
        do {
            store = try Store(path: home.databaseFile)
            snapshot = try store.snapshot()
        } catch { throw EarshotError(error) }
        let link = LinkConfiguration(
            agreementKey: unlocked.keys.agreement, credential: unlocked.credential,
            networkKey: unlocked.networkKey?.secret, run: UInt64.random(in: 1 ... .max))
        let local = LocalDevice(signingKey: unlocked.keys.signing, link: link)
        let events = EventBus()
        shell = NodeShell(
            machine: NodeMachine(local: local, snapshot: snapshot, now: .now) { AgreementKey.generate() },
            journal: NodeJournal(
                networkTag: link.networkTag, isDiscovering: !configuration.discoverySources.isEmpty),
            store: store, lock: lock, events: events, loop: MultiThreadedEventLoopGroup.singleton.next(),
            logger: configuration.logger, metrics: configuration.metrics)
        self.home = home
        self.configuration = configuration
        self.events = events
        userID = local.userID
        name = local.name
        deviceID = local.deviceID
        keeper = CredentialKeeper(home: home, unlocked: unlocked)
        networkTag = unlocked.networkKey?.tag
    }

    /// How many devices discovery sees now that belong to other networks.
    var otherNetworkCount: Int { otherNetworks.withLock(\.count) }

    /// How discovery stands; `nil` before the node runs.
    var discoveryStatus: DiscoveryStatus? { discovery.withLock(\.self)?.status }

    var credentialFacts: CredentialFacts {
        let credential = keeper.credential
        return CredentialFacts(
            notBefore: credential.notBefore, notAfter: credential.notAfter, canRenew: keeper.canRenew, isInUse: true)
    }

    public var users: Users { Users(node: self) }
    public var messages: Messages { Messages(node: self) }
    public var conversations: Conversations { Conversations(node: self) }

    /// Listens, finds peers and talks to them, until the task is cancelled. Then it says goodbye to everybody, writes
    /// what waits, and returns. It runs once.
    ///
    /// - Parameter onListening: called once, with the port that peers connect to.
    /// - Throws: `EarshotError` `portInUse` or `networkUnavailable`, at the beginning; `stopped` if it has run before.
    public func run(onListening: @Sendable (UInt16) async -> Void = { _ in }) async throws(EarshotError) {
        try await shell.beginRun()
        let port: UInt16
        do { port = try await listen() } catch {
            await finish()
            throw error
        }
        remember(port: port)
        configuration.logger.info("node is up", metadata: ["name": "\(name)", "port": "\(port)"])
        await onListening(port)
        let discovery = Discovery(
            sources: configuration.discoverySources,
            advertising: Advertisement(
                name: name, userID: userID, deviceID: deviceID, networkTag: networkTag, port: port))
        self.discovery.withLock { $0 = discovery }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.run(discovery) }
            group.addTask { for await event in discovery.events { await self.discovered(event) } }
            group.addTask { await self.watchNetwork() }
            group.addTask { await self.keepCredential() }
            group.addTask { await untilCancelled() }
            // Whatever ends, the node runs on until it is told to stop.
            await group.waitForAll()
        }
        await finish()
    }

    private func finish() async {
        await shell.stop()
        events.finish()
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
        await shell.note(event)
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
            await shell.found(device.deviceID, addresses: device.addresses)
        case .lost(let deviceID):
            otherNetworks.withLock { $0.lost(deviceID) }
            await shell.lost(deviceID)
        case .sourceUnavailable(let source, let reason):
            await shell.post(.discoveryUnavailable(source: source, reason: reason))
        case .sourceAvailable(let source): await shell.post(.discoveryAvailable(source: source))
        case .ownDeviceElsewhere, .malformed: break
        }
    }

    /// Counts a device of another network, and no longer dials it if it was of this one.
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
