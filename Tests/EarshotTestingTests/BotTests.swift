import Earshot
import EarshotTesting
import Foundation
import Synchronization
import Testing

@Suite("A bot", .timeLimit(.ofHungTest))
struct BotTests {
    private let network: TestNetwork
    private let alice: Node
    private let robot: Node

    init() async throws {
        network = try TestNetwork()
        alice = try await network.node("alice")
        robot = try await network.node("robot")
    }

    private struct Failing: Error {}

    /// What alice gets from somebody, in the order of arrival.
    private func received(from sender: Node) async throws -> [Message] {
        try await alice.conversations.direct(with: sender.userID).history(order: .arrival, limit: Limits.historyPage)
            .filter { $0.senderID == sender.userID }
    }

    /// Turns the clock, again and again, while the body runs.
    private func turning<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result
    {
        let network = network
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                while !Task.isCancelled { await network.advance(by: .seconds(1)) }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    @Test("runs the command that somebody calls, answers /help, and marks its answers as a program's")
    func commands() async throws {
        let bot = Bot("greeter", on: robot)
            .command("greet", "Greets.", parameters: [.user("whom"), .integer("times"), .text("how")]) { call in
                for _ in 0..<(try call.integer("times")) {
                    try await call.reply("\(call["how"]) \(call.user("whom").name), \(call["times"]) times")
                }
            }
            .otherwise { try await $0.reply("what?") }
        try await bot.prepare()
        async let running: Void = bot.run()
        let answers = alice.events.events(.messageReceived)
        for text in ["/greet alice 2 good morning", "/greet bob 1 hello", "/help", "hello"] {
            try await alice.messages.send(text, to: robot.userID)
        }
        #expect(try await answers.first { $0.text == "what?" } != nil)
        let texts = try await received(from: robot)
        #expect(
            texts.map(\.text) == [
                "good morning alice, 2 times", "good morning alice, 2 times",
                "WHOM: nobody called \"bob\" is known.\nUsage: /greet WHOM TIMES HOW", "/greet WHOM TIMES HOW: Greets.",
                "what?",
            ])
        #expect(texts.allSatisfy { $0.headers == ["auto-submitted": "auto-replied"] })
        await network.stop()
        try await running
    }

    @Test("plays: its answer is the next message of the session, with a layout")
    func session() async throws {
        let bot = Bot("player", on: robot).otherwise { message in
            guard let session = message.message.session else { return }
            var draft = MessageDraft("e5")
            draft.layout = MessageLayout(caption: "move 2")
            try await message.reply(draft, as: SessionStep(session.id, summary: "e5"))
        }
        try await bot.prepare()
        async let running: Void = bot.run()
        let answers = alice.events.events(.messageReceived)
        let id = SessionID.random()
        try await alice.messages.send(MessageDraft("e4"), in: id, summary: "e4", to: robot.userID)
        #expect(try await answers.first { $0.text == "e5" } != nil)
        let history = try await alice.conversations.direct(with: robot.userID).history()
        #expect(history.map { $0.session?.isSuperseded } == [true, false])
        #expect(history.last?.session?.counter == 2 && history.last?.layout?.caption == "move 2")
        await network.stop()
        try await running
    }

    @Test("is turned to by its name, and by an answer to a message of its own, which is the one that was chosen")
    func activation() async throws {
        let bot = Bot("quotes", on: robot)
            .activated(by: "quote", "Shows the quote of the day.") { activation in
                let chosen = activation.selectedMessage?.text ?? "nothing"
                try await activation.message.reply("chosen: \(chosen)")
            }
            .otherwise { try await $0.reply("otherwise") }
        try await bot.prepare()
        async let running: Void = bot.run()
        var answers = alice.events.events(.messageReceived).makeAsyncIterator()
        try await alice.messages.send("/quote", to: robot.userID)
        let first = try #require(try await answers.next())
        #expect(first.text == "chosen: nothing")
        try await alice.messages.reply("this one", to: first.messageID)
        #expect(try await answers.next()?.text == "chosen: chosen: nothing")
        try await alice.messages.reply("/quote", to: first.messageID)
        #expect(try await answers.next()?.text == "chosen: chosen: nothing")
        let own = try await alice.messages.send("hello", to: robot.userID)
        #expect(try await answers.next()?.text == "otherwise")
        // A message of somebody else is none that a bot could be asked about.
        try await alice.messages.reply("again", to: own.messageID)
        #expect(try await answers.next()?.text == "otherwise")
        try await alice.messages.reply("/help", to: first.messageID)
        #expect(try await answers.next()?.text == "/quote: Shows the quote of the day.")
        #expect(try await robot.users.ownProfile()?.bot?.commands.map(\.name) == ["quote", "help"])
        await network.stop()
        try await running
    }

