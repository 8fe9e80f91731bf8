import Earshot
import EarshotTesting
import Testing

@Suite("At the end of a node or of a bot", .timeLimit(.ofHungTest))
struct EndingTests {
    private let network: TestNetwork
    private let alice: Node
    private let robot: Node

    init() async throws {
        network = try TestNetwork()
        alice = try await network.node("alice")
        robot = try await network.node("robot")
    }

    /// A bot whose handlers begin, and answer when they may.
    private struct SlowBot: Sendable {
        let bot: Bot
        /// The texts of messages whose handlers have begun.
        let begun: AsyncStream<String>
        let mayAnswer: AsyncStream<Void>.Continuation

        init(on node: Node) {
            let (begun, begin) = AsyncStream.makeStream(of: String.self)
            let (answers, mayAnswer) = AsyncStream.makeStream(of: Void.self)
            self.begun = begun
            self.mayAnswer = mayAnswer
            bot = Bot("slow", on: node).otherwise { message in
                begin.yield(message.text)
                for await _ in answers { break }
                try Task.checkCancellation()
                try await message.reply("re: \(message.text)")
            }
        }
    }

    @Test(
        "a handler that runs finishes, and its answer is committed before the node says goodbye",
        arguments: [true, false])
    func stoppedNode(byCancelling: Bool) async throws {
        let slow = SlowBot(on: robot)
        try await slow.bot.prepare()
        let received = alice.events.events(.messageReceived)
        let running = Task { try await slow.bot.run() }
        try await alice.messages.send("one", to: robot.userID)
        #expect(await slow.begun.first { _ in true } == "one")
        let states = robot.events.events(.nodeStateChanged)
        async let stopped: Void = robot.stop()
        #expect(try await states.first { _ in true } == .stopping)
        if byCancelling { running.cancel() }
        slow.mayAnswer.yield()
        await stopped
        try await running.value
        let robot = try await network.node("robot")
        #expect(try await robot.inbox.consumers().map(\.lag) == [0])
        #expect(try await received.first { _ in true }?.text == "re: one")
    }

    @Test("no handler begins any more, and what was not begun is handed out to the next")
    func nothingBegins() async throws {
        let slow = SlowBot(on: robot)
        try await slow.bot.prepare()
        var received = alice.events.events(.messageReceived).makeAsyncIterator()
        for text in ["one", "two"] { try await alice.messages.send(text, to: robot.userID) }
        let running = Task { try await slow.bot.run() }
        var begun = slow.begun.makeAsyncIterator()
        #expect(await begun.next() == "one")
        running.cancel()
        slow.mayAnswer.yield()
        try await running.value
        #expect(try await received.next()?.text == "re: one")
        let again = Task { try await slow.bot.run() }
        #expect(await begun.next() == "two")
        slow.mayAnswer.yield()
        again.cancel()
        try await again.value
        #expect(try await received.next()?.text == "re: two")
    }

    @Test("what was answered is committed, though a message before it was not begun: that one is begun, too")
    func answeredOutOfOrder() async throws {
        let carol = try await network.node("carol")
        let (begun, begin) = AsyncStream.makeStream(of: String.self)
        let (first, mayAnswerFirst) = AsyncStream.makeStream(of: Never.self)
        let handled = Calls()
        let bot = Bot("slow", on: robot).otherwise { message in
            await handled.add(message.text)
            begin.yield(message.text)
            if message.text == "a1" { for await _ in first {} }
            try await message.reply("re: \(message.text)")
        }
        try await bot.prepare()
        let arrived = robot.events.events(.messageReceived)
        for text in ["a1", "a2"] { try await alice.messages.send(text, to: robot.userID) }
        _ = try await arrived.first { $0.text == "a2" }
        try await carol.messages.send("c1", to: robot.userID)
        _ = try await arrived.first { $0.text == "c1" }
        let running = Task { try await bot.run() }
        var texts: Set<String> = []
        for await text in begun where texts.insert(text).inserted && texts == ["a1", "c1"] { break }
        running.cancel()
        mayAnswerFirst.finish()
        try await running.value
        #expect(await handled.texts.sorted() == ["a1", "a2", "c1"])
        #expect(try await robot.inbox.consumers().map(\.lag) == [0])
    }

