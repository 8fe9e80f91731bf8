import EarshotModel
import EarshotProtocol
import Testing

@testable import EarshotStore

@Suite("Entries that are about others")
struct RelationTests {
    private let store: Store
    private let alice: UserID = identifier(3)
    private let bob: UserID = identifier(4)
    /// Alice's messages, and what Bob writes about them.
    private let log: SampleLog
    private let other: SampleLog

    init() throws {
        store = try Store.inMemory()
        log = SampleLog.at([1, 2])
        other = SampleLog(device: 5, author: 4)
    }

    private func place(_ sequence: UInt64) -> LogPlace {
        LogPlace(logID: log.logID, sequence: sequence, chain: log.entries[Int(sequence) - 1].chain)
    }

    /// An encoded entry that gives a message another text, or anything else.
    private func body(_ amendment: Amendment, at time: Int64) -> [UInt8] {
        EntryBody(timestamp: HybridTimestamp(milliseconds: time), expiry: .max, content: .amendment(amendment))
            .encoded()
    }

    private func append(_ content: Amendment.Content, to log: SampleLog, target: UInt64 = 1, at time: Int64)
        -> SampleLog
    {
        let amendment = Amendment(target: place(target), content)
        var log = log
        log.append(at: time, body: body(amendment, at: time), kind: amendment.kind, relation: amendment.relation)
        return log
    }