    @Test("types while it works on an answer, for as long as that takes, and no longer when it has answered")
    func typing() async throws {
        let (hurry, mayAnswer) = AsyncStream<Void>.makeStream()
        let bot = Bot("thinker", on: robot).otherwise { message in
            let answer = try await message.typing {
                for await _ in hurry { break }
                return "42"
            }
            try await message.reply(answer)
        }
        try await bot.prepare()
        async let running: Void = bot.run()
        let events = alice.events.events(.named([.typingStarted, .typingEnded, .messageReceived]))
        try await alice.messages.send("what?", to: robot.userID)
        var names: [EventName] = []
        for try await event in events {
            names.append(event.name)
            if event.name == .typingStarted {
                // Longer than one word of it lasts.
                for _ in 0..<30 { await network.advance(by: .seconds(1)) }
                mayAnswer.finish()
            }
            if event.name == .typingEnded { break }
        }
        #expect(names == [.typingStarted, .messageReceived, .typingEnded])
        await network.stop()
        try await running
    }

    @Test("shows how far it has come in one answer, takes one back, and reacts, once each however often it runs")
    func progress() async throws {
        let attempts = Mutex(0)
        let bot = Bot("worker", on: robot).otherwise { message in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            try await message.react("👀")
            let progress = try await message.show("attempt \(attempt)")
            let note = try await message.show("a note")
            if attempt == 1 { throw Failing() }
            try await progress.edit("done")
            try await note.retract()
            try await message.reply("see above", isReply: true)
        }
        try await bot.prepare()
        async let running: Void = bot.run()
        let sent = try await alice.messages.send("work", to: robot.userID)
        let received = alice.events.events(.messageReceived)
        let last = try await turning { try await received.first { $0.text == "see above" } }
        #expect(last?.replyTo == sent.messageID)
        let answers = try await self.received(from: robot)
        #expect(answers.map(\.text) == ["done", "", "see above"])
        #expect(answers.map(\.isRetracted) == [false, true, false])
        #expect(answers.prefix(1).allSatisfy { $0.isEdited && $0.headers[Inbox.automaticHeader] == "auto-replied" })
        let question = try await alice.messages.message(sent.messageID)
        #expect(question.reactions.map(\.emoji) == ["👀"])
        #expect(question.states[robot.userID] == .handled)
        await robot.stop()
        try await running
    }

    @Test("goes on with what comes next when somebody has moved it past the message that it handles")
    func moved() async throws {
        let (moves, isMoved) = AsyncStream<Void>.makeStream()
        let bot = Bot("busy", on: robot).otherwise { [robot] message in
            if message.text == "skip" { try await robot.inbox.moveConsumer("busy", to: .now) }
            try await message.reply("\(message.text)!")
            isMoved.yield()
        }
        try await bot.prepare()
        async let running: Void = bot.run()
        let answers = alice.events.events(.messageReceived)
        try await alice.messages.send("skip", to: robot.userID)
        for await _ in moves { break }
        try await alice.messages.send("next", to: robot.userID)
        #expect(try await answers.first { _ in true }?.text == "next!")
        await network.stop()
        try await running
    }

    @Test("gets a message again whose handler threw, sends nothing of what that one answered, and answers once")
    func throwing() async throws {
        let tries = AsyncStream<Int>.makeStream()
        let count = Counter()
        let bot = Bot("flaky", on: robot).otherwise { message in
            try await message.reply("\(message.text)!")
            guard await count.next() > 3 else { throw Failing() }
            tries.continuation.finish()
        }
        try await bot.prepare()
        async let running: Void = bot.run()
        let answers = alice.events.events(.messageReceived)
        try await alice.messages.send("one", to: robot.userID)
        try await turning { for await _ in tries.stream {} }
        #expect(try await answers.first { _ in true }?.text == "one!")
        try await alice.messages.send("two", to: robot.userID)
        #expect(try await alice.events.events(.messageReceived).first { _ in true }?.text == "two!")
        #expect(try await received(from: robot).map(\.text) == ["one!", "two!"])
        await network.stop()
        try await running
    }

    @Test("is told at once, and can say so, when it writes to somebody who gets no messages")
    func refusedRecipient() async throws {
        let carol = try await network.node("carol")
        try await robot.users.decide(.block, about: carol.userID)
        let bot = Bot("relay", on: robot).otherwise { message in
            var codes: [String] = []
            do throws(EarshotError) { try await message.send(MessageDraft("hi"), to: carol.userID) } catch {
                codes.append("\(error.code)")
            }
            try await message.reply(codes.joined(separator: " "))
        }
        try await bot.prepare()
        let answers = alice.events.events(.messageReceived)
        async let running: Void = bot.run()
        try await alice.messages.send("tell carol", to: robot.userID)
        #expect(try await answers.first { _ in true }?.text == "blocked")
        #expect(try await robot.inbox.setAside(consumer: "relay").isEmpty)
        await network.stop()
        try await running
    }

