import Earshot
import EarshotTesting
import Testing

@Suite("What a user says of themselves", .timeLimit(.ofHungTest))
struct ProfileTests {
    private let network: TestNetwork
    private let alice: Node
    private let bob: Node

    init() async throws {
        network = try TestNetwork()
        alice = try await network.node("alice")
        bob = try await network.node("bob")
    }

    /// Waits until bob hears that alice says something of herself.
    private func heard(_ updates: EventSequence<(User, changes: Set<UserChange>)>) async throws {
        _ = try await updates.first { $0.changes.contains(.profile) }
    }

    @Test("reaches those they write to, at the first message and when it changes, and nobody else")
    func contacts() async throws {
        let carol = try await network.node("carol")
        let updates = bob.events.events(.userUpdated)
        try await alice.users.updateOwn(Profile(friendlyName: "Alice from next door", picture: [1, 2]))
        #expect(try await bob.users.profile(of: alice.userID) == nil)
        try await alice.messages.send("hello", to: bob.userID)
        try await heard(updates)
        #expect(try await bob.users.profile(of: alice.userID)?.friendlyName == "Alice from next door")
        try await alice.users.updateOwn(Profile(friendlyName: "Alice", attributes: #"{"floor":2}"#))
        try await heard(updates)
        let descriptor = try await bob.users.descriptor(of: alice.userID)
        #expect(descriptor.user.userID == alice.userID)
        #expect(descriptor.profile == Profile(friendlyName: "Alice", attributes: #"{"floor":2}"#))
        #expect(try await alice.users.ownProfile() == descriptor.profile)
        #expect(try await bob.conversations.direct(with: alice.userID).history(limit: 10).map(\.text) == ["hello"])
        #expect(try await carol.users.profile(of: alice.userID) == nil)
    }

    @Test("is told once, also by a node that was started again, and again when it changes then")
    func restart() async throws {
        let updates = bob.events.events(.userUpdated)
        try await alice.users.updateOwn(Profile(friendlyName: "one"))
        try await alice.messages.send("hello", to: bob.userID)
        try await heard(updates)
        try await network.crash(alice)
        let again = try await network.node("alice")
        try await again.messages.send("hello again", to: bob.userID)
        try await again.users.updateOwn(Profile(friendlyName: "two"))
        try await heard(updates)
        #expect(try await bob.users.profile(of: alice.userID)?.friendlyName == "two")
    }

    @Test("is refused if it is over a limit, or if its attributes are no JSON object")
    func limits() async throws {
        let profiles = [
            Profile(friendlyName: String(repeating: "x", count: 257)), Profile(attributes: "[1]"),
            Profile(picture: [UInt8](repeating: 0, count: 32 * 1024 + 1)),
        ]
        for profile in profiles {
            let error = await #expect(throws: EarshotError.self) { try await alice.users.updateOwn(profile) }
            #expect(error?.code == .invalidProfile)
        }
        #expect(try await alice.users.ownProfile() == nil)
    }

    @Test("has the commands of a bot that everybody may use, and keeps what else it says")
    func bot() async throws {
        try await alice.users.updateOwn(Profile(friendlyName: "The robot"))
        let bot = Bot("greeter", on: alice)
            .command("greet", "Greets.", parameters: [.user("whom")]) { _ in }
            .command("stop", "Stops.", for: .verified) { _ in }
        try await bot.prepare()
        let profile = try await alice.users.ownProfile()
        #expect(profile?.friendlyName == "The robot")
        #expect(profile?.bot?.commands.map(\.usage) == ["/greet WHOM", "/help"])
    }
}
