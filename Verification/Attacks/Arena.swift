import Earshot
import EarshotCrypto
import EarshotDiscovery
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation
import TestSupport

/// Everything that a node posts.
actor Recorder {
    private let recorded = Watched<[Event]>([])
    private var token: EventObserverToken?

    var events: [Event] { recorded.value }

    func observe(_ bus: EventBus) {
        token = bus.addObserver(bufferLimit: 200_000) { [recorded] event in recorded.update { $0.append(event) } }
    }

    /// The first event of the wanted kind; waits some seconds for it.
    func first<T: Sendable>(
        within limit: Duration = .seconds(10), _ find: @escaping @Sendable (Event) -> T?
    ) async -> T? {
        do {
            return try await recorded.wait(for: "an event", within: limit) { $0.lazy.compactMap(find).first }
        } catch { return nil }
    }

    /// Waits until a condition holds about which the node posts an event.
    func until(
        _ what: String, within limit: Duration = patience, _ condition: @escaping @Sendable () async -> Bool
    ) async throws {
        try await recorded.wait(for: what, within: limit) { _ in await condition() ? true : nil }
    }

    /// What the node reported about a connection from an address.
    func failure(from source: String, within limit: Duration = .seconds(10)) async -> LinkFailure? {
        await first(within: limit) { event in
            guard case .linkFailed(let failure) = event, failure.address.hasPrefix(source + ":"),
                failure.code != "overloaded"
            else { return nil }
            return failure
        }
    }

    func receivedTexts(from sender: UserID) -> [String] {
        events.compactMap { event in
            guard case .messageReceived(let message) = event, message.senderID == sender else { return nil }
            return message.text
        }
    }
}

/// A node that runs on loopback, and everything that it posts.
final class RunningNode: Sendable {
    let node: Node
    let port: UInt16
    let events: Recorder
    private let running: Task<Void, any Error>

    private init(node: Node, port: UInt16, events: Recorder, running: Task<Void, any Error>) {
        self.node = node
        self.port = port
        self.events = events
        self.running = running
    }

    static func start(
        _ home: Home, peers: [UInt16] = [], sources: [any DiscoverySource] = []
    ) async throws -> RunningNode {
        let configuration = NodeConfiguration(
            staticPeers: peers.map { PeerAddress(host: "127.0.0.1", port: $0) }, discovery: .sources(sources),
            logger: .quiet)
        let node = try await Node.open(home, configuration: configuration)
        let events = Recorder()
        await events.observe(node.events)
        let states = node.events.events(.nodeStateChanged)
        let running = Task { try await node.run() }
        guard let port = try await states.compactMap(\.port).first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        return RunningNode(node: node, port: port, events: events, running: running)
    }

    func stop() async throws {
        running.cancel()
        try await running.value
    }

    func isLinked(to userID: UserID) async -> Bool { await node.users.user(userID)?.isOnline == true }

    func waitForLink(to userID: UserID) async throws {
        try await events.until("a link") { await self.isLinked(to: userID) }
    }
}

/// Where the attacks take place: two honest users who talk, one of whom is attacked, and a node of a network with a key.
final class Arena: Sendable {
    let folder: TemporaryFolder
    let alice: RunningNode
    let bob: RunningNode
    /// A node of a network with a key.
    let carol: RunningNode
    let networkKey: SecretBytes
    let advertiser: Advertiser
    private let conversation = Counter()

    static func open() async throws -> Arena {
        let folder = try TemporaryFolder()
        let advertiser = Advertiser()
        let alice = try await RunningNode.start(home("alice", in: folder), sources: [advertiser])
        let bob = try await RunningNode.start(home("bob", in: folder), peers: [alice.port])
        let carolsHome = try home("carol", in: folder)
        let key = [UInt8](repeating: 7, count: 32)
        try write(key, to: carolsHome)
        let carol = try await RunningNode.start(carolsHome)
        let arena = Arena(
            folder: folder, alice: alice, bob: bob, carol: carol, networkKey: SecretBytes(copying: key),
            advertiser: advertiser)
        try await alice.waitForLink(to: bob.node.userID)
        try await bob.waitForLink(to: alice.node.userID)
        try await arena.checkHonestPair()
        return arena
    }

    private init(
        folder: TemporaryFolder, alice: RunningNode, bob: RunningNode, carol: RunningNode, networkKey: SecretBytes,
        advertiser: Advertiser
    ) {
        self.folder = folder
        self.alice = alice
        self.bob = bob
        self.carol = carol
        self.networkKey = networkKey
        self.advertiser = advertiser
    }

    static func home(_ name: String, in folder: TemporaryFolder) throws -> Home {
        let home = Home(path: folder.file(name))
        try home.create(name: name)
        return home
    }

    /// Puts a home into a network.
    static func write(_ networkKey: [UInt8], to home: Home) throws {
        let content = Data("earshot network 1\n".utf8) + networkKey
        guard
            FileManager.default.createFile(
                atPath: home.path + "/network.key", contents: content, attributes: [.posixPermissions: 0o600])
        else { throw HostileSocket.Failure(description: "the network key cannot be written") }
    }

    /// The log that Alice's node would write to an attacker first.
    func alicesLog(to mallory: Mallory) -> LogDescription {
        LogDescription(
            conversationID: .direct(alice.node.userID, mallory.userID), deviceID: alice.node.deviceID, epoch: 1)
    }

    /// A log of the two honest users' conversation.
    var alicesLogToBob: LogDescription {
        LogDescription(
            conversationID: .direct(alice.node.userID, bob.node.userID), deviceID: alice.node.deviceID, epoch: 1)
    }

    /// The two honest users write to each other, and both have everything that was ever said, once and in order.
    /// - Throws: what went wrong.
    func checkHonestPair() async throws {
        let number = await conversation.next()
        try await say("to bob \(number)", from: alice, to: bob)
        try await say("to alice \(number)", from: bob, to: alice)
        let expected = (1...number).flatMap { ["to bob \($0)", "to alice \($0)"] }
        for (one, other) in [(alice, bob), (bob, alice)] {
            var texts: [String] = []
            var page = try await one.node.conversations.direct(with: other.node.userID).history(.latest, limit: 1000)
            while let first = page.first {
                texts = page.map(\.text) + texts
                page = try await one.node.conversations.direct(with: other.node.userID)
                    .history(.before(first.messageID), limit: 1000)
            }
            guard texts.sorted() == expected.sorted() else {
                throw HostileSocket.Failure(description: "the history of \(one.node.name) has changed")
            }
        }
    }

    private func say(_ text: String, from: RunningNode, to: RunningNode) async throws {
        let message = try await from.node.messages.send(text, to: to.node.userID)
        let delivered = await from.events.first(within: .seconds(15)) { event -> Bool? in
            guard case .messageDelivered(let change) = event else { return nil }
            return change.messageID == message.messageID ? true : nil
        }
        guard delivered == true else {
            throw HostileSocket.Failure(description: "\(from.node.name)'s message was not delivered")
        }
    }

    func close() async throws {
        for node in [bob, alice, carol] { try await node.stop() }
    }
}

actor Counter {
    private var count = 0
    func next() -> Int {
        count += 1
        return count
    }
}
