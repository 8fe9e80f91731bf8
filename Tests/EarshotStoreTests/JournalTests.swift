import EarshotModel
import EarshotProtocol
import GRDB
import Testing

@testable import EarshotStore

@Suite("The journal")
struct JournalTests {
    private let store: Store
    private let log: SampleLog
    private let bob: UserID = identifier(4)

    /// A log of five messages for user 4, the third of which is of a kind that is not shown.
    init() throws {
        store = try Store.inMemory()
        var log = SampleLog()
        for time in 1...5 as ClosedRange<Int64> { log.append(at: time, kind: time == 3 ? .unknown : .text) }
        self.log = log
    }

    private func write(
        _ records: JournalRecord..., at time: Int64 = 1000, after change: (inout Commit) -> Void = { _ in }
    ) throws {
        var commit = Commit()
        change(&commit)
        (commit.journal, commit.time) = (records, time)
        try store.commit(commit)
    }

    private func writeMessages() throws {
        try write(.queued(log.logID, 1...5)) { $0 = log.commit }
    }

    private func page(after id: EventID? = nil, count: Int = 100, bytes: Int = .max) throws -> [JournalEntry] {
        guard case .entries(let entries, _) = try store.journal(after: id, countLimit: count, byteLimit: bytes) else {
            Issue.record("what follows \(id.map { "\($0)" } ?? "the beginning") is gone")
            return []
        }
        return entries
    }

    private func places(_ entries: [JournalEntry]) -> [String] { entries.map { "\($0.id.row).\($0.id.index)" } }

    @Test("has conversations with whatever names they have, and the owner of a private one")
    func conversations() throws {
        // The mark is one character with whatever comes before it.
        let names = ["ops", "on call", "\u{301}", "\u{111BB}x"]
        let updates = names.map { name in
            ConversationUpdate(
                conversationID: identifier(9), kind: name == "ops" ? .private : .open, uniqueName: name,
                status: .invited, ownerID: name == "ops" ? bob : nil, changes: [.status, .owner])
        }
        for update in updates { try write(.conversation(update)) }
        let read = try page().compactMap { if case .conversation(let update) = $0.content { update } else { nil } }
        #expect(read == updates)
    }

