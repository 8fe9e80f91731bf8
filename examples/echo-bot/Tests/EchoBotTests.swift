import Earshot
import EarshotTesting
import EchoBot
import Testing

/// Shows how to test a bot: its node is real, and the network, the disk and the clock are in memory.
@Suite("The echo bot", .timeLimit(.minutes(1)))
struct EchoBotTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    @Test("answers what was sent to it")
    func answers() async throws {
        let (alice, robot) = (try await network.node("alice"), try await network.node("robot"))
        let bot = EchoBot(on: robot)
        try await bot.prepare()
        async let echoing: Void = bot.run()

        let answers = alice.events.events(.messageReceived)
        try await alice.messages.send("hello", to: robot.userID)
        #expect(try await answers.first { _ in true }?.text == "you said: hello")

        await network.stop()
        try await echoing
    }

    @Test("answers after a cable was cut for an hour")
    func cutCable() async throws {
        let (alice, robot) = (try await network.node("alice"), try await network.node("robot"))
        let bot = EchoBot(on: robot)
        try await bot.prepare()
        async let echoing: Void = bot.run()

        try network.cut(alice, robot)
        let answers = alice.events.events(.messageReceived)
        try await alice.messages.send("are you there?", to: robot.userID)
        await network.advance(by: .seconds(3600))
        #expect(await alice.users.user(robot.userID)?.isOnline == false)

        try network.mend(alice, robot)
        #expect(try await answers.first { _ in true }?.text == "you said: are you there?")

        await network.stop()
        try await echoing
    }

    @Test("answers what came while it did not run, and nothing twice, when it crashes and is started again")
    func crash() async throws {
        let alice = try await network.node("alice")
        var answers = alice.events.events(.messageReceived).makeAsyncIterator()
        for text in ["one", "two", "three"] {
            let robot = try await network.node("robot")
            let bot = EchoBot(on: robot)
            try await bot.prepare()
            try await alice.messages.send(text, to: robot.userID)
            async let echoing: Void = bot.run()
            #expect(try await answers.next()?.text == "you said: \(text)")
            try await network.crash(robot)
            try await echoing
        }
        await network.stop()
    }
}
