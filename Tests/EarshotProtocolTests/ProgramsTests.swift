import EarshotModel
import EarshotStore
import Synchronization
import Testing

@testable import EarshotProtocol

@Suite("What a program asks of its node")
struct ProgramsTests {
    private func answer(_ pair: StoredPair, _ requestID: RequestID) throws -> [Message] {
        try #require(pair.alice.completions[requestID]).get().messages
    }

    private func error(_ pair: StoredPair, _ requestID: RequestID) throws -> ProtocolError {
        let result = try #require(pair.alice.completions[requestID])
        guard case .failure(let error) = result else { throw Unexpected() }
        return error
    }

    private struct Unexpected: Error {}

    private func send(_ texts: [String], key: IdempotencyKey, in pair: inout StoredPair) throws -> RequestID {
        let requestID = try pair.request(.alice) { [bob = pair.bob.local.userID] in
            $0.send(texts.map { MessageDraft($0) }, to: .user(bob), key: key, requestID: $1, now: $2)
        }
        try pair.settle()
        return requestID
    }

    private func acknowledge(
        _ cursor: Int64, _ replies: [(String, ProgramReply.Key)], in pair: inout StoredPair
    ) throws -> RequestID {
        let requestID = try pair.request(.alice) { [bob = pair.bob.local.userID] in
            $0.acknowledge(
                "bot", through: cursor,
                sending: replies.map { ProgramReply(to: .user(bob), draft: .message(MessageDraft($0.0)), key: $0.1) },
                requestID: $1, now: $2)
        }
        try pair.settle()
        return requestID
    }

    private func acknowledge(
        _ cursor: Int64, answering replies: [(text: String, key: ProgramReply.Key, place: Int64)],
        in pair: inout StoredPair
    ) throws -> RequestID {
        let requestID = try pair.request(.alice) { [bob = pair.bob.local.userID] in
            $0.acknowledge(
                "bot", through: cursor,
                sending: replies.map {
                    ProgramReply(
                        to: .user(bob), draft: .message(MessageDraft($0.text)), key: $0.key, answering: $0.place)
                }, requestID: $1, now: $2)
        }
        try pair.settle()
        return requestID
    }

    private func pairWithBot() throws -> StoredPair {
        var pair = try StoredPair.linked()
        try pair.request(.alice) {
            $0.change("bot", .make(ConsumerRecord(name: "bot", cursor: 0, createdAt: 0)), requestID: $1, now: $2)
        }
        return pair
    }

    // MARK: - Keys

    @Test("is done once for one key, and answered alike each time, also after a restart")
    func once() throws {
        var pair = try StoredPair.linked()
        let first = try send(["one", "two"], key: "k", in: &pair)
        let second = try send(["one", "two"], key: "k", in: &pair)
        let ids = try answer(pair, first).map(\.messageID)
        #expect(try answer(pair, second).map(\.messageID) == ids && ids.count == 2)
        try pair.restart(.alice)
        let third = try send(["one", "two"], key: "k", in: &pair)
        #expect(try answer(pair, third).map(\.messageID) == ids)
        #expect(try answer(pair, third).map { $0.states[pair.bob.local.userID] } == [.delivered, .delivered])
        #expect(try pair.texts(.alice) == ["one", "two"])
    }

    @Test("is done once when it is asked twice at once")
    func twiceAtOnce() throws {
        var pair = try StoredPair.linked()
        let (bob, now) = (pair.bob.local.userID, pair.now)
        let first = pair.alice.machine.send(
            [MessageDraft("one")], to: .user(bob), key: "k", requestID: RequestID(101), now: now)
        let second = pair.alice.machine.send(
            [MessageDraft("one")], to: .user(bob), key: "k", requestID: RequestID(102), now: now)
        try pair.perform(first + second, .alice)
        try pair.settle()
        #expect(try answer(pair, RequestID(101)).map(\.messageID) == answer(pair, RequestID(102)).map(\.messageID))
        #expect(try pair.texts(.alice) == ["one"])
    }

    @Test(
        "is refused if the key belongs to another message, or to more of them", arguments: [["other", "two"], ["one"]])
    func reused(texts: [String]) throws {
        var pair = try StoredPair.linked()
        _ = try send(["one", "two"], key: "k", in: &pair)
        let requestID = try send(texts, key: "k", in: &pair)
        #expect(try error(pair, requestID).code == .keyReused)
        #expect(try pair.texts(.alice) == ["one", "two"])
    }