    @Test("has a row for each group, which becomes its events; what is not shown keeps its index")
    func groups() throws {
        try writeMessages()
        try write(.progress(log.logID, bob, .sent, 1...2), .failed(log.logID, bob, .expired, 4...5), at: 2000)
        try write(.user(bob, .discovered), .user(bob, .updated([.name, .trust])), at: 3000)
        let entries = try page()
        #expect(
            places(entries) == ["1.0", "1.1", "1.3", "1.4", "2.0", "2.1", "3.0", "3.1", "4.0", "5.0"])
        #expect(
            entries.map(\.time) == Array(repeating: 1000, count: 4) + Array(repeating: 2000, count: 4) + [3000, 3000])
        let changes = entries.compactMap { if case .state(let change) = $0.content { change } else { nil } }
        #expect(changes.map(\.messageID.sequence) == [1, 2, 4, 5])
        #expect(changes.map(\.state) == [.sent, .sent, .failed(.expired), .failed(.expired)])
        #expect(changes.allSatisfy { $0.recipientID == bob && $0.conversationID == log.conversationID })
        let news = entries.compactMap { if case .user(bob, let news) = $0.content { news } else { nil } }
        #expect(news == [.discovered, .updated([.name, .trust])])
        #expect(try store.journalEnd() == entries.last?.id)
    }

    @Test("is read in pages of any size, each of which goes on in the middle of a row", arguments: 1...5)
    func pages(count: Int) throws {
        try writeMessages()
        try write(.progress(log.logID, bob, .delivered, 1...4))
        var places: [String] = []
        var place: EventID?
        while case .entries(let entries, let end) = try store.journal(after: place, countLimit: count, byteLimit: .max),
            end != place
        {
            #expect(entries.count <= count)
            places += self.places(entries)
            place = end
        }
        #expect(places == ["1.0", "1.1", "1.3", "1.4", "2.0", "2.1", "2.2", "2.3"])
        #expect(try place == store.journalEnd())
    }

    @Test("goes on with the next row after a place that a row does not have", arguments: [1, 5, UInt64.max])
    func placeBeyondRow(index: UInt64) throws {
        try write(.user(bob, .discovered))
        try write(.progress(log.logID, bob, .sent, 1...1)) { $0 = log.commit }
        try write(.user(bob, .discovered))
        let generation = try store.journalEnd().generation
        for (row, expected) in [(1, ["2.0", "3.0"]), (2, ["3.0"])] as [(Int64, [String])] {
            let place = EventID(generation: generation, row: row, index: index)
            #expect(try places(page(after: place)) == expected)
        }
    }

    @Test("is read up to the message that is more than a page may hold")
    func bytes() throws {
        try writeMessages()
        #expect(try places(page(bytes: 1)) == ["1.0"])
        #expect(try places(page(bytes: log.entries[0].windowBytes + 1)) == ["1.0", "1.1"])
    }

    @Test("says that something is gone where another journal, a pruned row or a row that never was is named")
    func gone() throws {
        try writeMessages()
        try write(.user(bob, .discovered))
        try store.write { try $0.execute(sql: "DELETE FROM journal WHERE row = 1") }
        let end = try store.journalEnd()
        func first(after row: Int64, _ index: UInt64, of generation: UInt64? = nil) throws -> EventID? {
            let id = EventID(generation: generation ?? end.generation, row: row, index: index)
            guard case .gone(let first) = try store.journal(after: id, countLimit: 9, byteLimit: 9) else { return nil }
            return first
        }
        for (row, index) in [(0, 0), (1, 4), (2, 1), (3, 0)] as [(Int64, UInt64)] {
            #expect(try first(after: row, index) == end, "\(row).\(index)")
        }
        #expect(try first(after: 2, 0) == nil)
        #expect(try first(after: 2, 0, of: end.generation ^ 1) == end)
    }

    @Test("begins anew with a commit that says so, and no id of before names anything")
    func generations() throws {
        let empty = try store.journalEnd()
        #expect(empty.row == 0)
        #expect(try places(page(after: empty)) == [])
        try writeMessages()
        #expect(try places(page(after: empty)).count == 4)
        let old = try store.journalEnd()
        try write(.user(bob, .discovered)) { $0.beginsGeneration = true }
        #expect(try store.journalEnd().generation != old.generation)
        #expect(try places(page()) == ["1.0"])
        for id in [empty, old] {
            guard case .gone(let first) = try store.journal(after: id, countLimit: 9, byteLimit: 9) else {
                Issue.record("\(id) still names something")
                continue
            }
            #expect(try first == page().first?.id)
        }
    }

    @Test("loses its oldest rows when it is too old, in steps and never the newest")
    func pruning() throws {
        for row in 1...300 as ClosedRange<Int64> { try write(.user(bob, .discovered), at: row) }
        let late = 300 + Timing.journalAge
        func count() throws -> Int? { try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } }
        // A step comes with every 64th row, and takes at most 128.
        for _ in 301...319 { try write(.user(bob, .discovered), at: late) }
        #expect(try count() == 319)
        try write(.user(bob, .discovered), at: late)
        #expect(try count() == 192)
        #expect(try page().first?.id.row == 129)
        for _ in 321...384 { try write(.user(bob, .discovered), at: late) }
        #expect(try count() == 128)
        #expect(try page().first?.id.row == 257)
        for _ in 385...448 { try write(.user(bob, .discovered), at: late) }
        // The last of the first rows is not older than allowed.
        #expect(try page().first?.id.row == 300)
        for _ in 449...512 { try write(.user(bob, .discovered), at: late * 2) }
        #expect(try page().first?.id.row == 428)
    }

    @Test("goes on for whoever has read all of it, also when everything before a commit is too old")
    func pruningBehindReaders() throws {
        for row in 1...63 as ClosedRange<Int64> { try write(.user(bob, .discovered), at: row) }
        let end = try store.journalEnd()
        try write(.user(bob, .discovered), at: 64 + Timing.journalAge)
        #expect(try places(page(after: end)) == ["64.0"])
    }

    @Test("names a place by its generation, row and index, and by nothing else")
    func identifiers() throws {
        let id = EventID(generation: 0xab, row: 7, index: 12)
        #expect(id.description == "00000000000000ab.7.12")
        #expect(EventID(id.description) == id)
        for text in [
            "", "ab.7.12", "00000000000000AB.7.12", "00000000000000ab.07.12", "00000000000000ab.7",
            "00000000000000ab.-7.1",
        ] {
            #expect(EventID(text) == nil, "\(text)")
        }
    }
}

