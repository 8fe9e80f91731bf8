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

    @Test("are missing in receipts beside the entries without bodies, of their own branch alone")
    func joined() throws {
        let silent = SilentEntries([MessageID(log: branch.logID, sequence: 5)])
        let other = try #require(Bytes32([UInt8](repeating: 1, count: 32)).map { LogID($0) })
        let joined = silent.joined(to: [branch.logID: SequenceSet(2...3), other: SequenceSet(1...1)])
        #expect(joined[branch.logID]?.ranges == [2...3, 5...5] && joined[other]?.ranges == [1...1])
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
        let shown = texts[0]
        let record = LogRecord(
            description: branch.description, authorID: branch.authorID,
            conversation: .direct(branch.authorID, branch.authorID),
            head: LogHead(sequence: 8, chain: texts[7].chain, timestamp: texts[7].timestamp))
        var silent = SilentEntries(
            [MessageID(log: branch.logID, sequence: 3)], [RecordedEntries(log: record, entries: [entry])])
        var showings = Showings(of: branch.authorID)
        showings.note(ShownEntries(SequenceSet(shown.sequence...3), of: branch.logID))
        silent.regard { showings.covers($0.entry.sequence, of: $0.branch) }
        #expect(silent.takeRegarded { _ in true }.flatMap(\.entries) == [texts[2]])
    }

    @Test("never make more ranges than a receipt has room for: the last one grows instead")
    func bounded() {
        let all = stride(from: UInt64(1), through: 999, by: 2).map { MessageID(log: branch.logID, sequence: $0) }
        let silent = SilentEntries(all)
        #expect(silent[branch.logID].ranges.count == Limits.silentRanges)
        #expect(silent[branch.logID].ranges.last?.upperBound == 999 && silent[branch.logID].ranges.first == 1...1)
        #expect(Limits.silentRanges < Limits.missingRangesPerReceipt)
    }
}
