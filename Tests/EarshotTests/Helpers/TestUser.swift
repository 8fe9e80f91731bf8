import Earshot
import EarshotDiscovery
import Synchronization
import TestSupport

/// A user with a home, whose node starts and stops as a test wants it.
final class TestUser: Sendable {
    let home: Home
    let userID: UserID
    private let folder: TemporaryFolder
    private let live = Mutex<LiveNode?>(nil)

    init(_ name: String) throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
        userID = try home.create(name: name)
    }

    /// Somebody whose home is a restored backup.
    init(restored home: Home, userID: UserID, in folder: TemporaryFolder) {
        self.folder = folder
        self.home = home
        self.userID = userID
    }

    /// - Parameter port: where it is to listen; where the system chooses unless given.
    func start(
        port: UInt16 = 0, peers: [PeerAddress] = [], sources: [any DiscoverySource] = [], log: LogWatch? = nil
    ) async throws {
        let started = try await LiveNode.start(home, port: port, peers: peers, sources: sources, log: log)
        live.withLock { $0 = started }
    }

    /// Stops the node, and lets go of it and of its home.
    /// - Returns: the port that it listened on.
    @discardableResult
    func stop() async throws -> UInt16 {
        let stopped = running
        try await stopped.stop()
        live.withLock { $0 = nil }
        return stopped.port
    }

    private var running: LiveNode {
        guard let running = live.withLock({ $0 }) else { preconditionFailure("a test starts a node before it uses it") }
        return running
    }

    var node: Node { running.node }
    var events: EventRecorder { running.events }
    var address: PeerAddress { running.address }

    func conversation(with other: TestUser) -> Conversation { node.conversations.direct(with: other.userID) }

    func send(_ text: String, to other: TestUser) async throws -> Message {
        try await node.messages.send(text, to: other.userID)
    }

    /// Waits until this node has a link to another user.
    func waitForLink(to other: TestUser) async throws {
        let (node, userID) = (node, other.userID)
        try await events.until("a link to \(userID)") { await node.users.user(userID)?.isOnline == true }
    }

    /// Waits until this node has seen that another user is gone.
    func waitForNoLink(to other: TestUser) async throws {
        let (node, userID) = (node, other.userID)
        try await events.until("no link to \(userID)") { await node.users.user(userID)?.isOnline == false }
    }

    /// Starts both, the first dialling the second, and waits until they know each other.
    static func meet(_ first: TestUser, _ second: TestUser) async throws {
        try await second.start(port: LoopbackPort.next())
        try await first.start(peers: [second.address])
        try await first.waitForLink(to: second)
        try await second.waitForLink(to: first)
    }
}
