import EarshotModel
import Testing

@testable import EarshotStore

@Suite("A store's history")
struct HistoryTests {
    /// Two logs of one conversation, at 10 30 50 and at 20 40 60.
    private let odd = SampleLog.at([10, 30, 50], device: 1)
    private let even = SampleLog.at([20, 40, 60], device: 2)

    @Test("merges a conversation's logs by time, whichever way they were written")
    func merge() throws {
        for logs in [[odd, even], [even, odd]] {
            #expect(try times(in: store(logs), .latest, limit: 9) == [10, 20, 30, 40, 50, 60])
        }
    }

    @Test("gives the last page, the page before a message and the page after one")
    func pages() throws {
        let store = try store([odd, even])
        #expect(try times(in: store, .latest, limit: 2) == [50, 60])
        #expect(try times(in: store, .before(odd.messageID(3)), limit: 2) == [30, 40])
        #expect(try times(in: store, .before(odd.messageID(1)), limit: 2) == [])
        #expect(try times(in: store, .after(even.messageID(1)), limit: 2) == [30, 40])
        #expect(try times(in: store, .after(even.messageID(3)), limit: 2) == [])
    }

    @Test("does not know a page at a message that the conversation does not hold")
    func unknownBound() throws {
        let foreign = SampleLog.at([15], conversation: 99, device: 3)
        let store = try store([odd, even, foreign])
        for messageID in [foreign.messageID(1), odd.messageID(4), odd.messageID(0), odd.messageID(.max)] {
            #expect(try store.history(of: odd.conversationID, .before(messageID), limit: 9) == nil)
            #expect(try store.history(of: odd.conversationID, .after(messageID), limit: 9) == nil)
        }
    }

    @Test("of a conversation that nobody has written to is empty")
    func empty() throws {
        #expect(try times(in: store([]), .latest, limit: 9) == [])
    }

    @Test("holds the messages of its own conversation only")
    func otherConversation() throws {
        let foreign = SampleLog.at([15], conversation: 99, device: 3)
        #expect(try times(in: store([odd, foreign]), .latest, limit: 9) == [10, 30, 50])
    }

    @Test("does not show entries whose content is withheld, and pages past them")
    func withheld() throws {
        var log = SampleLog.at([10])
        for time in Int64(20)..<40 { log.append(at: time, isWithheld: true) }
        log.append(at: 50)
        let store = try store([log])
        #expect(try times(in: store, .latest, limit: 2) == [10, 50])
        #expect(try times(in: store, .after(log.messageID(1)), limit: 1) == [50])
        #expect(try times(in: store, .before(log.messageID(22)), limit: 1) == [10])
        #expect(try times(in: store, .before(log.messageID(5)), limit: 1) == [10])
    }

