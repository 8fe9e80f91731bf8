import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

/// Alice's second device has written three messages to Bob.
@Suite("What is kept and not shown is looked at again")
struct RegardedEntriesTests {
    private let family = Family()
    private let bob = device("bob")
    private let log: LogRecord
    private let texts: [EntryRecord]

    init() {
        var written = HandWrittenLog(by: family.linked, to: bob.userID)
        texts = (1...3).map { written.entry("text \($0)") }
        log = written.record
    }

    private func table(_ silent: [EntryRecord] = []) -> ConversationTable {
        let messageIDs = silent.map { MessageID(log: log.logID, sequence: $0.sequence) }
        let entries = silent.isEmpty ? [] : [RecordedEntries(log: log, entries: silent)]
        return ConversationTable(
            userID: bob.userID, deviceID: bob.deviceID, silent: SilentEntries(messageIDs, entries))
    }

    /// Alice's primary device says that the second one ends behind a message.
    private func cut(_ table: inout ConversationTable, after number: Int) {
        var primary = HandWrittenLog(by: family.primary, to: bob.userID, epoch: UInt64(number))
        let entry = texts[number - 1]
        let end = LogPlace(logID: log.description.logID, sequence: entry.sequence, chain: entry.chain)
        let said = DeviceCut.sign(
            family.linked.deviceID, after: [end], in: log.description.conversationID, with: family.identityKey)
        table.takeCuts(in: [primary.entry(.cut(said))], of: primary.record)
    }

    private func regarded(_ table: inout ConversationTable) -> [UInt64] {
        table.silent.takeRegarded { _ in true }.flatMap(\.entries).map(\.sequence).sorted()
    }

    @Test("when a further cut lets more count")
    func furtherCut() {
        var table = table()
        cut(&table, after: 1)
        table.silent.insert(texts[1...2].map { $0.silent(as: .cutOff) }, of: IncomingLog(log))
        #expect(regarded(&table) == [])
        cut(&table, after: 2)
        #expect(regarded(&table) == [2])
    }

    @Test(
        "and stays so behind a cut, whatever becomes known of who was in", arguments: [EntryKind.cutOff, .disregarded])
    func behindCut(kind: EntryKind) {
        var table = table()
        cut(&table, after: 1)
        table.silent.insert(texts[1...2].map { $0.silent(as: kind) }, of: IncomingLog(log))
        table.regard(in: log.description.conversationID)
        #expect(regarded(&table) == [])
    }

    @Test("when the node starts: it may have ended between the entries and what follows from them")
    func start() {
        var table = table([texts[0].silent(as: .cutOff)])
        #expect(regarded(&table) == [1])
    }

    @Test("and is shown by nobody's word once its user has erased it")
    func erased() {
        var table = table()
        cut(&table, after: 1)
        table.silent.insert(texts[1...2].map { $0.silent(as: .cutOff) }, of: IncomingLog(log))
        var notes = HandWrittenLog(by: bob, to: bob.userID)
        let last = LogPlace(logID: log.description.logID, sequence: 2, chain: texts[1].chain)
        let erasure = notes.entry(.erasure([ErasedRun(through: last)]))
        let shown = notes.entry(.shown(texts[1...2].map { log.description.place($0.place) }))
        let said = RecordedEntries(log: notes.record, entries: [erasure, shown])
        _ = table.erasures.insert(said)
        table.hearShown([said])
        #expect(regarded(&table) == [3])
    }
}