    private actor Calls {
        private(set) var texts: [String] = []

        func add(_ text: String) { texts.append(text) }
    }

    @Test("a handler that takes longer than it may is cancelled, which is no failure of its message")
    func cancelledHandlers() async throws {
        for _ in 0..<2 * Inbox.defaultAttempts {
            let slow = SlowBot(on: robot)
            try await slow.bot.prepare()
            if try await robot.inbox.consumers().first?.lag == 0 {
                try await alice.messages.send("one", to: robot.userID)
            }
            let running = Task { try await slow.bot.run() }
            #expect(await slow.begun.first { _ in true } == "one")
            running.cancel()
            // Longer than a hand-out may take before it counts as one in vain.
            await network.advance(by: robot.configuration.endingLimit + .seconds(60))
            try await running.value
        }
        let consumer = try #require(try await robot.inbox.consumers().first)
        #expect(consumer.setAsideCount == 0 && consumer.fruitless == 0 && consumer.lag == 1)
    }

    @Test("a handler that does not heed its cancellation holds up neither the bot nor the node for longer than it may")
    func deafHandler() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (never, end) = AsyncStream.makeStream(of: Never.self)
        let bot = Bot("deaf", on: robot).otherwise { _ in
            begin.yield()
            await Task { for await _ in never {} }.value
        }
        try await bot.prepare()
        let running = Task { try await bot.run() }
        try await alice.messages.send("one", to: robot.userID)
        #expect(await begun.first { _ in true } != nil)
        let states = robot.events.events(.nodeStateChanged)
        async let stopped: Void = robot.stop()
        #expect(try await states.first { _ in true } == .stopping)
        let advancing = Task { [network] in
            while !Task.isCancelled { await network.advance(by: .seconds(1)) }
        }
        try await running.value
        await stopped
        advancing.cancel()
        await advancing.value
        end.finish()
    }

    @Test("a handler may stop its node: what it answers is committed")
    func stoppingHandler() async throws {
        let bot = Bot("off", on: robot).otherwise { [robot] message in
            await robot.stop()
            try await message.reply("good night")
        }
        try await bot.prepare()
        let received = alice.events.events(.messageReceived)
        async let running: Void = bot.run()
        try await alice.messages.send("off", to: robot.userID)
        try await running
        await self.robot.stop()
        let robot = try await network.node("robot")
        #expect(try await robot.inbox.consumers().map(\.lag) == [0])
        #expect(try await received.first { _ in true }?.text == "good night")
    }

    @Test("a loop over the inbox acknowledges what it was handed, and ends with its node")
    func loop() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (answers, mayAnswer) = AsyncStream.makeStream(of: Void.self)
        for consumer in ["loop", "other"] { try await robot.inbox.makeConsumer(consumer, from: .beginning) }
        let looping = Task { [robot] in
            for try await batch in robot.inbox.batches(consumer: "loop") {
                begin.yield()
                for await _ in answers { break }
                try await robot.inbox.acknowledge(consumer: "loop", through: batch.cursor)
            }
        }
        try await alice.messages.send("one", to: robot.userID)
        #expect(await begun.first { _ in true } != nil)
        let states = robot.events.events(.nodeStateChanged)
        async let stopped: Void = robot.stop()
        #expect(try await states.first { _ in true } == .stopping)
        mayAnswer.yield()
        await stopped
        try await looping.value
        let robot = try await network.node("robot")
        let lags = try await robot.inbox.consumers().map { "\($0.name) \($0.lag)" }
        #expect(lags == ["loop 0", "other 1"])
    }

    @Test("a loop over the inbox ends with its task, while the node runs")
    func cancelledLoop() async throws {
        let looping = Task { [robot] in for try await _ in robot.inbox.batches(consumer: "loop") {} }
        looping.cancel()
        try await looping.value
        await robot.stop()
    }

    @Test("a node that runs says so to whoever runs it again, and one that has stopped says that")
    func runTwice() async throws {
        let again = await #expect(throws: EarshotError.self) { try await robot.run() }
        #expect(again?.code == .alreadyRunning)
        await robot.stop()
        let late = await #expect(throws: EarshotError.self) { try await robot.run() }
        #expect(late?.code == .stopped)
    }
}
