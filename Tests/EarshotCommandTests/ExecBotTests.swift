import Testing

@testable import EarshotCommand

@Suite("A bot that is a program")
struct ExecBotTests {
    private func message(_ id: String, from sender: String = "alice") -> HandedMessage {
        HandedMessage(id: id, sender: sender, answeredAt: sender, cursor: "at \(id)", json: "{}")
    }

    /// A bot whose program runs, and that has asked the inbox.
    private func running(limit: Int = 1) -> ExecBot {
        var bot = ExecBot(limit: limit)
        #expect(bot.advance(now: 0) == [.start])
        #expect(bot.programStarted(now: 0) == [.receive(limit: limit)])
        return bot
    }

    private func again(_ reason: String, _ time: Int64, _ id: String = "m1") -> [ExecBot.Action] {
        [.noteFailure(message(id), reason: reason, isSetAside: false), .wake(time)]
    }

    @Test("gets one message at a time, and the next when what it made of it is on the disk")
    func oneByOne() {
        var bot = running()
        #expect(bot.received([message("m1")], now: 0) == [.give(message("m1"), attempt: 1), .wake(60_000)])
        let answer = ProgramAnswer(message: message("m1"), send: BotSend(text: "hi"))
        #expect(
            bot.programWrote(#"{"ack":"m1","send":[{"text":"hi"}]}"#.utf8, now: 1)
                == [.acknowledge(through: "at m1", [answer])])
        #expect(bot.acknowledged(now: 2) == [.receive(limit: 1)])
    }

    @Test("says that it types to the sender of a message that it has, and of no other")
    func typing() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        #expect(bot.programWrote(#"{"typing":"m1"}"#.utf8, now: 1).contains(.typing(message("m1"))))
        let refused = bot.programWrote(#"{"typing":"m2"}"#.utf8, now: 2)
        #expect(refused.contains(.complain("no message \"m2\" waits for this")))
        #expect(bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 3) == [.acknowledge(through: "at m1", [])])
    }

    @Test("answers, edits and reacts at once about a message that it has, and is told where that is not possible")
    func acts() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        let shown = bot.programWrote(#"{"reply":"m1","text":"0 %"}"#.utf8, now: 1)
        #expect(shown.contains(.act(message("m1"), .show(text: "0 %", headers: [:]))))
        let refused = bot.programWrote(#"{"react":"m2","emoji":"👀"}"#.utf8, now: 2)
        #expect(refused.contains(.complain("no message \"m2\" waits for this")))
        #expect(bot.notDone("it was not done", now: 3).contains(.complain("it was not done")))
        #expect(bot.has("m1"))
        let answer = ProgramAnswer(message: message("m1"), send: BotSend(text: "done", isInPlace: true))
        #expect(
            bot.programWrote(#"{"ack":"m1","edit":"done"}"#.utf8, now: 4)
                == [.acknowledge(through: "at m1", [answer])])
        #expect(!bot.has("m1"))
    }

    @Test("asks again if nothing came")
    func nothing() {
        var bot = running()
        #expect(bot.received([], now: 30_000) == [.receive(limit: 1)])
    }

    @Test("gets several messages at once if it wants, one of each sender, and they are acknowledged in order")
    func several() {
        var bot = running(limit: 3)
        let (a1, a2, b1) = (message("a1"), message("a2"), message("b1", from: "bob"))
        #expect(bot.received([a1, a2, b1], now: 0) == [.give(a1, attempt: 1), .give(b1, attempt: 1), .wake(60_000)])
        #expect(bot.programWrote(#"{"ack":"b1"}"#.utf8, now: 0) == [])
        #expect(
            bot.programWrote(#"{"ack":"a1"}"#.utf8, now: 0) == [
                .give(a2, attempt: 1), .acknowledge(through: "at a1", []),
            ])
        #expect(bot.programWrote(#"{"ack":"a2"}"#.utf8, now: 0) == [])
        #expect(bot.acknowledged(now: 0) == [.acknowledge(through: "at b1", [])])
        #expect(bot.acknowledged(now: 0) == [.receive(limit: 3)])
    }

    @Test("gets a message again that it gave up on, after a wait that doubles, and is told how often it had it")
    func failing() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        #expect(
            bot.programWrote(#"{"fail":"m1","reason":"no database"}"#.utf8, now: 0)
                == [.fail("m1", reason: "no database")])
        #expect(bot.failureNoted(isSetAside: false, now: 0) == again("no database", 500))
        #expect(bot.advance(now: 499) == [])
        #expect(bot.advance(now: 500) == [.receive(limit: 1)])
        #expect(bot.received([message("m1")], now: 500) == [.give(message("m1"), attempt: 2)])
        _ = bot.programWrote(#"{"fail":"m1","reason":"still none"}"#.utf8, now: 500)
        #expect(bot.failureNoted(isSetAside: false, now: 500) == again("still none", 1500))
        _ = bot.advance(now: 1500)
        _ = bot.received([message("m1")], now: 1500)
        #expect(bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 1500) == [.acknowledge(through: "at m1", [])])
        #expect(bot.acknowledged(now: 1500) == [.receive(limit: 1)])
    }

