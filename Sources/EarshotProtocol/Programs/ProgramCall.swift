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
    }

    /// One message.
    struct Item: Sendable {
        let conversation: ConversationRecord
        let destination: Destination
        let draft: EntryDraft
        let key: EntryKey?
        /// Whether the key came from the program. Then it names this content, and no other.
        let isNamed: Bool
        /// The place of the message that it answers; `nil` if it answers none.
        var answering: Int64?
        /// Why it cannot be sent, unless it was sent before.
        var refusal: ProtocolError?
        /// When it takes its place in a log, in milliseconds since 1970; at once if there is none.
        var notBefore: Int64?

        /// What is kept of it until then; `nil` for one that is sent at once.
        func scheduled(now: Moment) -> ScheduledRecord? {
            guard let notBefore, let key, case .message(let draft) = draft else { return nil }
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

    var claims: Set<Claim> {
        var claims = Set(items.compactMap { $0.key.map(Claim.key) })
        for item in items where item.notBefore != nil { if let key = item.key { claims.insert(.scheduled(key)) } }
        switch kind {
        case .acknowledge(let name, _), .receive(let name, _, _), .fail(let name, _, _), .change(let name, _):
            claims.insert(.consumer(name))
        case .schedule(let record):
            claims.insert(.scheduled(record.scheduledID))
            if let key = record.key { claims.insert(.key(key)) }
        case .cancel(let scheduledID), .due(let scheduledID): claims.insert(.scheduled(scheduledID))
        case .send: break
        }
        return claims
    }

    /// What is to be looked up.
    var keys: [EntryKey] {
        var keys = items.compactMap(\.key)
        if let next { keys.append(next) }
        if case .schedule(let record) = kind, let key = record.key { keys.append(key) }
        return keys
    }

    /// The messages that the items have become, in their order, without those that wait for their time.
    /// - Parameters:
    ///   - answers: what was sent before, in the places of the items.
    ///   - next: the next message that was sent now.
    func sent(_ answers: [FoundEntry?], next: () -> Message? = { nil }) -> [Message] {
        zip(items, answers).filter { item, _ in item.notBefore == nil && item.draft.kind.isShown }
            .compactMap { $1.map(\.message) ?? next() }
    }

    var bytes: Int { items.reduce(0) { $0 + $1.draft.byteCount } }

    /// Those of its items that are to be written now, in their order.
    func parts(without answered: [FoundEntry?]) -> [PendingSend.Part] {
        var parts: [PendingSend.Part] = []
        var start = 0
        let rest = zip(items, answered).filter { $0.notBefore == nil && $1 == nil }.map { $0.0 }
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
        isSame(in: item.conversation.conversationID, draft: item.draft, key: item.key, salts)
    }

    func isSame(in conversationID: ConversationID, draft: EntryDraft, key: EntryKey?, _ salts: EntrySalts) -> Bool {
        guard conversationID == self.conversationID else { return false }
        let body = EntryBody(timestamp: entry.timestamp, expiry: entry.expiry, content: .init(draft), key: key)
        // An entry that was written before there were salts has none.
        return [body.encoded(with: salts), body.encoded()].contains { EntryContent.body($0).hash == entry.content.hash }
            || (entry.isDeleted && entry.expiry == .max)
    }
}
