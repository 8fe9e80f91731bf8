import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Entries that are kept and not shown")
struct SilentEntriesTests {
    private let branch: IncomingLog
    private let texts: [EntryRecord]

    init() {
        var log = HandWrittenLog(by: device("alice"), to: device("bob").userID)
        texts = (1...8).map { log.entry("text \($0)") }
        branch = IncomingLog(log.record)
    }

    /// Text number `sequence`, as one that says nothing.
    private func silent(_ sequence: Int) -> EntryRecord { texts[sequence - 1].silent(as: .disregarded) }

    @Test("are those that do not count and those behind a cut, and no others", arguments: EntryKind.allCases)
    func kinds(of kind: EntryKind) {
        var silent = SilentEntries()
        silent.insert([texts[2].silent(as: kind)], of: branch)
        #expect(silent[branch.logID].isEmpty == ![.disregarded, .cutOff].contains(kind))
    }

    @Test("are not missing any more once they count, and again if the disk did not take that")
    func regarded() {
        var silent = SilentEntries()
        silent.insert((4...6).map(self.silent), of: branch)
        silent.regard { $0.entry.sequence == 5 }
        #expect(silent.takeRegarded { _ in false }.isEmpty && silent.hasRegarded)
        let taken = silent.takeRegarded { _ in true }
        #expect(taken.flatMap(\.entries).map(\.sequence) == [5] && taken[0].entries[0].kind == .text)
        #expect(silent[branch.logID].ranges == [4...4, 6...6] && !silent.hasRegarded)
        silent.writeAgain(regarded: taken)
        #expect(silent[branch.logID].ranges == [4...6] && silent.hasRegarded)
        silent.forget(branch.logID, after: 4)
        #expect(silent[branch.logID].ranges == [4...4] && !silent.hasRegarded)
    }

    @Test("are looked at again after a start, and those count that another device has shown")
    func afterStart() {
        let entry = silent(3)
        let record = LogRecord(
            description: branch.description, authorID: branch.authorID,
            conversation: .direct(branch.authorID, branch.authorID),
            head: LogHead(sequence: 8, chain: texts[7].chain, timestamp: texts[7].timestamp))
        var silent = SilentEntries(
            [MessageID(log: branch.logID, sequence: 3)], [RecordedEntries(log: record, entries: [entry])])
        var showings = Showings(of: branch.authorID)
        _ = showings.note([branch.description.place(entry.place)])
        silent.regard { showings.covers($0.place) }
        #expect(silent.takeRegarded { _ in true }.flatMap(\.entries) == [texts[2]])
    }

    @Test("are after a start, too, what the last receipt named as missing and is lacking no more: it never came")
    func neverCame() {
        var progress = DeliveryProgress()
        progress.delivered = 8
        progress.receipt = Receipt.sign(
            logID: branch.description.logID, sequence: 8, chain: texts[7].chain, readSequence: 0,
            missing: SequenceSet(2...4), deviceID: device("bob").deviceID, with: device("bob").signingKey)
        var snapshot = Snapshot()
        snapshot.missing = [branch.logID: SequenceSet(3...3)]
        snapshot.deliveries = [
            DeliveryRecord(logID: branch.logID, recipientID: device("bob").userID, progress: progress)
        ]
        let silent = SilentEntries(snapshot, by: LogAuthor(device("bob")))
        #expect(silent[branch.logID].ranges == [2...2, 4...4])
        #expect(SilentEntries(snapshot, by: LogAuthor(device("carol")))[branch.logID].isEmpty)
    }

    @Test("have room by conversation: those of one push out none of another")
    func bounded() {
        var other = HandWrittenLog(by: device("carol"), to: device("bob").userID)
        let first = other.entry("first")
        var silent = SilentEntries()
        silent.insert([first.silent(as: .disregarded)], of: IncomingLog(other.record))
        for _ in 0..<(Limits.silentEntries / 8 + 1) { silent.insert((1...8).map(self.silent), of: branch) }
        silent.regard { _ in true }
        #expect(silent.takeRegarded { _ in true }.flatMap(\.entries).contains(first))
    }

    @Test("are named by a receipt with as many ranges as it has room for: the last one grows")
    func fused() {
        let many = (0..<40).reduce(into: SequenceSet()) { $0.insert(UInt64($1) * 3 + 1) }
        #expect(many.fused(to: 32).ranges.count == 32 && many.fused(to: 32).ranges.last == 94...118)
        #expect(many.fused(to: 40) == many)
    }

    @Test("are told of no more once their user has erased them")
    func erased() {
        var silent = SilentEntries()
        silent.insert((4...5).map(self.silent), of: branch)
        silent.regard { _ in true }
        silent.dropRegarded { $1.sequence == 4 }
        #expect(silent.takeRegarded { _ in true }.flatMap(\.entries).map(\.sequence) == [5])
    }
}