    @Test("goes on at once when a message is set aside, and waits anew for the next that it gives up on")
    func failingNext() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        _ = bot.programWrote(#"{"fail":"m1","reason":"no"}"#.utf8, now: 0)
        #expect(
            bot.failureNoted(isSetAside: true, now: 0)
                == [.noteFailure(message("m1"), reason: "no", isSetAside: true), .receive(limit: 1)])
        _ = bot.received([message("m2")], now: 0)
        _ = bot.programWrote(#"{"fail":"m2","reason":"no"}"#.utf8, now: 0)
        #expect(bot.failureNoted(isSetAside: false, now: 0) == again("no", 500, "m2"))
    }

    @Test("asks again if the inbox cannot be told that it failed")
    func failureUntold() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        _ = bot.programWrote(#"{"fail":"m1","reason":"no"}"#.utf8, now: 0)
        #expect(bot.inboxFailed("no node", now: 0) == [.note("no node"), .wake(1000)])
        #expect(bot.advance(now: 1000) == [.receive(limit: 1)])
    }

    @Test("is killed when it has had a message for too long, is started again, and has failed on that message")
    func tooSlow() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        #expect(bot.advance(now: 59_999) == [])
        let reason = "the program did not answer within 60 s"
        #expect(
            bot.advance(now: 60_000) == [
                .note("\(reason): it is killed; it had the message m1"), .kill, .fail("m1", reason: reason),
            ])
        #expect(bot.failureNoted(isSetAside: false, now: 60_000) == again(reason, 60_500))
        #expect(bot.programEnded("signal 9", now: 60_001) == [.note("the program ended: signal 9"), .wake(61_001)])
        #expect(bot.advance(now: 60_500) == [])
        #expect(bot.advance(now: 61_001) == [.start])
        #expect(bot.programStarted(now: 61_001) == [.receive(limit: 1)])
        #expect(
            bot.received([message("m1")], now: 61_001) == [.give(message("m1"), attempt: 2), .wake(121_001)])
    }

    @Test("gets again what it had beside a message that took too long, and has not failed on that")
    func besideTooSlow() {
        var bot = running(limit: 3)
        let (a1, a2, b1) = (message("a1"), message("a2"), message("b1", from: "bob"))
        _ = bot.received([a1, a2, b1], now: 0)
        _ = bot.programWrote(#"{"ack":"a1"}"#.utf8, now: 50_000)
        _ = bot.acknowledged(now: 50_000)
        let reason = "the program did not answer within 60 s"
        #expect(
            bot.advance(now: 60_000) == [
                .note("\(reason): it is killed; it had the message b1"), .kill, .wake(110_000),
            ])
        _ = bot.programEnded("signal 9", now: 60_001)
        #expect(bot.advance(now: 61_001) == [.start])
        #expect(bot.programStarted(now: 61_001) == [.give(a2, attempt: 1)])
        #expect(bot.programWrote(#"{"ack":"a2"}"#.utf8, now: 61_001) == [.acknowledge(through: "at a2", [])])
        #expect(bot.acknowledged(now: 61_001) == [.fail("b1", reason: reason)])
    }

    @Test("is started again after a wait that doubles until it acknowledges something")
    func restarts() {
        var bot = running()
        _ = bot.received([message("m0")], now: 0)
        _ = bot.programWrote(#"{"ack":"m0"}"#.utf8, now: 0)
        _ = bot.acknowledged(now: 0)
        _ = bot.received([message("m1")], now: 0)
        let reason = "the program ended while it had the message: signal 9"
        #expect(
            bot.programEnded("signal 9", now: 0)
                == [.note("the program ended: signal 9"), .wake(1000), .fail("m1", reason: reason)])
        #expect(bot.failureNoted(isSetAside: false, now: 0) == again(reason, 500))
        #expect(bot.advance(now: 500) == [])
        #expect(bot.advance(now: 1000) == [.start])
        #expect(bot.programStarted(now: 1000) == [.receive(limit: 1)])
        #expect(bot.programEnded("signal 9", now: 1000) == [.note("the program ended: signal 9"), .wake(3000)])
        // What comes meanwhile waits for the program, and was not in vain.
        #expect(bot.received([message("m1")], now: 2000) == [])
        #expect(bot.advance(now: 3000) == [.start])
        #expect(bot.programStarted(now: 3000) == [.give(message("m1"), attempt: 2)])
        _ = bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 3000)
        _ = bot.acknowledged(now: 3000)
        #expect(bot.programEnded("status 0", now: 4000) == [.note("the program ended: status 0"), .wake(5000)])
    }

    @Test("that cannot run fails no message: when it has ended once, it gets none before it has run for two seconds")
    func broken() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        var (now, wait) = (Int64(0), Int64(1000))
        for _ in 1...5 {
            #expect(
                bot.programEnded("status 1", now: now) == [.note("the program ended: status 1"), .wake(now + wait)])
            (now, wait) = (now + wait, wait * 2)
            #expect(bot.advance(now: now) == [.start])
            #expect(bot.programStarted(now: now) == [.wake(now + 2000)])
            now += 1999
            #expect(bot.advance(now: now) == [])
        }
        // It was mended meanwhile.
        #expect(bot.advance(now: now + 1) == [.give(message("m1"), attempt: 2)])
        #expect(bot.programWrote(#"{"ack":"m1"}"#.utf8, now: now + 1) == [.acknowledge(through: "at m1", [])])
    }

    @Test("that ends on the first message it ever gets, but runs without it, fails that message")
    func deadly() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        _ = bot.programEnded("status 1", now: 0)
        _ = bot.advance(now: 1000)
        _ = bot.programStarted(now: 1000)
        #expect(bot.advance(now: 3000) == [.give(message("m1"), attempt: 2)])
        let reason = "the program ended while it had the message: status 1"
        #expect(
            bot.programEnded("status 1", now: 3000)
                == [.note("the program ended: status 1"), .wake(5000), .fail("m1", reason: reason)])
        #expect(bot.failureNoted(isSetAside: false, now: 3000) == again(reason, 3500))
        // From now on it is known to work, and is not tried again.
        _ = bot.advance(now: 5000)
        #expect(bot.programStarted(now: 5000) == [.receive(limit: 1)])
        #expect(bot.received([message("m1")], now: 5000) == [.give(message("m1"), attempt: 3)])
    }

    @Test("is started at once, and shows that it can run, when a message that ended it is set aside")
    func setAsideAfterEnd() {
        var bot = running()
        _ = bot.received([message("m0")], now: 0)
        _ = bot.programWrote(#"{"ack":"m0"}"#.utf8, now: 0)
        _ = bot.acknowledged(now: 0)
        _ = bot.received([message("m1")], now: 0)
        _ = bot.programEnded("status 1", now: 0)
        let reason = "the program ended while it had the message: status 1"
        #expect(
            bot.failureNoted(isSetAside: true, now: 1)
                == [.noteFailure(message("m1"), reason: reason, isSetAside: true), .start])
        #expect(bot.programStarted(now: 1) == [.wake(2001)])
        #expect(bot.programEnded("status 1", now: 2) == [.note("the program ended: status 1"), .wake(1002)])
        _ = bot.advance(now: 1002)
        _ = bot.programStarted(now: 1002)
        #expect(bot.advance(now: 3002) == [.receive(limit: 1)])
    }

    @Test("is told which of its lines are refused, and nothing else comes of them")
    func refusedLines() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        for (line, reason) in [
            ("hello", "the line is not a JSON object: hello"), ("[1]", "the line is not a JSON object: [1]"),
            (#"{"ack":"m2"}"#, "no message \"m2\" waits for this"),
            (#"{"fail":"m2","reason":"no"}"#, "no message \"m2\" waits for this"),
            (#"{"send":[{"text":"x"}]}"#, "the field \"to\" is missing: only an answer has a sender to go to"),
            (#"{"send":[{"text":"x"},{"to":"bob"}]}"#, "the field \"send[1].text\" is missing"),
            (#"{"send":[{"text":5,"to":"bob"}]}"#, "the field \"send[0].text\" must be a text"),
            (#"{"send":{"text":"x"}}"#, "the field \"send\" must be a list"),
            (#"{"send":[{"text":"x","headers":[]}]}"#, "the field \"send[0].headers\" must be an object"),
        ] {
            #expect(
                bot.programWrote(line.utf8, now: 0)
                    == [.complain(reason), .note("a line of the program is refused: \(reason)")])
        }
        #expect(bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 0) == [.acknowledge(through: "at m1", [])])
        #expect(
            bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 0).first == .complain("no message \"m1\" waits for this"))
    }

    @Test(
        "fails a message with a line about it that is refused, so it need not read why",
        arguments: [
            (
                #"{"ack":"m1","send":[{"txt":"x"}]}"#,
                "there is no field \"txt\"; there are: text, to, headers, mentions, isReply, isDraft, notBefore, idempotencyKey, layout, session"
            ),
            (#"{"fail":"m1"}"#, "the field \"reason\" is missing"),
            (
                #"{"ack":"m1","send":[{"text":"x","notBefore":"tomorrow"}]}"#,
                "notBefore is a time like 2026-01-31T12:00:00Z"
            ),
        ])
    func refusedLineOfMessage(line: String, reason: String) {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        let why = "a line of the program is refused: \(reason)"
        #expect(
            bot.programWrote(line.utf8, now: 0) == [.complain(reason, failing: "m1"), .fail("m1", reason: why)])
        // A program that answers the complaint is told that nothing waits for that, without a message to name again.
        #expect(
            bot.programWrote(#"{"fail":"m1","reason":"refused"}"#.utf8, now: 0).first
                == .complain("no message \"m1\" waits for this"))
        #expect(bot.failureNoted(isSetAside: false, now: 0) == again(why, 500))
        _ = bot.advance(now: 500)
        #expect(bot.received([message("m1")], now: 500) == [.give(message("m1"), attempt: 2)])
    }

    @Test("is told no more of wrong lines, and no more is logged, when there were 30 within a minute")
    func flood() {
        var bot = running()
        func flood(_ count: Int, now: Int64) -> [ExecBot.Action] {
            (1...count).flatMap { _ in
                bot.programWrote("hello".utf8, now: now) + bot.notSent("nobody is called so", now: now)
            }
        }
        let said = flood(1000, now: 0)
        #expect(said.count == 2 * 30 + 1)
        #expect(
            said.last
                == .note("30 lines of the program were refused: no more of them is said for a minute"))
        #expect(flood(1, now: 59_999) == [])
        #expect(flood(1, now: 60_000).count == 4)
        // Lines that are right count for nothing.
        _ = bot.received([message("m1")], now: 60_000)
        #expect(bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 60_000) == [.acknowledge(through: "at m1", [])])
    }

    @Test("sends unasked at any time")
    func unasked() {
        var bot = running()
        #expect(
            bot.programWrote(#"{"send":[{"text":"hi","to":"bob"}]}"#.utf8, now: 0) == [
                .send([BotSend(text: "hi", to: "bob")])
            ])
    }

    @Test("gets a message again whose answer the node refuses; the messages before it are acknowledged without it")
    func refusedAnswer() {
        var bot = running(limit: 2)
        let (a1, b1) = (message("a1"), message("b1", from: "bob"))
        _ = bot.received([a1, b1], now: 0)
        _ = bot.programWrote(#"{"ack":"b1","send":[{"text":"x","to":"nobody"}]}"#.utf8, now: 0)
        _ = bot.programWrote(#"{"ack":"a1"}"#.utf8, now: 0)
        // The node names no answer, so the messages are tried one by one.
        #expect(bot.refused("nobody is called so", answer: nil, now: 0) == [.acknowledge(through: "at a1", [])])
        let answer = ProgramAnswer(message: b1, send: BotSend(text: "x", to: "nobody"))
        #expect(bot.acknowledged(now: 0) == [.acknowledge(through: "at b1", [answer])])
        #expect(
            bot.refused("nobody is called so", answer: 0, now: 0) == [
                .complain("an answer is refused: nobody is called so", failing: "b1"),
                .fail("b1", reason: "an answer of the program is refused: nobody is called so"),
            ])
        #expect(
            bot.failureNoted(isSetAside: false, now: 0) == [
                .noteFailure(b1, reason: "an answer of the program is refused: nobody is called so", isSetAside: false),
                .wake(500),
            ])
        #expect(bot.advance(now: 500) == [.receive(limit: 2)])
    }

    @Test("keeps what it has when the node is away, and acknowledges it when the node is back")
    func nodeAway() {
        var bot = running()
        #expect(bot.inboxFailed("no node", now: 0) == [.note("no node"), .wake(1000)])
        #expect(bot.advance(now: 1000) == [.receive(limit: 1)])
        _ = bot.received([message("m1")], now: 1000)
        _ = bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 1000)
        #expect(bot.inboxFailed("no node", now: 1000) == [.note("no node"), .wake(2000)])
        #expect(bot.advance(now: 2000) == [.acknowledge(through: "at m1", [])])
        #expect(bot.acknowledged(now: 2000) == [.receive(limit: 1)])
    }

    @Test("forgets what it has if the node was restored, and asks anew")
    func restored() {
        var bot = running()
        _ = bot.received([message("m1")], now: 0)
        _ = bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 0)
        #expect(bot.inboxBeganAnew(now: 0) == [.receive(limit: 1)])
        #expect(
            bot.programWrote(#"{"ack":"m1"}"#.utf8, now: 0).first
                == .complain("no message \"m1\" waits for this"))
    }

    @Test("is killed if it does not keep to the rules")
    func misbehaving() {
        var bot = running()
        #expect(bot.programMisbehaved("a line is too long", now: 0) == [.note("a line is too long"), .kill])
    }
}