    /// A commit of a log, all of which its recipient has.
    private func delivered(_ log: SampleLog, from first: UInt64 = 1) -> Commit {
        var commit = log.commit(from: first)
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered) = (
            log.record.head.sequence, log.record.head.sequence, log.record.head.sequence
        )
        commit.deliveries = [
            DeliveryRecord(
                logID: log.logID, recipientID: log.record.authorID == alice ? bob : alice, progress: progress)
        ]
        return commit
    }

    private func row(_ sequence: UInt64) throws -> HistoryRow {
        try #require(try store.row(of: log.messageID(sequence)))
    }

    @Test("are shown with the message, and are no messages themselves")
    func shown() throws {
        try store.commit(delivered(log))
        let edited = append(.edit(text: "new", counter: 1), to: log, at: 5)
        try store.commit(delivered(edited, from: 3))
        let reacted = append(.reaction(emoji: "👍", counter: 1, isRemoved: false), to: other, at: 6)
        try store.commit(delivered(reacted))
        let rows = try #require(try store.history(of: log.conversationID, .latest, limit: 9))
        #expect(rows.map(\.entry.sequence) == [1, 2])
        #expect(rows[0].edit?.sequence == 3 && rows[0].reactions == [Reaction(emoji: "👍", userIDs: [bob])])
        #expect(rows[1].edit == nil && rows[1].reactions.isEmpty && !rows[1].isRetracted)
        #expect(try store.conversation(log.conversationID, readBy: alice)?.unreadCount == 0)
        #expect(try store.target(log.messageID(1))?.changes.nextEdit == 2)
    }

    @Test("count for nothing where they are somebody else's, or name another entry by the same number")
    func foreign() throws {
        try store.commit(delivered(log))
        try store.commit(delivered(append(.edit(text: "mine", counter: 1), to: other, at: 5)))
        #expect(try row(1).edit == nil)
        let elsewhere = LogPlace(logID: log.logID, sequence: 1, chain: identifier(77))
        let amendment = Amendment(target: elsewhere, .retract)
        var forked = log
        forked.append(
            at: 7, body: body(amendment, at: 7), kind: amendment.kind, relation: amendment.relation)
        try store.commit(delivered(forked, from: 3))
        #expect(try !row(1).isRetracted && row(1).entry.content == log.entries[0].content)
    }

    @Test("erase the texts of a message that was taken back, whichever comes first", arguments: [true, false])
    func retraction(isInOrder: Bool) throws {
        // Two devices of the author: the one that takes back, and the one that wrote.
        var second = SampleLog(device: 8, author: 3)
        second = append(.edit(text: "new", counter: 1), to: second, at: 4)
        second = append(.retract, to: second, at: 5)
        for commit in isInOrder ? [delivered(log), delivered(second)] : [delivered(second), delivered(log)] {
            try store.commit(commit)
        }
        let shown = try row(1)
        #expect(shown.isRetracted && shown.entry.isDeleted)
        #expect(shown.entry.content == .withheld(log.entries[0].content.hash))
        let kept = try store.entries(of: second.logID, from: 1, countLimit: 9, byteLimit: .max)
        #expect(kept.map(\.isDeleted) == [true, false])
        #expect(try !row(2).isRetracted && row(2).entry.content == log.entries[1].content)
        // A late edit goes, too.
        let late = append(.edit(text: "late", counter: 2), to: second, at: 9)
        try store.commit(delivered(late, from: 3))
        let edits = try store.entries(of: second.logID, from: 3, countLimit: 9, byteLimit: .max)
        #expect(edits.map(\.isDeleted) == [true])
    }

    /// A commit of the device that has written the log.
    private func written(_ log: SampleLog, from first: UInt64 = 1) -> Commit {
        var commit = log.commit(from: first)
        commit.deviceID = log.record.description.deviceID
        return commit
    }

    @Test(
        "erase the text of a retracted message at once on every device but the one that wrote it, whoever else has it not"
    )
    func readers() throws {
        try store.commit(log.commit)
        try store.commit(append(.retract, to: log, at: 5).commit(from: 3))
        #expect(try row(1).isRetracted && row(1).entry.isDeleted && !row(2).entry.isDeleted)
    }

    @Test(
        "show a message as taken back whose body has not come, as on a device that was away, and take it no more",
        arguments: [false, true])
    func lackingBody(isWithheld: Bool) throws {
        var lacking = log.commit
        let entry = log.entries[0]
        lacking.entries[0].entries[0] = EntryRecord(
            sequence: 1, timestamp: entry.timestamp, expiry: .max, kind: .unknown,
            content: .withheld(entry.content.hash),
            chain: entry.chain, checkpoint: entry.checkpoint)
        if isWithheld { lacking.entries[0].entries[0].mark = signature(7) }
        try store.commit(lacking)
        #expect(try store.row(of: log.messageID(1)) == nil)
        try store.commit(append(.retract, to: log, at: 5).commit(from: 3))
        #expect(try row(1).isRetracted && row(1).entry.isDeleted)
        #expect(try store.conversation(log.conversationID, readBy: bob)?.unreadCount == 1)
        var late = Commit()
        late.bodies = [LogEntries(logID: log.logID, entries: [entry])]
        try store.commit(late)
        #expect(try row(1).entry.content == .withheld(entry.content.hash))
    }

    @Test("erase a message whose retraction got its body later than its place")
    func lateRetraction() throws {
        try store.commit(log.commit)
        let retracted = append(.retract, to: log, at: 5)
        let entry = retracted.entries[2]
        var lacking = retracted.commit(from: 3)
        lacking.entries[0].entries[0] = EntryRecord(
            sequence: 3, timestamp: entry.timestamp, expiry: .max, kind: .unknown,
            content: .withheld(entry.content.hash),
            chain: entry.chain, checkpoint: entry.checkpoint)
        try store.commit(lacking)
        #expect(try !row(1).entry.isDeleted)
        var late = Commit()
        late.bodies = [LogEntries(logID: log.logID, entries: [entry])]
        try store.commit(late)
        #expect(try row(1).isRetracted && row(1).entry.isDeleted)
    }

    @Test("erase what an earlier version let wait on a device that did not write it")
    func waitingForNoReason() throws {
        try store.commit(log.commit)
        try store.commit(written(append(.retract, to: log, at: 5), from: 3))
        #expect(try row(1).isRetracted && !row(1).entry.isDeleted)
        // The same file on another device.
        let other = try store.inMemoryCopy()
        var commit = SampleLog(device: 9, author: 4).commit
        commit.deviceID = identifier(9)
        try other.commit(commit)
        let erased = try #require(try other.row(of: log.messageID(1)))
        #expect(erased.entry.isDeleted)
    }

    @Test("keep the text of a retracted message until its recipient has it, and then erase it")
    func undelivered() throws {
        let retracted = append(.retract, to: log, at: 5)
        try store.commit(written(retracted))
        #expect(try row(1).isRetracted && !row(1).entry.isDeleted)
        var commit = delivered(retracted)
        (commit.logs, commit.entries) = ([], [])
        commit.deviceID = log.record.description.deviceID
        try store.commit(commit)
        #expect(try row(1).entry.isDeleted && !row(2).entry.isDeleted)
    }

    @Test("erase it, too, where its recipient has the retraction, and the text never came")
    func undeliveredAndRetracted() throws {
        let retracted = append(.retract, to: log, at: 5)
        try store.commit(written(retracted))
        var commit = delivered(retracted)
        (commit.logs, commit.entries) = ([], [])
        commit.deviceID = log.record.description.deviceID
        commit.deliveries = commit.deliveries.map { delivery in
            var progress = delivery.progress
            progress.missing = SequenceSet(1...1)
            return DeliveryRecord(logID: delivery.logID, recipientID: delivery.recipientID, progress: progress)
        }
        try store.commit(commit)
        #expect(try row(1).entry.isDeleted && !row(2).entry.isDeleted)
    }

    @Test("erase it also if commits that concern nothing retracted are between, and one that failed")
    func undeliveredForLong() throws {
        try store.commit(log.commit)
        let retracted = append(.retract, to: log, at: 5)
        var broken = written(retracted, from: 3)
        broken.entries.append(LogEntries(logID: log.logID, entries: log.entries))
        #expect(throws: StoreError.self) { try store.commit(broken) }
        try store.commit(written(retracted, from: 3))
        var another = SampleLog(device: 9, author: 4)
        for time in Int64(1)...2 {
            another.append(at: time)
            try store.commit(another.commit(from: UInt64(time)))
        }
        #expect(try row(1).isRetracted && !row(1).entry.isDeleted)
        var commit = delivered(retracted)
        (commit.logs, commit.entries) = ([], [])
        commit.deviceID = log.record.description.deviceID
        try store.commit(commit)
        #expect(try row(1).entry.isDeleted && !row(2).entry.isDeleted)
    }

    @Test("go with a message that is erased")
    func erased() throws {
        try store.commit(delivered(append(.edit(text: "new", counter: 1), to: log, at: 5)))
        let outcome = try store.deleteContents(of: [log.messageID(1)], deviceID: log.record.description.deviceID)
        #expect(outcome.deletedCount == 1)
        let entries = try store.entries(of: log.logID, from: 1, countLimit: 9, byteLimit: .max)
        #expect(entries.map(\.isDeleted) == [true, false, true])
    }

    @Test("are told in the journal at their places, if their message was here before them")
    func journal() throws {
        var commit = delivered(append(.edit(text: "new", counter: 1), to: log, at: 5))
        commit.journal = [.queued(log.logID, 1...3)]
        try store.commit(commit)
        var unknown = append(.retract, to: other, at: 6)
        unknown = append(.reaction(emoji: "👍", counter: 1, isRemoved: false), to: unknown, target: 2, at: 7)
        commit = delivered(unknown)
        commit.journal = [.received(other.logID, alice, 1...2)]
        try store.commit(commit)
        guard case .entries(let entries, _) = try store.journal(after: nil, countLimit: 9, byteLimit: .max) else {
            Issue.record("the journal begins with its first row")
            return
        }
        #expect(entries.map { "\($0.id.row).\($0.id.index)" } == ["1.0", "1.1", "1.2", "2.1"])
        let updates = entries.compactMap { if case .update(let update) = $0.content { update } else { nil } }
        #expect(updates.map(\.messageID) == [log.messageID(1), log.messageID(2)])
        #expect(updates.map(\.change) == [.text, .reactions] && updates.map(\.userID) == [alice, bob])
    }

    @Test("of a session leave the last to stand, whoever wrote it, and those that wait for a step in between")
    func session() throws {
        let id = SessionID.random()
        var mine = SampleLog()
        mine.append(at: 1, relation: .session(id, counter: 1))
        mine.append(at: 3, relation: .session(id, counter: 4))
        var theirs = SampleLog(device: 5, author: 4)
        theirs.append(at: 2, relation: .session(id, counter: 2))
        try store.commit(delivered(mine))
        try store.commit(delivered(theirs))
        let rows = try #require(try store.history(of: mine.conversationID, .latest, limit: 9))
        #expect(rows.map(\.isSuperseded) == [true, false, false])
        #expect(try store.nextStep(of: id, in: mine.conversationID) == 3)
    }

    @Test("of a session do not count where their author withholds them, or they do not count as messages")
    func withheldStep() throws {
        let id = SessionID.random()
        var mine = SampleLog()
        mine.append(at: 1, relation: .session(id, counter: 1))
        mine.append(at: 2, relation: .session(id, counter: 2))
        mine.append(at: 3, kind: .disregarded, relation: .session(id, counter: 2))
        var commit = mine.commit
        commit.failures = [
            DeliveryFailure(
                messageID: mine.messageID(2), recipientID: mine.record.recipientID, reason: .cancelled, isWithheld: true
            )
        ]
        try store.commit(commit)
        let rows = try #require(try store.history(of: mine.conversationID, .latest, limit: 9))
        #expect(rows.map(\.isSuperseded) == [false, false])
        #expect(try store.nextStep(of: id, in: mine.conversationID) == 2)
    }
}