@Suite("The times of a message's states")
struct StateTimeTests {
    private let store: Store
    private let log: SampleLog
    private let bob: UserID = identifier(4)

    init() throws {
        store = try Store.inMemory()
        log = SampleLog.at([1, 2, 3, 4])
        try store.commit(log.commit)
    }

    private func advance(_ step: JournalRecord.Step, _ run: ClosedRange<UInt64>, at time: Int64) throws {
        var commit = Commit()
        var progress = try store.snapshot().deliveries.first?.progress ?? DeliveryProgress()
        switch step {
        case .sent: (progress.offered, progress.sent) = (run.upperBound, run.upperBound)
        case .delivered: progress.delivered = run.upperBound
        case .handled: progress.handled = run.upperBound
        case .read: progress.read = run.upperBound
        }
        commit.deliveries = [DeliveryRecord(logID: log.logID, recipientID: bob, progress: progress)]
        (commit.journal, commit.time) = ([.progress(log.logID, bob, step, run)], time)
        try store.commit(commit)
    }

    private func times() throws -> [MessageTimes] {
        try (store.history(of: log.conversationID, .first, limit: 9) ?? []).map { $0.times(for: bob) }
    }

    @Test("are the same when many groups came after, and lie in the journal no more")
    func manyGroups() throws {
        try advance(.sent, 1...2, at: 10)
        try advance(.delivered, 1...2, at: 20)
        for _ in 1...70 { try advance(.sent, 3...3, at: 30) }
        try advance(.delivered, 3...3, at: 40)
        func check() throws {
            #expect(try times().map(\.sent) == [10, 10, 30, nil])
            #expect(try times().map(\.delivered) == [20, 20, 40, nil])
        }
        try check()
        #expect(try store.read { try Int64.fetchOne($0, sql: "SELECT timed FROM journalGeneration") } == 64)
        try store.write { try $0.execute(sql: "DELETE FROM journal WHERE row <= 64") }
        try check()
        var commit = Commit()
        commit.beginsGeneration = true
        try store.commit(commit)
        try check()
        try advance(.read, 1...1, at: 50)
        #expect(try times().map(\.read) == [50, nil, nil, nil])
    }

    @Test("are those of the groups that it was in")
    func groups() throws {
        try advance(.sent, 1...2, at: 10)
        try advance(.sent, 3...3, at: 20)
        try advance(.delivered, 1...3, at: 30)
        try advance(.read, 1...1, at: 40)
        let times = try times()
        #expect(times.map(\.sent) == [10, 10, 20, nil])
        #expect(times.map(\.delivered) == [30, 30, 30, nil])
        #expect(times.map(\.read) == [40, nil, nil, nil])
    }

    @Test("are not given for states that it has not reached")
    func failures() throws {
        try advance(.sent, 1...3, at: 10)
        var commit = Commit()
        commit.failures = [
            DeliveryFailure(messageID: log.messageID(2), recipientID: bob, reason: .cancelled, isWithheld: true),
            DeliveryFailure(messageID: log.messageID(3), recipientID: bob, reason: .expired, isWithheld: false),
        ]
        try store.commit(commit)
        try advance(.delivered, 1...1, at: 20)
        let times = try times()
        #expect(times.map(\.sent) == [10, nil, 10, nil])
        #expect(times.map(\.delivered) == [20, nil, nil, nil])
    }

    @Test("stay where the unsent end of a log gives way, up to there")
    func unsentTail() throws {
        try advance(.sent, 1...1, at: 10)
        try advance(.sent, 2...4, at: 20)
        var commit = Commit()
        commit.unsentTails = [UnsentTail(logID: log.logID, after: 3, limbo: log.limbo(identifier(77), after: 3))]
        try store.commit(commit)
        #expect(try times().map(\.sent) == [10, 20, 20, nil])
    }
}
