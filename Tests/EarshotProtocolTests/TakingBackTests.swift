import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Taking this node's own logs back")
struct TakingBackTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private var author: LogAuthor { LogAuthor(alice) }
    private let deliveries = Deliveries()
    private let conversation: ConversationRecord
    private var conversationID: ConversationID { conversation.conversationID }
    private var takingBack = TakingBack()
    /// What this node has of its log, with three messages that it was restored without, or has written since.
    private var written: HandWrittenLog
    private let entries: [EntryRecord]

    init() {
        conversation = .direct(alice.userID, bob.userID)
        var log = HandWrittenLog(by: alice, to: bob.userID)
        entries = (1...3).map { log.entry("\($0)") }
        written = log
    }

    private func now(_ uptime: Int64) -> Moment { Moment(wallClock: 0, uptime: uptime) }

    private mutating func claimed() { takingBack.begin(conversation, with: bob.userID, now: now(0)) }

    @Test("holds what goes to that conversation from the claim on, and to no other")
    mutating func held() {
        #expect(!takingBack.isHolding)
        claimed()
        #expect(takingBack.isHolding(conversationID) && takingBack.isHolding)
        #expect(!takingBack.isHolding(ConversationID.direct(alice.userID, alice.userID)))
    }

    @Test("holds nothing any more, and tells nothing, where the claim comes to nothing")
    mutating func nothing() {
        claimed()
        let event = takingBack.settle(conversationID, unsent: nil, limbo: nil)
        #expect(event == nil && !takingBack.isHolding && takingBack.conversationIDs.isEmpty)
    }

    @Test("lets a user go who claims what they do not give, and holds nothing for them any more")
    mutating func inVain() {
        claimed()
        #expect(takingBack.due == Timing.recovery)
        let early = takingBack.updateHolds(now: now(Timing.recovery - 1))
        let (late, held) = takingBack.updateHolds(now: now(Timing.recovery))
        #expect(early.late.isEmpty && late.map(\.conversationID) == [conversationID] && held.isEmpty)
        #expect(late.first?.hold.hasBroughtEntries == false)
        #expect(takingBack.isPaused(conversationID) && !takingBack.isHolding(conversationID))
    }

    @Test("gives more time for entries that came, and holds again after a pause where something is still to come")
    mutating func pause() {
        claimed()
        takingBack.came(entries, of: written.record.description)
        let early = takingBack.updateHolds(now: now(Timing.recovery)).late
        #expect(early.isEmpty)
        let (late, _) = takingBack.updateHolds(now: now(Timing.recovery + 1_000))
        #expect(late.first?.hold.hasBroughtEntries == true)
        let again = takingBack.updateHolds(now: now(Timing.recovery + 1_000 + Timing.recoveryPause))
        #expect(again.late.isEmpty && again.held == [conversationID] && takingBack.isHolding(conversationID))
    }

    @Test("gives who claims again no more time for it, also when the first claim came to nothing")
    mutating func again() {
        claimed()
        _ = takingBack.settle(conversationID, unsent: nil, limbo: nil)
        takingBack.begin(conversation, with: bob.userID, now: now(Timing.recovery - 1))
        #expect(takingBack.due == Timing.recovery)
    }

    @Test("releases requests to take messages back when the recipient's messages are held no longer")
    mutating func cancels() throws {
        claimed()
        let messageID = MessageID(log: written.logID, sequence: 1)
        try takingBack.hold(cancelOf: messageID, in: conversationID, requestID: RequestID(7))
        let early = takingBack.releaseCancels()
        _ = takingBack.settle(conversationID, unsent: nil, limbo: nil)
        let released = takingBack.releaseCancels()
        #expect(early.isEmpty && released.map(\.messageID) == [messageID])
    }

    // MARK: - An unsent end

    /// The second and the third give way, and nothing is fetched any more.
    private mutating func cut(_ next: inout CommitInFlight) -> Bool {
        claimed()
        takingBack.cut(OwnLog(record: written.record), after: entries[0].head)
        let logs = Logs(author: author, records: [written.record])
        takingBack.move(into: &next, logs: logs, deliveries: deliveries)
        return !next.cuts.isEmpty
    }

    @Test(
        "moves an unsent end to a limbo with one commit, and holds on until it is written anew, however long that takes"
    )
    mutating func unsent() throws {
        var next = CommitInFlight()
        let isCut = cut(&next)
        #expect(isCut && !takingBack.hasCommits)
        let tail = try #require(next.commit.unsentTails.first)
        #expect(tail.logID == written.logID && tail.after == 1)
        #expect(next.commit.logs.map(\.head) == [entries[0].head])
        #expect(tail.limbo.isLimbo && tail.limbo.base == entries[0].head && tail.limbo.head == written.head)
        _ = takingBack.updateHolds(now: now(Timing.recovery))
        #expect(takingBack.isHolding(conversationID))
        let early = takingBack.settle(conversationID, unsent: nil, limbo: tail.limbo)
        #expect(early == nil && takingBack[conversationID]?.rewriting == nil)
        takingBack.wasCut(conversationID)
        // Also where nothing came back after all.
        _ = takingBack.settle(conversationID, unsent: nil, limbo: tail.limbo)
        #expect(takingBack[conversationID]?.rewriting?.limbo == tail.limbo)
    }

    @Test("appends nothing in the places of an unsent end that waits, also in a pause, and after a start")
    mutating func waiting() throws {
        var next = CommitInFlight()
        _ = cut(&next)
        let limbo = try #require(next.cuts.first).limbo
        takingBack.wasCut(conversationID)
        _ = takingBack.updateHolds(now: now(Timing.recovery))
        #expect(takingBack.isPaused(conversationID) && takingBack.isHolding(conversationID))
        _ = takingBack.settle(conversationID, unsent: nil, limbo: limbo)
        _ = takingBack.nextRead(of: conversationID)
        let target = HandWrittenLog(by: alice, to: bob.userID, epoch: 9).logID
        takingBack.rewritten(conversationID, [], into: target, limbo: nil)
        #expect(takingBack.isHolding(conversationID))
        _ = takingBack.settle(conversationID, unsent: nil, limbo: nil)
        #expect(!takingBack.isHolding(conversationID))
        let restarted = TakingBack(limbo: [limbo])
        #expect(restarted.isHolding(conversationID))
    }

    @Test("tries again to move an unsent end where the disk refused it")
    mutating func refused() {
        var (first, second) = (CommitInFlight(), CommitInFlight())
        _ = cut(&first)
        takingBack.takeBackCuts()
        #expect(takingBack.hasCommits)
        _ = cut(&second)
        #expect(second.commit.unsentTails.count == 1)
        #expect(first.commit.unsentTails == second.commit.unsentTails)
    }

    @Test("moves no end of a log to which the same commit appends: what is appended belongs to the end")
    mutating func sameCommit() {
        var next = CommitInFlight()
        next.appended = [CommitInFlight.Appended(record: written.record, entries: [], news: [])]
        let isCut = cut(&next)
        #expect(!isCut && takingBack.hasCommits)
    }

    @Test("tells what came back and what has other names, once all is written anew")
    mutating func told() throws {
        var commit = CommitInFlight()
        _ = cut(&commit)
        let limbo = try #require(commit.cuts.first).limbo
        takingBack.wasCut(conversationID)
        takingBack.returned(entries, of: written.record.description)
        #expect(takingBack.isKnownOlder)
        let early = takingBack.settle(conversationID, unsent: nil, limbo: limbo)
        #expect(early == nil)
        let next = takingBack.nextRead(of: conversationID)
        let read = try #require(next)
        #expect(read.logID == limbo.logID && read.from == 2)
        let keys = takingBack.read(Array(entries[1...]), of: conversationID) ?? []
        if !keys.isEmpty { takingBack.found([:], in: conversationID) }
        #expect(takingBack.ready == [conversationID] && takingBack.hasCommits)
        takingBack.beginCommit(conversationID)
        let target = HandWrittenLog(by: alice, to: bob.userID, epoch: 9).logID
        let moved = RenamedMessages(
            from: MessageID(log: limbo.logID, sequence: 2), to: MessageID(log: target, sequence: 2), count: 2)
        takingBack.rewritten(conversationID, [moved], into: target, limbo: nil)
        let event = takingBack.settle(conversationID, unsent: nil, limbo: nil)
        // What had the names before the end was moved is what a program knows.
        let known = RenamedMessages(
            from: MessageID(log: written.logID, sequence: 2), to: MessageID(log: target, sequence: 2), count: 2)
        #expect(
            event == .historyRecovered(HistoryRecovery(userID: bob.userID, count: 3, renamed: [known])))
        #expect(!takingBack.isHolding && takingBack.conversationIDs.isEmpty)
    }

    @Test("renames requests to take messages back of an end that is written anew")
    mutating func renamedCancels() throws {
        var next = CommitInFlight()
        let isCut = cut(&next)
        #expect(isCut)
        try takingBack.hold(
            cancelOf: MessageID(log: written.logID, sequence: 3), in: conversationID, requestID: RequestID(7))
        let limbo = try #require(next.cuts.first).limbo
        takingBack.wasCut(conversationID)
        takingBack.returned(entries, of: written.record.description)
        _ = takingBack.settle(conversationID, unsent: nil, limbo: limbo)
        let target = HandWrittenLog(by: alice, to: bob.userID, epoch: 9).logID
        let moved = RenamedMessages(
            from: MessageID(log: limbo.logID, sequence: 2), to: MessageID(log: target, sequence: 5), count: 2)
        takingBack.rewritten(conversationID, [moved], into: target, limbo: nil)
        _ = takingBack.settle(conversationID, unsent: nil, limbo: nil)
        let released = takingBack.releaseCancels()
        #expect(released.map(\.messageID) == [MessageID(log: target, sequence: 6)])
    }

    @Test("writes a log anew of which nobody was offered anything, once something has come back")
    mutating func unsentLog() {
        let unsent = OwnLog(record: HandWrittenLog(by: alice, to: bob.userID, epoch: 5).record)
        claimed()
        takingBack.returned(entries, of: written.record.description)
        let first = takingBack.settle(conversationID, unsent: (unsent, 0), limbo: nil)
        #expect(first == nil && takingBack[conversationID]?.cut?.logID == unsent.record.logID)
        takingBack.wasCut(conversationID)
        // Looked at once: what is written anew is not moved again.
        _ = takingBack.settle(conversationID, unsent: nil, limbo: nil)
        takingBack.rewritten(conversationID, [], into: written.logID, limbo: nil)
        let last = takingBack.settle(conversationID, unsent: (unsent, 0), limbo: nil)
        #expect(last != nil && takingBack[conversationID] == nil)
    }

    @Test("moves what nobody was offered from behind the last entry that somebody was, which the disk knows")
    mutating func unsentEnd() {
        claimed()
        takingBack.returned(entries, of: written.record.description)
        let log = OwnLog(record: written.record)
        _ = takingBack.settle(conversationID, unsent: (log, 2), limbo: nil)
        let reads = takingBack.takeLookups()
        #expect(reads.map(\.from) == [2] && reads.map(\.logID) == [written.logID])
        // One look at a time, and once more if the disk could not answer.
        _ = takingBack.settle(conversationID, unsent: (log, 2), limbo: nil)
        let more = takingBack.takeLookups()
        takingBack.looked(conversationID, nil, in: nil)
        _ = takingBack.settle(conversationID, unsent: (log, 2), limbo: nil)
        let again = takingBack.takeLookups()
        #expect(more.isEmpty && again == reads && takingBack[conversationID]?.cut == nil)
        takingBack.looked(conversationID, entries[1], in: log)
        #expect(takingBack[conversationID]?.cut?.after == 2)
    }

    @Test("goes on after a crash with what was to be written anew")
    mutating func limboAtStart() throws {
        var next = CommitInFlight()
        let isCut = cut(&next)
        #expect(isCut)
        let limbo = try #require(next.cuts.first).limbo
        takingBack = TakingBack(limbo: [limbo])
        #expect(takingBack.isHolding(conversationID))
        _ = takingBack.settle(conversationID, unsent: nil, limbo: limbo)
        let read = takingBack.nextRead(of: conversationID)
        #expect(read?.from == 2)
    }
}
