import EarshotModel

/// A call of a program that needs more than a place in the queue for the disk: it has keys, acknowledges, or concerns what
/// is scheduled.
struct ProgramCall: Sendable {
    enum Kind: Sendable {
        case send
        /// Messages up to a place are done; the items answer them.
        case acknowledge(consumer: String, through: Int64)
        case receive(consumer: String, limit: Int, attempts: Int)
        /// The consumer could do nothing with the message at this place.
        case fail(consumer: String, Int64, reason: String)
        case change(consumer: String, ConsumerChange)
        case schedule(ScheduledRecord)
        case cancel(EntryKey)
        /// What was scheduled takes its place in a log.
        case due(EntryKey)
        case insertDraft(DraftRecord)
        case updateDraft(EntryKey, MessageDraft)
        /// A draft takes its place in a log: the item, unless it did so before.
        case sendDraft(EntryKey)
        case discardDrafts([EntryKey], Discard)
    }

    /// Which drafts are discarded.
    enum Discard: Sendable {
        /// One that somebody names.
        case named
        /// Those of a conversation that is erased.
        case ofConversation
        /// Those of a conversation that was left. Nobody waits for the answer.
        case ofLeft
    }

    /// One message.
    struct Item: Sendable {
        let conversation: ConversationRecord
        let destination: Destination
        var draft: EntryDraft
        let key: EntryKey?
        /// Whether the key came from the program. Then it names this content, and no other.
        let isNamed: Bool
        /// The place of the message that it answers; `nil` if it answers none.
        var answering: Int64?
        /// Why it cannot be sent, unless it was sent before.
        var refusal: ProtocolError?
        /// When it takes its place in a log, in milliseconds since 1970; at once if there is none.
        var notBefore: Int64?
        /// The name of the program that inserts it as a draft; `nil` for a message.
        var draftedBy: String?

        /// Whether it is sent at once.
        var isSent: Bool { notBefore == nil && draftedBy == nil }

        /// What is kept of a draft; `nil` for a message.
        func drafted(now: Moment) -> DraftRecord? {
            guard let draftedBy, let key, case .message(let draft) = draft else { return nil }
            return DraftRecord(
                draft, draftID: key, in: conversation.conversationID, to: destination, by: draftedBy, now: now)
        }

        /// What is kept of it until then; `nil` for one that is sent at once.
        func scheduled(now: Moment) -> ScheduledRecord? {
            guard draftedBy == nil, let notBefore, let key, case .message(let draft) = draft else { return nil }
            return ScheduledRecord(
                scheduledID: key, conversationID: conversation.conversationID, to: destination, draft: draft,
                notBefore: notBefore, key: key, now: now)
        }
    }

    /// What no two calls use at once.
    enum Claim: Hashable, Sendable {
        case key(EntryKey)
        case consumer(String)
        case scheduled(EntryKey)
        case draft(EntryKey)
    }

    let requestID: RequestID
    let kind: Kind
    var items: [Item] = []
    /// The key that the next message of the call would have. If there is an entry with it, the key was used for more.
    var next: EntryKey?
    /// The last message of each log that the call acknowledges.
    var handled: [MessageID] = []
    /// Why nothing can be scheduled, unless it was before.
    var refusal: ProtocolError?
    /// Its keys as they were while all programs shared them: see `ProgramsMachine.formerKey`.
    var formerKeys: [EntryKey: EntryKey] = [:]

    var claims: Set<Claim> {
        var claims = Set(items.compactMap { $0.key.map(Claim.key) })
        for item in items where !item.isSent {
            if let key = item.key { claims.insert(item.draftedBy == nil ? .scheduled(key) : .draft(key)) }
        }
        switch kind {
        case .acknowledge(let name, _), .receive(let name, _, _), .fail(let name, _, _), .change(let name, _):
            claims.insert(.consumer(name))
        case .schedule(let record):
            claims.insert(.scheduled(record.scheduledID))
            if let key = record.key { claims.insert(.key(key)) }
        case .cancel(let scheduledID), .due(let scheduledID): claims.insert(.scheduled(scheduledID))
        case .insertDraft(let record): claims.formUnion([.draft(record.draftID), .key(record.draftID)])
        case .updateDraft(let draftID, _): claims.insert(.draft(draftID))
        case .sendDraft(let draftID): claims.formUnion([.draft(draftID), .key(draftID)])
        case .discardDrafts(let draftIDs, _): claims.formUnion(draftIDs.map(Claim.draft))
        case .send: break
        }
        return claims
    }

