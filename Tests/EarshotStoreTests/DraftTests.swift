import EarshotModel
import EarshotStore
import Testing

@Suite("What the store keeps of drafts")
struct DraftTests {
    private let store: Store
    private let conversationID = ConversationID(Bytes32())

    init() throws { store = try Store.inMemory() }

    private func record(_ number: Int, by name: String? = "quotes", content: [UInt8] = [1, 2, 3]) -> DraftRecord {
        DraftRecord(
            draftID: EntryKey(high: 0, low: UInt64(number)), conversationID: conversationID, content: content,
            insertedBy: name, createdAt: 7)
    }

    private func commit(_ steps: DraftStep..., messageID: MessageID? = nil) throws {
        var commit = Commit()
        commit.programChanges = steps.map(ProgramChange.draft)
        commit.journal = steps.map { .draft($0.news(messageID)) }
        try store.commit(commit)
    }

    private func events() throws -> [DraftNews] {
        guard case .entries(let entries, _) = try store.journal(after: nil, countLimit: 100, byteLimit: 1 << 20) else {
            return []
        }
        return entries.compactMap { if case .draft(let news) = $0.content { news } else { nil } }
    }

    @Test("is what the node remembers, after each step")
    func steps() throws {
        let (first, second) = (record(1), record(2, by: nil))
        try commit(.insert(first), .insert(second))
        let changed = first.changed(to: [4], at: 9)
        try commit(.update(changed))
        #expect(try store.snapshot().drafts == [changed, second])
        try commit(.send(second, sentBefore: nil))
        try commit(.discard(changed))
        #expect(try store.snapshot().drafts == [] && store.draftCount() == 0)
        #expect(try store.snapshot().discardedDrafts == [first.draftID])
    }

    @Test("says in the journal what became of each, by whom it was inserted and as which message it was sent")
    func journal() throws {
        let messageID = MessageID(log: LogID(Bytes32()), sequence: 3)
        let (first, second) = (record(1), record(2, by: nil))
        try commit(.insert(first), .insert(second))
        try commit(.send(first, sentBefore: nil), messageID: messageID)
        try commit(.discard(second))
        #expect(
            try events() == [
                DraftNews(.inserted, first.change()), DraftNews(.inserted, second.change()),
                DraftNews(.sent, first.change(as: messageID)), DraftNews(.discarded, second.change()),
            ])
    }

    @Test("remembers the ids of the last that were discarded")
    func discarded() throws {
        let number = Limits.discardedDrafts + 1
        for start in stride(from: 0, to: number, by: 100) {
            var commit = Commit()
            for each in start..<min(number, start + 100) {
                commit.programChanges += [.draft(.insert(record(each))), .draft(.discard(record(each)))]
            }
            try store.commit(commit)
        }
        let remembered = try store.snapshot().discardedDrafts
        #expect(remembered.count == Limits.discardedDrafts && remembered.first == record(1).draftID)
    }
}