    @Test("goes on without a message on which its handler fails each time: that one alone is set aside")
    func poison() async throws {
        let bot = Bot("picky", on: robot).otherwise { message in
            guard message.text != "poison" else { throw Failing() }
            try await message.reply("\(message.text)!")
        }
        try await bot.prepare()
        for text in ["one", "poison", "two"] { try await alice.messages.send(text, to: robot.userID) }
        let answers = alice.events.events(.messageReceived)
        async let running: Void = bot.run()
        try await turning { _ = try await answers.first { $0.text == "two!" } }
        #expect(try await received(from: robot).map(\.text) == ["one!", "two!"])
        let aside = try await robot.inbox.setAside(consumer: "picky")
        #expect(aside.map(\.message.text) == ["poison"] && aside.map(\.reason) == ["Failing()"])
        await network.stop()
        try await running
    }

    @Test("goes on if a handler asks for a parameter that its command does not have, and the message is set aside")
    func mistypedParameter() async throws {
        let bot = Bot("mistaken", on: robot)
            .command("text", "Reads another name.", parameters: [.text("what")]) { try await $0.reply($0["waht"]) }
            .command("kind", "Reads another kind.", parameters: [.text("what")]) { call in
                try await call.reply("\(call.integer("what"))")
            }
            .otherwise { try await $0.reply("fine") }
        try await bot.prepare()
        for text in ["/text x", "/kind 1", "hello"] { try await alice.messages.send(text, to: robot.userID) }
        let answers = alice.events.events(.messageReceived)
        async let running: Void = bot.run()
        try await turning { _ = try await answers.first { $0.text == "fine" } }
        #expect(try await robot.inbox.setAside(consumer: "mistaken").map(\.message.text) == ["/text x", "/kind 1"])
        await network.stop()
        try await running
    }

    @Test("begins where it is told, and has a message set aside after as many failures as it is told")
    func options() async throws {
        let arrived = robot.events.events(.messageReceived)
        for text in ["poison", "hello"] { try await alice.messages.send(text, to: robot.userID) }
        _ = try await arrived.first { $0.text == "hello" }
        let bot = Bot("late", on: robot, from: .beginning, attempts: 1).otherwise { message in
            guard message.text != "poison" else { throw Failing() }
            try await message.reply("\(message.text) \(message.senderID == message.message.senderID)")
        }
        let answers = alice.events.events(.messageReceived)
        async let running: Void = bot.run()
        try await turning { _ = try await answers.first { $0.text == "hello true" } }
        #expect(try await robot.inbox.setAside(consumer: "late").map(\.message.text) == ["poison"])
        await network.stop()
        try await running
    }

    @Test("whose consumer is removed while it handles a message begins anew where it is told, and answers once")
    func removed() async throws {
        let (robot, count) = (robot, Counter())
        let bot = Bot("forgotten", on: robot, from: .beginning).otherwise { message in
            if await count.next() == 1 { try await robot.inbox.removeConsumer("forgotten") }
            try await message.reply("\(message.text)!")
        }
        try await bot.prepare()
        async let running: Void = bot.run()
        let answers = alice.events.events(.messageReceived)
        for text in ["one", "two"] { try await alice.messages.send(text, to: robot.userID) }
        try await turning { _ = try await answers.first { $0.text == "two!" } }
        #expect(try await received(from: robot).map(\.text) == ["one!", "two!"])
        await network.stop()
        try await running
    }

    @Test("answers once if its node crashes while the handler runs")
    func crash() async throws {
        let entered = AsyncStream<Void>.makeStream()
        let never = AsyncStream<Never>.makeStream()
        let slow = Bot("slow", on: robot).otherwise { message in
            try await message.reply("first")
            entered.continuation.yield()
            for await _ in never.stream {}
        }
        try await slow.prepare()
        async let ended: Void = slow.run()
        try await alice.messages.send("hello", to: robot.userID)
        for await _ in entered.stream { break }
        try await network.crash(robot)
        never.continuation.finish()
        try await ended

        let answers = alice.events.events(.messageReceived)
        let reborn = try await network.node("robot")
        let quick = Bot("slow", on: reborn).otherwise { try await $0.reply("second") }
        async let running: Void = quick.run()
        #expect(try await answers.first { _ in true }?.text == "second")
        #expect(try await received(from: reborn).map(\.text) == ["second"])
        await network.stop()
        try await running
    }

