import EarshotModel
import Testing

@testable import EarshotProtocol

/// Alice's database is older than what Bob holds of her log.
@Suite("Taking back one log")
struct RecoveryTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let now = Moment(wallClock: 1_000, uptime: 1_000)
    /// What Bob holds, and what Alice has.
    private var theirs: HandWrittenLog
    private var own: HandWrittenLog
    private let first: EntryRecord
    private var deliveries = Deliveries()

    init() {
        theirs = HandWrittenLog(by: alice, to: bob.userID)
        first = theirs.entry("one")
        own = theirs
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered) = (1, 1, 1)
        deliveries = Deliveries(deliveries: [
            DeliveryRecord(logID: theirs.logID, recipientID: bob.userID, progress: progress)
        ])
    }

    private var author: LogAuthor { LogAuthor(alice) }
    private var logs: Logs { Logs(author: author, records: [own.record]) }

    private func claim() -> Receipt {
        Receipt.sign(
            logID: theirs.logID, sequence: theirs.head.sequence, chain: theirs.head.chain, readSequence: 0,
            deviceID: bob.deviceID, with: bob.signingKey)
    }

    private func frame(_ entries: [EntryRecord]) throws -> EntriesFrame {
        EntriesFrame(
            log: theirs.record.description, firstSequence: entries[0].sequence, contents: entries.map(\.content),
            checkpoint: try #require(entries.last?.checkpoint))
    }

    /// Asks behind what both hold, and takes what Bob gives back.
    private mutating func taken(_ entries: [EntryRecord]) throws -> Recovery {
        var recovery = Recovery(claim: claim(), userID: bob.userID, connectionID: ConnectionID(1))
        guard case .read(_, from: 1, countLimit: 1) = recovery.begin(logs: logs, deliveries: deliveries) else {
            Issue.record("the last entry that both hold is not read")
            return recovery
        }
        let step = recovery.read([first], logs: logs, deliveries: &deliveries, author: author, now: now)
        guard case .ask(from: 2) = step else {
            Issue.record("the peer is not asked for what follows")
            return recovery
        }
        let taken = try recovery.take(try frame(entries), authorID: alice.userID, latest: .maximum)
        #expect(taken.map(\.sequence) == entries.map(\.sequence))
        return recovery
    }

    @Test("writes what is new, with the peer's word for all of it")
    mutating func newEntries() throws {
        let entries = [theirs.entry("two"), theirs.entry("three")]
        var recovery = try taken(entries)
        guard case .write(let piece) = recovery.compareNext(logs: logs, author: author) else {
            Issue.record("nothing is written")
            return
        }
        #expect(piece.entries.map(\.chain) == entries.map(\.chain))
        #expect(piece.cut == nil && piece.receipt == claim() && piece.record.head.sequence == 3)
        #expect(recovery.isCommitting)
        guard case .end = recovery.written(OwnLog(record: piece.record), logs: logs, author: author) else {
            Issue.record("the log is not back")
            return
        }
    }

    @Test("moves what was written since to a log of its own where the two part")
    mutating func forked() throws {
        let entries = [theirs.entry("two")]
        let mine = own.entry("mine")
        var recovery = try taken(entries)
        guard case .read(_, from: 2, countLimit: 1) = recovery.compareNext(logs: logs, author: author),
            case .read(_, from: 2, _) = recovery.read(
                [mine], logs: logs, deliveries: &deliveries, author: author, now: now),
            case .write(let piece) = recovery.read(
                [mine], logs: logs, deliveries: &deliveries, author: author, now: now)
        else {
            Issue.record("the logs are not found to part")
            return
        }
        #expect(piece.cut?.after == 1 && piece.cut?.successor == piece.successor?.logID)
        #expect(piece.successor?.description.epoch == mine.timestamp.rawValue && piece.successor?.head.sequence == 1)
        #expect(piece.renamed.map(\.count) == [1])
        #expect(piece.common == 1)
    }

    @Test("takes nothing that it did not ask for, and nothing else than was claimed")
    mutating func otherThanClaimed() throws {
        let entry = theirs.entry("two")
        var early = Recovery(claim: claim(), userID: bob.userID, connectionID: ConnectionID(1))
        let frame = try frame([entry])
        #expect(throws: ProtocolError.self) {
            try early.take(frame, authorID: alice.userID, latest: .maximum)
        }
        var recovery = Recovery(
            claim: Receipt.sign(
                logID: theirs.logID, sequence: 2, chain: first.chain, readSequence: 0, deviceID: bob.deviceID,
                with: bob.signingKey), userID: bob.userID, connectionID: ConnectionID(1))
        _ = recovery.begin(logs: logs, deliveries: deliveries)
        _ = recovery.read([first], logs: logs, deliveries: &deliveries, author: author, now: now)
        let error = #expect(throws: ProtocolError.self) {
            try recovery.take(frame, authorID: alice.userID, latest: .maximum)
        }
        #expect(error?.message.contains("claims another entry") == true)
    }

    @Test("is contradicted where another device has acknowledged what would be cut off")
    mutating func contradicted() throws {
        let entries = [theirs.entry("two")]
        let mine = own.entry("mine")
        var recovery = try taken(entries)
        _ = recovery.compareNext(logs: logs, author: author)
        _ = recovery.read([mine], logs: logs, deliveries: &deliveries, author: author, now: now)
        let step = recovery.read([mine], logs: logs, deliveries: &deliveries, author: author, now: now)
        guard case .write(let piece) = step else {
            Issue.record("nothing is written")
            return
        }
        var recoveries = Recoveries()
        try recoveries.add(recovery, logs: logs)
        recoveries.write(piece)
        #expect(recoveries.contradicted(by: deliveries).isEmpty)
        let receipt = Receipt.sign(
            logID: own.logID, sequence: 2, chain: own.head.chain, readSequence: 0,
            deviceID: device("bob", seed: 3).deviceID, with: device("bob", seed: 3).signingKey)
        let isNews = deliveries.acknowledge(receipt, piece.key)
        #expect(isNews && recoveries.contradicted(by: deliveries).count == 1)
        // What is acknowledged while it is written is about entries that are elsewhere then.
        var written = piece
        written.progress = deliveries.restore(piece)
        let isAcknowledged = deliveries.dropAcknowledgements(of: written)
        #expect(!isAcknowledged)
        let later = Receipt.sign(
            logID: own.logID, sequence: 3, chain: own.head.chain, readSequence: 0, deviceID: bob.deviceID,
            with: bob.signingKey)
        _ = deliveries.acknowledge(later, piece.key)
        let isLate = deliveries.dropAcknowledgements(of: written)
        #expect(isLate && deliveries.target(piece.key) == written.progress)
    }

    @Test("comes in turn: a log that is not known here before those that are")
    mutating func order() throws {
        _ = theirs.entry("two")
        var recoveries = Recoveries()
        let unknown = HandWrittenLog(by: alice, to: bob.userID, epoch: 9)
        let other = Receipt.sign(
            logID: unknown.logID, sequence: 1, chain: first.chain, readSequence: 0, deviceID: bob.deviceID,
            with: bob.signingKey)
        for claim in [claim(), other] {
            try recoveries.add(
                Recovery(claim: claim, userID: bob.userID, connectionID: ConnectionID(1)), logs: logs)
        }
        #expect(recoveries.first(on: ConnectionID(1))?.logID == unknown.logID)
        let (isAll, isAgain) = (recoveries.end(on: ConnectionID(1)), recoveries.end(on: ConnectionID(1)))
        #expect(isAll == false && isAgain == nil)
    }
}
