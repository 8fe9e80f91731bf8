import EarshotModel
import EarshotStore
import TestSupport
import Testing

@testable import Earshot

@Suite("Subscribed users")
struct SubscriptionsTests {
    private let folder: TemporaryFolder
    private let home: Home
    private let userIDs: [UserID]

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
        try home.create(name: "alice")
        userIDs = try (1...4).map { try #require(UserID(bytes: [UInt8](repeating: $0, count: Bytes32.count))) }
    }

    /// A node that knows four users, and keeps two subscribed.
    private func node() throws -> Node {
        var commit = Commit()
        commit.users = try userIDs.enumerated().map { index, userID in
            UserRecord(
                userID: userID, name: try UserName("user\(index)"), trust: .unverified, isPinned: true, firstSeen: 0,
                lastSeen: 0)
        }
        let store = try Store(path: home.databaseFile)
        try store.commit(commit)
        try store.close()
        var configuration = NodeConfiguration(discovery: .off, logger: .quiet)
        configuration.subscribedUsers = 2
        return try Node(home: home, configuration: configuration)
    }

    @Test("are one object for as long as they are subscribed, and another one after that")
    func identity() async throws {
        let node = try node()
        let first = try await node.users.subscribe(to: userIDs[0])
        #expect(try await node.users.subscribe(to: userIDs[0]) === first)
        #expect(first.isSubscribed && first.name?.text == "user0" && first.trust == .unverified)
        await first.unsubscribe()
        #expect(!first.isSubscribed && first.user == nil && first.name == nil && !first.isOnline)
        #expect(try await node.users.subscribe(to: userIDs[0]) !== first)
        #expect(!first.isSubscribed)
    }

    @Test("are limited in number: the one that was subscribed to least recently is let go, and that is told")
    func limit() async throws {
        let node = try node()
        let events = node.events.events(.named([.userSubscribed, .userUnsubscribed]))
        let users = node.users
        let first = try await users.subscribe(to: userIDs[0])
        let second = try await users.subscribe(to: userIDs[1])
        _ = try await users.subscribe(to: userIDs[0])
        _ = try await users.subscribe(to: userIDs[2])
        #expect(first.isSubscribed && !second.isSubscribed)
        #expect(await users.subscribed.map(\.userID) == [userIDs[0], userIDs[2]])
        await second.unsubscribe()
        await node.stop()
        #expect(!first.isSubscribed)
        var told: [Event] = []
        for try await event in events { told.append(event) }
        #expect(
            told == [
                .userSubscribed(userIDs[0]), .userSubscribed(userIDs[1]), .userSubscribed(userIDs[2]),
                .userUnsubscribed(userIDs[1]), .userUnsubscribed(userIDs[0]), .userUnsubscribed(userIDs[2]),
            ])
    }

    @Test("show what is decided about them at once")
    func current() async throws {
        let node = try node()
        let user = try await node.users.subscribe(to: userIDs[0])
        try await node.users.decide(.verify, about: userIDs[0])
        #expect(user.trust == .verified)
        try await node.users.decide(.block, about: userIDs[0])
        #expect(user.trust == .blocked)
    }

    @Test("need room for one at least")
    func noRoom() async throws {
        var configuration = NodeConfiguration(discovery: .off, logger: .quiet)
        configuration.subscribedUsers = 0
        await expect(.invalidLimit) { try await Node.open(home, configuration: configuration) }
    }

    @Test("are known users of a node that has not stopped")
    func refused() async throws {
        let node = try node()
        await expect(.unknownUser) { try await node.users.subscribe(to: node.userID) }
        await node.stop()
        await expect(.stopped) { try await node.users.subscribe(to: userIDs[0]) }
    }
}
