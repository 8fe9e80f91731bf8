import Earshot
import TestSupport
import Testing

@Suite("A node that admits only some users")
struct AdmissionTests {
    private let bot: TestUser
    private let alice: TestUser
    private let mallory: TestUser

    init() throws {
        bot = try TestUser("bot")
        alice = try TestUser("alice")
        mallory = try TestUser("mallory")
    }

    @Test("refuses the others in the handshake, with a reason, and remembers nothing of them")
    func refusal() async throws {
        try await bot.start()
        await bot.node.users.admit(.only([alice.userID]))
        try await alice.start(peers: [bot.address])
        try await alice.waitForLink(to: bot)
        try await mallory.start(peers: [bot.address])

        let told = try await mallory.events.first("Mallory is told") { $0.linkFailure }
        #expect(told.closeReason == "notAdmitted")
        let noted = try await bot.events.first("the bot tells, too") { $0.linkFailure }
        #expect(noted.closeReason == "notAdmitted")
        #expect(noted.message.hasPrefix("mallory (\(mallory.userID.fingerprint)) "))
        #expect(await bot.node.users.all.map(\.userID) == [alice.userID])

        let message = try await alice.send("hello", to: bot)
        try await alice.events.state(.delivered, of: message.messageID)
    }

    @Test("goes by keys: somebody else of an admitted name is refused")
    func keys() async throws {
        let impostor = try TestUser("alice")
        try await bot.start()
        await bot.node.users.admit(.only([alice.userID]))
        try await impostor.start(peers: [bot.address])
        #expect(try await impostor.events.first("told") { $0.linkFailure }.closeReason == "notAdmitted")
    }

    @Test("ends the link of one who is not admitted any more, sends them nothing, and may take them back")
    func change() async throws {
        try await TestUser.meet(alice, bot)
        await bot.node.users.admit(.only([mallory.userID]))
        #expect(
            try await alice.events.first("Alice is told") { $0.linkFailure }.closeReason == "notAdmitted")
        try await bot.waitForNoLink(to: alice)
        await expect(.notAdmitted) { try await bot.send("hello", to: alice) }

        await bot.node.users.admit(.everybody)
        let message = try await bot.send("hello", to: alice)
        try await bot.events.state(.delivered, of: message.messageID)
    }
}