    /// What is to be looked up.
    var keys: [EntryKey] {
        var keys = items.compactMap(\.key)
        if let next { keys.append(next) }
        switch kind {
        case .schedule(let record): if let key = record.key { keys.append(key) }
        case .insertDraft(let record): keys.append(record.draftID)
        case .sendDraft(let draftID): if items.isEmpty { keys.append(draftID) }
        case .send, .acknowledge, .receive, .fail, .change, .cancel, .due, .updateDraft, .discardDrafts: break
        }
        return keys + keys.compactMap { formerKeys[$0] }
    }

    /// What its keys name: each content, and where it goes.
    var named: [(key: EntryKey, conversationID: ConversationID, draft: EntryDraft)] {
        switch kind {
        case .schedule(let record):
            guard let key = record.key, let message = ScheduledMessage(record) else { return [] }
            return [(key, record.conversationID, .message(message.draft))]
        case .insertDraft(let record):
            guard let draft = Draft(record) else { return [] }
            return [(record.draftID, record.conversationID, .message(draft.content))]
        case .send, .acknowledge:
            return items.compactMap { item in
                item.key.map { ($0, item.conversation.conversationID, item.draft) }
            }
        case .receive, .fail, .change, .cancel, .due, .updateDraft, .sendDraft, .discardDrafts: return []
        }
    }

    /// The messages that the items have become, in their order, without those that wait for their time.
    /// - Parameters:
    ///   - answers: what was sent before, in the places of the items.
    ///   - next: the next message that was sent now.
    func sent(_ answers: [FoundEntry?], next: () -> Message? = { nil }) -> [Message] {
        zip(items, answers).filter { item, _ in item.isSent && item.draft.kind.isShown }
            .compactMap { $1.map(\.message) ?? next() }
    }

    var bytes: Int { items.reduce(0) { $0 + $1.draft.byteCount } }

    /// Those of its items that are to be written now, in their order.
    func parts(without answered: [FoundEntry?]) -> [PendingSend.Part] {
        var parts: [PendingSend.Part] = []
        var start = 0
        let rest = zip(items, answered).filter { $0.isSent && $1 == nil }.map { $0.0 }
        while start < rest.count {
            let run = rest[start...].prefix { $0.conversation == rest[start].conversation }
            parts.append(
                PendingSend.Part(
                    conversation: rest[start].conversation, drafts: run.map(\.draft),
                    keys: run.contains { $0.key != nil } ? run.map(\.key) : []))
            start = run.endIndex
        }
        return parts
    }
}

/// An entry of this device that was found by its key.
struct FoundEntry: Sendable {
    let entry: EntryRecord
    let conversationID: ConversationID
    /// The message that it is; `nil` for one that says something about a message.
    let message: Message?

    /// Whether it says what an item says, to the same users. The encoded entry decides, so that it does not matter whether
    /// its content is still there.
    func isSame(as item: ProgramCall.Item, _ salts: EntrySalts) -> Bool {
        isSame(in: item.conversation.conversationID, draft: item.draft, salts)
    }

    func isSame(in conversationID: ConversationID, draft: EntryDraft, _ salts: EntrySalts) -> Bool {
        guard conversationID == self.conversationID else { return false }
        let body = EntryBody(
            timestamp: entry.timestamp, expiry: entry.expiry, content: .init(counted(draft)), key: entry.key)
        // An entry that was written before there were salts has none.
        return [body.encoded(with: salts), body.encoded()].contains { EntryContent.body($0).hash == entry.content.hash }
            || (entry.isDeleted && entry.expiry == .max)
    }

    /// The node counts the steps of a session. A call that is repeated comes with the next number, and means the step that it
    /// was.
    private func counted(_ draft: EntryDraft) -> EntryDraft {
        guard case .message(var content) = draft, let step = content.session, let known = message?.session,
            known.id == step.id
        else { return draft }
        content.session = MessageSession(id: step.id, counter: known.counter, summary: step.summary)
        return .message(content)
    }
}
