import EarshotModel
import EarshotStore
import TestSupport
import Testing

@testable import Earshot

@Suite("Users by name")
struct UsersTests {
    private let folder: TemporaryFolder
    private let home: Home

    init() throws {
        folder = try TemporaryFolder()
        home = Home(path: folder.file("home"))
        try home.create(name: "alice")
    }

    @Test("are found by their exact name")
    func exact() async throws {
        let users = try known(["bob", "Bob", "bobby", "Zo\u{EB}"])
        #expect(try await users.named("bob").userID == Self.userID(0))
        #expect(try await users.named("Bob").userID == Self.userID(1))
        #expect(try await users.named("Zoe\u{308}").userID == Self.userID(3))
    }

    @Test("are found by the longest name, however its characters are composed, with a whole key")
    func longestName() async throws {
        let long = String(repeating: "\u{390}", count: 31)
        let spelled = String(repeating: "\u{3B9}\u{308}\u{301}", count: 31)
        let users = try known([long])
        for text in [spelled, "\(spelled)@\(Self.userID(0))"] {
            #expect(try await users.named(text).userID == Self.userID(0))
        }
    }

    @Test("are found by their key, and by their name with the beginning of it")
    func key() async throws {
        let users = try known(["bob"])
        let text = Self.userID(0).description
        for query in [text, "bob@\(text)", "bob@\(text.prefix(4))", "bob@\(text.prefix(4).uppercased())"] {
            #expect(try await users.named(query).userID == Self.userID(0))
        }
        await expect(.unknownUser) { try await users.named("bob@zzzz") }
    }

    @Test("are found by their fingerprint, as it is shown and without its spaces")
    func fingerprint() async throws {
        let users = try known(["bob", "bob", "carol"])
        let shown = Self.userID(1).fingerprint
        let glued = shown.filter { $0 != " " }
        for query in [shown, glued, glued.uppercased(), "bob@\(shown)"] {
            #expect(try await users.named(query).userID == Self.userID(1))
        }
        await expect(.unknownUser) { try await users.named(String(glued.dropLast())) }
        await expect(.unknownUser) { try await users.named("carol@\(shown)") }
    }

    @Test("are not named by a fingerprint alone that somebody has taken as a name")
    func fingerprintAsName() async throws {
        let shown = Self.userID(0).fingerprint
        let users = try known(["bob", shown])
        await expect(.ambiguousUser) { try await users.named(shown) }
    }

    @Test("are not found by less than four characters of their key", arguments: [0, 1, 3])
    func shortPrefix(length: Int) async throws {
        let users = try known(["bob"])
        await expect(.unknownUser) { try await users.named("bob@\(Self.userID(0).description.prefix(length))") }
    }

    @Test("are decided about by the name that was seen: with another one, nothing is done")
    func renamed() async throws {
        let users = try known(["bob"])
        let error = await expect(.nameChanged) {
            try await users.decide(.accept, about: Self.userID(0), named: UserName("carol"))
        }
        #expect(error?.message.contains("calls itself bob now") == true)
        #expect(await users.user(Self.userID(0))?.isPinned == false)
        #expect(try await users.decide(.accept, about: Self.userID(0), named: UserName("bob")).isPinned)
    }

    @Test("are found by a name with an at sign in it, alone and with the beginning of the key")
    func atSign() async throws {
        let users = try known(["bob@example.org"])
        #expect(try await users.named("bob@example.org").userID == Self.userID(0))
        let prefix = Self.userID(0).description.prefix(6)
        #expect(try await users.named("bob@example.org@\(prefix)").userID == Self.userID(0))
    }

    @Test("that are unknown are refused with names that are near")
    func near() async throws {
        let users = try known(["bob", "carol", "carl"])
        #expect(await expect(.unknownUser) { try await users.named("Bbo") }?.parameters.suggestions == ["bob"])
        let near = await expect(.unknownUser) { try await users.named("caro") }?.parameters.suggestions
        #expect(near.map(Set.init) == ["carol", "carl"])
        let far = await expect(.unknownUser) { try await users.named("nobody-like-that") }
        #expect(far?.parameters == .init(name: "nobody-like-that"))
    }

    @Test("that are unknown by a long text are refused at once, without all of it", .timeLimit(.minutes(1)))
    func longText() async throws {
        let names = (0..<200).map { "\($0)" + String(repeating: "b", count: 60) }
        for text in [String(repeating: "b", count: 400_000), "b" + String(repeating: "\u{301}", count: 200_000)] {
            let error = await expect(.unknownUser) { try await known(names).named(text) }
            #expect(error?.message.contains("…") == true)
            #expect(error.map { "\($0)".utf8.count < 1000 } == true)
        }
    }

    @Test("are others than this node's own, about whom nobody decides")
    func ownName() async throws {
        let users = try known(["bob"])
        let error = await expect(.unknownUser) { try await users.other(named: "alice") }
        #expect(error?.message.contains("own name") == true)
        #expect(await users.all.map(\.name.text) == ["bob"])
    }

    @Test("that are several are refused with what tells them apart, and that finds each")
    func ambiguous() async throws {
        let users = try known(["bob", "bob"])
        let error = await expect(.ambiguousUser) { try await users.named("bob") }
        for index in 0..<2 {
            let choice = "bob@\(Self.userID(index).description.prefix(8))"
            #expect(error?.parameters.suggestions.contains(choice) == true)
            #expect(try await users.named(choice).userID == Self.userID(index))
        }
    }

    @Test("cannot take messages meant for another by a name that looks like a name with a key")
    func imitation() async throws {
        let imitated = "bob@\(Self.userID(0).description.prefix(8))"
        let users = try known(["bob", imitated])
        let error = await expect(.ambiguousUser) { try await users.named(imitated) }
        for index in 0..<2 {
            #expect(error?.parameters.candidates.contains(Self.userID(index)) == true)
            #expect(try await users.named(Self.userID(index).description).userID == Self.userID(index))
        }
    }

    @Test("are listed by name")
    func all() async throws {
        #expect(await (try known(["carol", "bob", "alicia"])).all.map(\.name.text) == ["alicia", "bob", "carol"])
    }

    @Test(
        "are near by how many characters differ",
        arguments: [("", "", 0), ("bob", "bob", 0), ("bob", "bo", 1), ("bob", "rob", 1), ("kitten", "sitting", 3)])
    func distance(a: String, b: String, distance: Int) {
        #expect(EditDistance.between(a, b) == distance)
        #expect(EditDistance.between(b, a) == distance)
    }

    private static func userID(_ index: Int) -> UserID {
        guard let userID = UserID(bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: 17 * (index + 1)), count: 32))
        else {
            preconditionFailure("thirty-two bytes are a key")
        }
        return userID
    }

    /// A node that knows users of these names.
    private func known(_ names: [String]) throws -> Users {
        var commit = Commit()
        commit.users = try names.enumerated().map { index, name in
            UserRecord(
                userID: Self.userID(index), name: try UserName(name), trust: .unverified, isPinned: false,
                firstSeen: 1, lastSeen: 2)
        }
        let store = try Store(path: home.databaseFile)
        try store.commit(commit)
        try store.close()
        return try Node(home: home, configuration: NodeConfiguration(discovery: .off, logger: .quiet)).users
    }
}
