import DequeModule
package import EarshotModel

/// Messages that wait for a person to send or discard them.
///
/// It decides how many there may be: one that finds no room is refused, and none gives way, because a person may be
/// writing in it. It sends nothing: a draft that a person sends goes the way of all messages, and is forgotten here in the
/// commit that gives it its place in a log.
struct Drafts: Sendable {
    private struct Known: Sendable {
        let record: DraftRecord
        let draft: Draft
    }

    private var known: [EntryKey: Known] = [:]
    private var bytes = 0
    /// The last that were discarded, oldest first.
    private var discarded: Deque<EntryKey> = []

    init(_ records: [DraftRecord] = [], discarded: [EntryKey] = []) {
        for record in records { add(record) }
        self.discarded = Deque(discarded.suffix(Limits.discardedDrafts))
    }

    /// The oldest first.
    var all: [Draft] { known.values.map(\.draft).sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) } }

    subscript(draftID: EntryKey) -> Draft? { known[draftID]?.draft }

    func record(_ draftID: EntryKey) -> DraftRecord? { known[draftID]?.record }

    func wasDiscarded(_ draftID: EntryKey) -> Bool { discarded.contains(draftID) }

    /// The ids of those of a conversation.
    func ids(in conversationID: ConversationID) -> [EntryKey] {
        known.values.filter { $0.record.conversationID == conversationID }.map(\.record.draftID).sorted()
    }

    // MARK: - Room

    /// - Parameter others: that are to be inserted before it.
    /// - Throws: `ProtocolError` `tooManyDrafts`.
    func checkRoom(for record: DraftRecord, after others: [DraftRecord] = []) throws(ProtocolError) {
        let all = known.values.map(\.record) + others
        func check(_ count: Int, _ limit: Int, _ whose: String) throws(ProtocolError) {
            guard count < limit else {
                throw ProtocolError(
                    .tooManyDrafts, "\(whose) \(count) drafts already; send or discard one of them first")
            }
        }
        try check(
            all.count { $0.conversationID == record.conversationID }, Limits.draftsPerConversation,
            "the conversation has")
        if let name = record.insertedBy {
            try check(all.count { $0.insertedBy == name }, Limits.draftsOfProgram, "\(name) has inserted")
        }
        try check(all.count, Limits.drafts, "there are")
        try checkBytes(others.reduce(bytes) { $0 + $1.content.count } + record.content.count)
    }

    /// - Throws: `ProtocolError` `tooManyDrafts` if a draft has no room with another content.
    func checkRoom(changing record: DraftRecord) throws(ProtocolError) {
        try checkBytes(bytes - (self.record(record.draftID)?.content.count ?? 0) + record.content.count)
    }

    private func checkBytes(_ bytes: Int) throws(ProtocolError) {
        guard bytes <= Limits.draftBytes else {
            throw ProtocolError(
                .tooManyDrafts,
                "the drafts would take more than \(Limits.draftBytes) bytes; send or discard one of them first")
        }
    }

    // MARK: - Changes

    /// It is on the disk.
    mutating func apply(_ step: DraftStep) {
        switch step {
        case .insert(let record), .update(let record): add(record)
        case .send(let record, _): remove(record.draftID)
        case .discard(let record):
            remove(record.draftID)
            guard !wasDiscarded(record.draftID) else { return }
            discarded.append(record.draftID)
            if discarded.count > Limits.discardedDrafts { discarded.removeFirst() }
        }
    }

    private mutating func add(_ record: DraftRecord) {
        guard let draft = Draft(record) else { return }
        remove(record.draftID)
        known[record.draftID] = Known(record: record, draft: draft)
        bytes += record.content.count
    }

    private mutating func remove(_ draftID: EntryKey) {
        guard let removed = known.removeValue(forKey: draftID) else { return }
        bytes -= removed.record.content.count
    }
}

extension Draft {
    /// - Returns: `nil` if the bytes are not what `DraftRecord` has written.
    package init?(_ record: DraftRecord) {
        guard let kept = KeptMessage(decoding: record.content, in: record.conversationID) else { return nil }
        self.init(
            id: DraftID(record.draftID), conversationID: record.conversationID, destination: kept.destination,
            content: kept.draft, insertedBy: record.insertedBy, createdAt: record.createdAt,
            changedAt: record.changedAt)
    }
}

extension DraftRecord {
    init(
        _ draft: MessageDraft, draftID: EntryKey, in conversationID: ConversationID, to destination: Destination,
        by name: String?, now: Moment
    ) {
        self.init(
            draftID: draftID, conversationID: conversationID,
            content: KeptMessage(draft, to: destination).encoded(), insertedBy: name, createdAt: now.wallClock)
    }

    /// The same draft with another message to the same recipients.
    func changed(to draft: MessageDraft, to destination: Destination, now: Moment) -> DraftRecord {
        changed(to: KeptMessage(draft, to: destination).encoded(), at: now.wallClock)
    }
}