    @Test("has a key of a bounded length", arguments: ["", String(repeating: "k", count: 256)])
    func key(_ key: String) throws {
        var pair = try StoredPair.linked()
        let requestID = try send(["one"], key: IdempotencyKey(key), in: &pair)
        #expect(try error(pair, requestID).code == .invalidMessage)
        #expect(try pair.texts(.alice) == [])
    }

    // MARK: - Acknowledging

    @Test("acknowledges and answers in one commit")
    func oneCommit() throws {
        var pair = try pairWithBot()
        try pair.send("question", from: .bob)
        let commits = Watched()
        pair.alice.whileWriting = { commit, _ in
            if !commit.programChanges.isEmpty { commits.append(commit) }
            return []
        }
        let cursor = try pair.alice.store.latestCursor()
        let requestID = try acknowledge(cursor, [("a", .named("1")), ("b", .named("2"))], in: &pair)
        #expect(try answer(pair, requestID).map(\.text) == ["a", "b"])
        #expect(commits.value.count == 1 && commits.value.first?.entries.first?.entries.count == 2)
        #expect(pair.alice.machine.consumers.first?.cursor == cursor)
        #expect(try pair.texts(.bob) == ["question", "a", "b"])
    }

    @Test("repeats an acknowledgement without sending anything, and gets the same answer")
    func repeated() throws {
        var pair = try pairWithBot()
        try pair.send("question", from: .bob)
        let (cursor, messageID) = (try pair.alice.store.latestCursor(), try #require(pair.rows(.alice).last).messageID)
        let first = try acknowledge(cursor, [("a", .answer(0, to: messageID))], in: &pair)
        let second = try acknowledge(cursor, [("a", .answer(0, to: messageID))], in: &pair)
        let other = try acknowledge(cursor, [("another", .answer(0, to: messageID))], in: &pair)
        #expect(try answer(pair, first).map(\.messageID) == answer(pair, second).map(\.messageID))
        #expect(try error(pair, other).code == .alreadyAcknowledged && error(pair, other).index == 0)
        #expect(try pair.texts(.alice) == ["question", "a"])
    }

    @Test("is told that an answer comes too late, if what it acknowledges is acknowledged without it")
    func tooLate() throws {
        var pair = try pairWithBot()
        try pair.send("one", from: .bob)
        let (first, messageID) = (try pair.alice.store.latestCursor(), try #require(pair.rows(.alice).last).messageID)
        try pair.send("two", from: .bob)
        let second = try pair.alice.store.latestCursor()
        _ = try acknowledge(second, [("to two", .named("2"))], in: &pair)
        let late = try acknowledge(first, [("to two", .named("2")), ("to one", .answer(0, to: messageID))], in: &pair)
        #expect(try error(pair, late).code == .alreadyAcknowledged && error(pair, late).index == 1)
        #expect(try pair.texts(.alice) == ["one", "two", "to two"])
    }

    @Test("answers only what it acknowledges with that, or repeats what it has sent")
    func coverage() throws {
        var pair = try pairWithBot()
        try pair.send("one", from: .bob)
        let (first, one) = (try pair.alice.store.latestCursor(), try #require(pair.rows(.alice).last).messageID)
        try pair.send("two", from: .bob)
        let (second, two) = (try pair.alice.store.latestCursor(), try #require(pair.rows(.alice).last).messageID)
        let toOne = ("to one", ProgramReply.Key.answer(0, to: one), first)
        let toTwo = ("to two", ProgramReply.Key.answer(0, to: two), second)
        let early = try acknowledge(first, answering: [toOne, toTwo], in: &pair)
        _ = try acknowledge(first, answering: [toOne], in: &pair)
        let other = try acknowledge(second, answering: [toTwo, ("other", toOne.1, first)], in: &pair)
        let unheard = try acknowledge(second, answering: [toOne, toTwo], in: &pair)
        #expect(try error(pair, early).code == .invalidMessage && error(pair, early).index == 1)
        #expect(try error(pair, other).code == .invalidMessage && error(pair, other).index == 1)
        #expect(try answer(pair, unheard).map(\.text) == ["to one", "to two"])
        #expect(try pair.texts(.alice) == ["one", "two", "to one", "to two"])
    }

    @Test("is repeated, and not refused, if the recipient was blocked meanwhile")
    func blockedMeanwhile() throws {
        var pair = try pairWithBot()
        let bob = pair.bob.local.userID
        try pair.send("question", from: .bob)
        let first = try pair.alice.store.latestCursor()
        try pair.send("question", from: .bob)
        let second = try pair.alice.store.latestCursor()
        let due = pair.now.wallClock + 60_000
        func ask() throws -> [RequestID] {
            [
                try send(["one"], key: "k", in: &pair),
                try schedule("later", in: due - pair.now.wallClock, key: "s", &pair),
                try acknowledge(first, [("a", .named("a"))], in: &pair),
            ]
        }
        let asked = try ask()
        try pair.request(.alice) { $0.decide(.block, about: bob, requestID: $1, now: $2) }
        try pair.settle()
        let repeated = try ask()
        for (first, second) in zip(asked, repeated) {
            let answers = try (pair.alice.completions[first]?.get(), pair.alice.completions[second]?.get())
            #expect(answers.0?.messages.map(\.messageID) == answers.1?.messages.map(\.messageID))
        }
        let more = try acknowledge(second, [("a", .named("a"))], in: &pair)
        let new = [
            try send(["new"], key: "new", in: &pair), try schedule("new", in: 60_000, key: "new", &pair),
            try schedule("new", in: 60_000, &pair),
        ]
        #expect(try answer(pair, more).map(\.text) == ["a"])
        for requestID in new { #expect(try error(pair, requestID).code == .blocked) }
        #expect(try pair.texts(.alice) == ["question", "question", "one", "a"])
    }

    @Test("does not acknowledge with the key of a message that waits for its time")
    func keyOfScheduled() throws {
        var pair = try pairWithBot()
        try pair.send("question", from: .bob)
        _ = try schedule("later", in: 60_000, key: "k", &pair)
        let cursor = try pair.alice.store.latestCursor()
        let requestID = try acknowledge(cursor, [("fine", .named("1")), ("other", .named("k"))], in: &pair)
        pair.pass(60_000)
        try pair.tick()
        try pair.settle()
        #expect(try pair.texts(.alice) == ["question", "later"])
        #expect(try error(pair, requestID).code == .keyReused && error(pair, requestID).index == 1)
        #expect(pair.alice.machine.consumers.first?.cursor == 0)
    }

    @Test("commits nothing if one of its messages is invalid, and is told which")
    func invalid() throws {
        var pair = try pairWithBot()
        try pair.send("question", from: .bob)
        let requestID = try acknowledge(1, [("a", .named("1")), ("", .named("2"))], in: &pair)
        let error = try error(pair, requestID)
        #expect(error.code == .invalidMessage && error.index == 1)
        #expect(pair.alice.machine.consumers.first?.cursor == 0)
        #expect(try pair.texts(.alice) == ["question"])
    }

    @Test("commits nothing if the disk takes nothing, and can be asked again")
    func fullDisk() throws {
        var pair = try pairWithBot()
        try pair.send("question", from: .bob)
        pair.alice.commitsLeft = 0
        let first = try acknowledge(1, [("a", .named("1"))], in: &pair)
        #expect(try error(pair, first).code == .storage)
        #expect(pair.alice.machine.consumers.first?.cursor == 0)
        pair.alice.commitsLeft = .max
        pair.pass(Timing.commitRetry)
        let second = try acknowledge(1, [("a", .named("1"))], in: &pair)
        #expect(try answer(pair, second).map(\.text) == ["a"])
        #expect(try pair.texts(.alice) == ["question", "a"])
    }

    // MARK: - Older copies

    @Test("is not done twice when an older copy was put in place and the message comes back first")
    func comesBackBefore() throws {
        var pair = try pairWithBot()
        try pair.send("one", from: .alice)
        let copy = try pair.copy(.alice)
        let first = try send(["two"], key: "k", in: &pair)
        let messageID = try answer(pair, first).first?.messageID
        try pair.restart(.alice, from: copy)
        try pair.link()
        let second = try send(["two"], key: "k", in: &pair)
        #expect(try answer(pair, second).first?.messageID == messageID)
        #expect(try pair.texts(.bob) == ["one", "two"])
    }

    @Test("is done once when an older copy was put in place, and it is asked while the log comes back")
    func comesBackMeanwhile() throws {
        var pair = try pairWithBot()
        try pair.send("one", from: .alice)
        let copy = try pair.copy(.alice)
        let first = try send(["two"], key: "k", in: &pair)
        let messageID = try answer(pair, first).first?.messageID
        try pair.restart(.alice, from: copy)
        pair.bob.isSlowToRead = true
        try pair.link()
        let second = try send(["two"], key: "k", in: &pair)
        let early = pair.alice.completions[second]
        try pair.readNow(.bob)
        #expect(early == nil)
        #expect(try answer(pair, second).first?.messageID == messageID)
        #expect(try pair.texts(.bob) == ["one", "two"])
    }

    @Test("is done once when an older copy was put in place, and it is asked again before its log comes back")
    func comesBackAfter() throws {
        var pair = try pairWithBot()
        try pair.send("one", from: .alice)
        let copy = try pair.copy(.alice)
        let first = try send(["two"], key: "k", in: &pair)
        let messageID = try #require(try answer(pair, first).first).messageID
        try pair.restart(.alice, from: copy)
        try pair.send("before", from: .alice)
        let second = try send(["two"], key: "k", in: &pair)
        let queued = try #require(try answer(pair, second).first)
        try pair.send(["three", "four"], from: .alice)
        #expect(queued.states == [pair.bob.local.userID: .queued])
        try pair.link()
        #expect(try pair.texts(.alice) == ["one", "two", "before", "three", "four"])
        #expect(try pair.texts(.bob) == ["one", "two", "before", "three", "four"])
        #expect(try pair.mismatches(.alice) == [] && pair.mismatches(.bob) == [])
        let renamed = try #require(pair.alice.recoveries.first).renamed
        let newest = renamed.reduce(queued.messageID) { id, run in
            id.log == run.from.log && id.sequence >= run.from.sequence && id.sequence < run.from.sequence + run.count
                ? MessageID(log: run.to.log, sequence: run.to.sequence + (id.sequence - run.from.sequence)) : id
        }
        #expect(newest == messageID)
        let third = try send(["two"], key: "k", in: &pair)
        #expect(try answer(pair, third).first?.messageID == messageID)
        try pair.restart(.alice)
        try pair.link()
        #expect(pair.alice.machine.undeliveredCount == 0 && pair.alice.recoveries.isEmpty)
    }

    // MARK: - Answers for later

    private func acknowledge(_ replies: [ProgramReply], in pair: inout StoredPair) throws -> RequestID {
        let cursor = try pair.alice.store.latestCursor()
        let requestID = try pair.request(.alice) {
            $0.acknowledge("bot", through: cursor, sending: replies, requestID: $1, now: $2)
        }
        try pair.settle()
        return requestID
    }

    /// Answers of Alice's to what she got last, each a minute later or at once.
    private func replies(_ texts: [(String, isLater: Bool)], in pair: StoredPair) throws -> [ProgramReply] {
        let messageID = try #require(pair.rows(.alice).last).messageID
        return texts.enumerated().map { place, reply in
            ProgramReply(
                to: .user(pair.bob.local.userID), draft: .message(MessageDraft(reply.0)),
                key: .answer(place, to: messageID),
                notBefore: reply.isLater ? pair.now.wallClock + 60_000 : nil)
        }
    }

    @Test("acknowledges, answers and has an answer sent later in one commit, once")
    func answersLater() throws {
        var pair = try pairWithBot()
        try pair.send("question", from: .bob)
        let replies = try replies([("later", true), ("now", false)], in: pair)
        let commits = Watched()
        pair.alice.whileWriting = { commit, _ in
            if !commit.programChanges.isEmpty { commits.append(commit) }
            return []
        }
        let first = try acknowledge(replies, in: &pair)
        #expect(try answer(pair, first).map(\.text) == ["now"])
        #expect(commits.value.map(\.programChanges.count) == [2])
        #expect(commits.value.first?.entries.first?.entries.count == 1)
        #expect(pair.alice.machine.scheduled.map(\.draft.text) == ["later"])
        pair.alice.whileWriting = nil
        let second = try acknowledge(replies, in: &pair)
        pair.pass(61_000)
        try pair.settle()
        let third = try acknowledge(replies, in: &pair)
        pair.pass(61_000)
        try pair.settle()
        #expect(try answer(pair, second).map(\.text) == ["now"] && answer(pair, third).map(\.text) == ["now"])
        #expect(try pair.texts(.bob) == ["question", "now", "later"])
    }

    @Test("commits nothing if an answer for later has no room, and is told which")
    func noRoomForLater() throws {
        var pair = try pairWithBot()
        try pair.send("question", from: .bob)
        let tooMany = Array(repeating: ("later", isLater: true), count: Limits.scheduledMessages + 1)
        let requestID = try acknowledge(try replies(tooMany, in: pair), in: &pair)
        let error = try error(pair, requestID)
        #expect(error.code == .overloaded && error.index == Limits.scheduledMessages)
        #expect(pair.alice.machine.consumers.first?.cursor == 0 && pair.alice.machine.scheduled.isEmpty)
    }

    // MARK: - Later

    private func schedule(_ text: String, in wait: Int64, key: IdempotencyKey? = nil, _ pair: inout StoredPair) throws
        -> RequestID
    {
        let notBefore = pair.now.wallClock + wait
        let drawn = try #require(EntryKey([UInt8](repeating: UInt8(text.utf8.first ?? 0), count: 16)))
        let requestID = try pair.request(.alice) { [bob = pair.bob.local.userID] in
            $0.schedule(
                MessageDraft(text), to: .user(bob), notBefore: notBefore, key: key, scheduledID: drawn, requestID: $1,
                now: $2)
        }
        try pair.settle()
        return requestID
    }

    @Test("has a message sent when it is due, once, although the process ends meanwhile")
    func later() throws {
        var pair = try StoredPair.linked()
        let requestID = try schedule("later", in: 60_000, &pair)
        guard case .success(.scheduled(let waiting)) = pair.alice.completions[requestID] else { throw Unexpected() }
        #expect(pair.alice.machine.scheduled == [waiting] && waiting.messageID == nil)
        try pair.restart(.alice)
        try pair.link()
        #expect(try pair.texts(.alice) == [])
        pair.pass(60_000)
        try pair.tick()
        try pair.settle()
        #expect(pair.alice.machine.scheduled == [])
        try pair.restart(.alice)
        try pair.link()
        #expect(try pair.texts(.alice) == ["later"] && pair.texts(.bob) == ["later"])
    }

    @Test("has a message cancelled until it is due")
    func cancelled() throws {
        var pair = try StoredPair.linked()
        _ = try schedule("later", in: 60_000, &pair)
        let id = try #require(pair.alice.machine.scheduled.first).id
        let first = try pair.request(.alice) { $0.cancelScheduled(id, requestID: $1, now: $2) }
        try pair.settle()
        let second = try pair.request(.alice) { $0.cancelScheduled(id, requestID: $1, now: $2) }
        #expect(try answer(pair, first) == [] && error(pair, second).code == .unknownMessage)
        pair.pass(60_000)
        try pair.tick()
        try pair.settle()
        #expect(try pair.texts(.alice) == [])
    }

    @Test("schedules once for one key, also when the message has been sent since")
    func scheduledOnce() throws {
        var pair = try StoredPair.linked()
        let due = pair.now.wallClock + 60_000
        func ask(_ text: String) throws -> RequestAnswer {
            let requestID = try pair.request(.alice) { [bob = pair.bob.local.userID] in
                $0.schedule(
                    MessageDraft(text), to: .user(bob), notBefore: due, key: "k",
                    scheduledID: EntryKey([UInt8](repeating: 9, count: 16))!, requestID: $1, now: $2)
            }
            try pair.settle()
            return try #require(pair.alice.completions[requestID]).get()
        }
        let first = try ask("later")
        #expect(try ask("later") == first)
        #expect(throws: ProtocolError.self) { try ask("other") }
        let sentNow = try send(["later"], key: "k", in: &pair)
        #expect(try error(pair, sentNow).code == .keyReused)
        pair.pass(60_000)
        try pair.tick()
        try pair.settle()
        guard case .scheduled(let sent) = try ask("later") else { throw Unexpected() }
        #expect(try sent.messageID == pair.rows(.alice).last?.messageID)
        #expect(throws: ProtocolError.self) { try ask("other") }
        #expect(try pair.texts(.alice) == ["later"])
    }
}

extension HistoryRow {
    fileprivate var messageID: MessageID { MessageID(log: log.logID, sequence: entry.sequence) }
}

/// Commits that a disk wrote.
private final class Watched: Sendable {
    private let commits = Mutex<[Commit]>([])

    var value: [Commit] { commits.withLock(\.self) }
    func append(_ commit: Commit) { commits.withLock { $0.append(commit) } }
}