    @Test("answers once what it is handed twice")
    func handedTwice() async throws {
        let count = Counter()
        let bot = Bot("echo", on: robot).otherwise { message in
            _ = await count.next()
            try await message.reply("\(message.text)!")
        }
        try await bot.prepare()
        let happened = AsyncStream<Void>.makeStream()
        try network.duplicateHandOut(to: "echo", of: robot) { happened.continuation.finish() }
        async let running: Void = bot.run()
        let answers = alice.events.events(.messageReceived)
        try await alice.messages.send("one", to: robot.userID)
        for await _ in happened.stream {}
        try await alice.messages.send("two", to: robot.userID)
        _ = try await answers.first { $0.text == "two!" }
        #expect(try await received(from: robot).map(\.text) == ["one!", "two!"])
        // The handler ran twice for the first of them.
        #expect(await count.next() == 4)
        await network.stop()
        try await running
    }

    @Test("answers once if its node crashes before the answer is on the disk")
    func crashAfterHandOut() async throws {
        let first = Bot("echo", on: robot).otherwise { try await $0.reply("\($0.text)!") }
        try await first.prepare()
        try network.crashAfterHandOut(to: "echo", of: robot)
        async let ended: Void = first.run()
        try await alice.messages.send("hello", to: robot.userID)
        try await ended
        #expect(robot.state == .stopped)

        let answers = alice.events.events(.messageReceived)
        let reborn = try await network.node("robot")
        #expect(try await received(from: reborn).isEmpty)
        let second = Bot("echo", on: reborn).otherwise { try await $0.reply("\($0.text)!") }
        async let running: Void = second.run()
        _ = try await answers.first { _ in true }
        #expect(try await received(from: reborn).map(\.text) == ["hello!"])
        await network.stop()
        try await running
    }

    @Test("sends what is to go out later when it is time, and once")
    func later() async throws {
        let network = network
        let bot = Bot("reminders", on: robot)
            .command("remind", "Reminds.", parameters: [.duration("in"), .text("what")]) { call in
                try await call.reply("in \(call["in"])")
                try await call.reply(call["what"], after: call.duration("in"))
            }
        try await bot.prepare()
        async let running: Void = bot.run()
        let answers = alice.events.events(.messageReceived)
        try await alice.messages.send("/remind 1h milk", to: robot.userID)
        #expect(try await answers.first { _ in true }?.text == "in 1h")
        await network.advance(by: .seconds(3_500))
        #expect(try await received(from: robot).count == 1)
        let reminder = alice.events.events(.messageReceived)
        await network.advance(by: .seconds(200))
        #expect(try await reminder.first { _ in true }?.text == "milk")
        #expect(try await received(from: robot).map(\.text) == ["in 1h", "milk"])
        await network.stop()
        try await running
    }

    @Test("does not answer another bot, unless it asks for what programs send")
    func twoBots() async throws {
        let carol = try await network.node("carol")
        let curious = Bot("curious", on: robot).takingAutomatic().otherwise { message in
            try await message.reply("heard: \(message.text)")
        }
        let shy = Bot("shy", on: carol).otherwise { try await $0.reply("answered: \($0.text)") }
        try await curious.prepare()
        try await shy.prepare()
        async let first: Void = curious.run()
        async let second: Void = shy.run()
        let heard = carol.events.events(.messageReceived)
        try await shy.send(MessageDraft("hello"), to: robot.userID)
        let answer = try await heard.first { _ in true }
        #expect(answer?.text == "heard: hello")
        // When the bot has come so far, it has passed the answer by.
        let answers = alice.events.events(.messageReceived)
        try await alice.messages.send("and you?", to: carol.userID)
        #expect(try await answers.first { _ in true }?.text == "answered: and you?")
        let conversation = try await robot.conversations.direct(with: carol.userID)
            .history(order: .arrival, limit: 50)
        #expect(conversation.map(\.text) == ["hello", "heard: hello"])
        await network.stop()
        try await first
        try await second
    }

    @Test("cannot answer after its handler has returned, nor more often than the limit")
    func limits() async throws {
        let kept = AsyncStream<BotMessage>.makeStream()
        let bot = Bot("limits", on: robot).otherwise { message in
            for _ in 0..<Limits.botReplies { try await message.reply("x") }
            await #expect(throws: EarshotError.self) { try await message.reply("one too many") }
            kept.continuation.yield(message)
        }
        try await bot.prepare()
        async let running: Void = bot.run()
        let last = alice.events.events(.messageReceived)
        try await alice.messages.send("hello", to: robot.userID)
        let message = try #require(await kept.stream.first { _ in true })
        _ = try await last.first { _ in true }
        await #expect(throws: EarshotError.self) { try await message.reply("too late") }
        await network.stop()
        try await running
        #expect(try await received(from: robot).count == Limits.botReplies)
    }
}

/// Counts from 1.
private actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