    @Test("in the order of arrival has what was written long ago and came last at its end")
    func arrival() throws {
        let store = try store([even])
        let late = SampleLog.at([1, 5, 25], device: 7)
        try store.commit(late.commit)
        let followed = try #require(
            try store.history(of: late.conversationID, .after(even.messageID(3)), order: .arrival, limit: 9))
        #expect(followed.map(\.entry) == late.entries)
        #expect(followed.map(\.cursor) == [4, 5, 6])
        #expect(try times(in: store, .after(even.messageID(3)), limit: 9) == [])
        let latest = try #require(try store.history(of: late.conversationID, .latest, order: .arrival, limit: 4))
        #expect(latest.map(\.entry.timestamp.milliseconds) == [60, 1, 5, 25])
        #expect(try times(in: store, .first, limit: 3) == [1, 5, 20])
    }

    @Test("counts what it shows: an entry of a kind that this version does not know takes no place on a page")
    func unknownKind() throws {
        var log = SampleLog.at([10])
        for time in Int64(20)..<30 { log.append(at: time, kind: .unknown) }
        log.append(at: 40)
        let store = try store([log])
        #expect(try times(in: store, .latest, limit: 2) == [10, 40])
        #expect(try times(in: store, .after(log.messageID(1)), limit: 1) == [40])
        #expect(try store.row(of: log.messageID(2)) == nil)
    }

    @Test("that was read up to a message was read in each log that others write, as far as it had arrived by then")
    func unmarked() throws {
        let store = try store([odd, even])
        var own = SampleLog(device: 8, author: 9)
        own.append(at: 35)
        try store.commit(own.commit)
        var later = odd
        later.append(at: 55, isWithheld: true)
        later.append(at: 70)
        try store.commit(later.commit(from: 4))
        let reader: UserID = identifier(9)
        #expect(
            try Set(store.unmarked(through: even.messageID(2), by: reader)?.messages ?? []) == [
                odd.messageID(3), even.messageID(2),
            ])
        #expect(try store.unmarked(through: odd.messageID(2), by: reader)?.messages == [odd.messageID(2)])
        #expect(
            try Set(store.unmarked(through: later.messageID(5), by: reader)?.messages ?? []) == [
                later.messageID(5), even.messageID(3),
            ])

        var commit = Commit()
        var progress = DeliveryProgress()
        (progress.delivered, progress.read) = (3, 3)
        commit.deliveries = [DeliveryRecord(logID: even.logID, recipientID: reader, progress: progress)]
        try store.commit(commit)
        #expect(try store.unmarked(through: later.messageID(5), by: reader)?.messages == [later.messageID(5)])

        // Whoever has seen a message of their own, from whichever device, has seen what had arrived before it.
        let upToOwn = try #require(try store.unmarked(through: own.messageID(1), by: reader))
        #expect(!upToOwn.isToBeTold && upToOwn.messages == [odd.messageID(3)])
        #expect(try store.unmarked(through: odd.messageID(9), by: reader) == nil)
        #expect(try store.unmarked(through: MessageID(log: identifier(77), sequence: 1), by: reader) == nil)
    }

    @Test("lists conversations by their latest arrival, in pages, with the last message and what is unread")
    func conversations() throws {
        var foreign = SampleLog.at([90], conversation: 99, device: 3)
        foreign.append(at: 95, kind: .unknown)
        let store = try store([foreign, odd, even])
        let reader: UserID = identifier(4)
        var progress = DeliveryProgress()
        (progress.delivered, progress.read) = (3, 2)
        var commit = Commit()
        commit.deliveries = [DeliveryRecord(logID: odd.logID, recipientID: reader, progress: progress)]
        try store.commit(commit)
        func listed(before: ConversationID? = nil, limit: Int = 9) throws -> [ConversationID] {
            try store.conversations(readBy: reader, before: before, limit: limit).map(\.conversation.conversationID)
        }
        #expect(try listed() == [odd.conversationID, foreign.conversationID])
        #expect(try listed(limit: 1) == [odd.conversationID])
        #expect(try listed(before: odd.conversationID) == [foreign.conversationID])
        #expect(try listed(before: foreign.conversationID) == [])
        let rows = try store.conversations(readBy: reader, before: nil, limit: 9)
        #expect(rows.map { $0.last?.entry.timestamp.milliseconds } == [60, 90])
        #expect(rows.map(\.unreadCount) == [1 + 3, 1])
        // What this user wrote is not unread.
        #expect(try store.conversation(odd.conversationID, readBy: identifier(3))?.unreadCount == 0)
        #expect(try store.conversation(identifier(77), readBy: reader) == nil)
        #expect(try store.conversation(foreign.conversationID, readBy: reader)?.last?.entry == foreign.entries[0])
    }

    @Test("carries what each message's state depends on")
    func progressAndFailure() throws {
        let store = try store([odd])
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered) = (3, 2, 1)
        var commit = Commit()
        commit.deliveries = [DeliveryRecord(logID: odd.logID, recipientID: identifier(4), progress: progress)]
        let failure = DeliveryFailure(
            messageID: odd.messageID(2), recipientID: identifier(4), reason: .expired, isWithheld: false)
        commit.failures = [failure]
        try store.commit(commit)
        let rows = try #require(try store.history(of: odd.conversationID, .latest, limit: 9))
        #expect(rows.map(\.failures) == [[:], [identifier(4): failure], [:]])
        #expect(rows.map { $0.state(for: identifier(4)) } == [.delivered, .failed(.expired), .queued])
        #expect(rows.allSatisfy { $0.progress == [identifier(4): progress] && $0.log == odd.record })
        #expect(rows.map(\.entry) == odd.entries)
    }

    @Test("has for each recipient what became of a message")
    func recipients() throws {
        let store = try store([odd])
        var commit = Commit()
        commit.deliveries = ([4, 5] as [UInt8]).map {
            var progress = DeliveryProgress()
            (progress.offered, progress.sent, progress.delivered) = (3, 3, $0 == 4 ? 3 : 0)
            return DeliveryRecord(logID: odd.logID, recipientID: identifier($0), progress: progress)
        }
        commit.failures = ([5, 6] as [UInt8]).map {
            DeliveryFailure(
                messageID: odd.messageID(2), recipientID: identifier($0), reason: .expired, isWithheld: false)
        }
        try store.commit(commit)
        let row = try #require(try store.row(of: odd.messageID(2)))
        #expect(
            ([4, 5, 6] as [UInt8]).map { row.state(for: identifier($0)) } == [
                .delivered, .failed(.expired), .failed(.expired),
            ])
        #expect(try store.snapshot().failures.count == 2)
        commit = Commit()
        commit.withdrawnFailures = [Addressed(messageID: odd.messageID(2), recipientID: identifier(5))]
        try store.commit(commit)
        #expect(try store.snapshot().failures.map(\.recipientID) == [identifier(6)])
    }

    @Test("gives one message, and none for a number that the log does not reach")
    func singleRow() throws {
        let store = try store([odd])
        #expect(try store.row(of: odd.messageID(2))?.entry == odd.entries[1])
        for sequence in [0, 4, UInt64(Int64.max), UInt64.max] {
            #expect(try store.row(of: odd.messageID(sequence)) == nil)
        }
        #expect(try store.row(of: even.messageID(1)) == nil)
    }

    private func store(_ logs: [SampleLog]) throws -> Store {
        let store = try Store.inMemory()
        for log in logs { try store.commit(log.commit) }
        return store
    }

    private func times(in store: Store, _ bound: HistoryBound, limit: Int) throws -> [Int64] {
        let rows = try #require(try store.history(of: odd.conversationID, bound, limit: limit))
        return rows.map(\.entry.timestamp.milliseconds)
    }
}
