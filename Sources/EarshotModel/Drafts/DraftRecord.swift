/// A draft, as the store holds it.
package struct DraftRecord: Hashable, Sendable {
    /// Drawn at random, or made of an idempotency key. The message that it becomes has it as its key.
    package let draftID: EntryKey
    package let conversationID: ConversationID
    /// Where it goes and what it says, encoded.
    package let content: [UInt8]
    package let insertedBy: String?
    /// In milliseconds since 1970, by this machine's clock.
    package let createdAt: Int64
    package let changedAt: Int64?

    package init(
        draftID: EntryKey, conversationID: ConversationID, content: [UInt8], insertedBy: String?, createdAt: Int64,
        changedAt: Int64? = nil
    ) {
        self.draftID = draftID
        self.conversationID = conversationID
        self.content = content
        self.insertedBy = insertedBy
        self.createdAt = createdAt
        self.changedAt = changedAt
    }

    /// The same draft with another content.
    package func changed(to content: [UInt8], at time: Int64) -> DraftRecord {
        DraftRecord(
            draftID: draftID, conversationID: conversationID, content: content, insertedBy: insertedBy,
            createdAt: createdAt, changedAt: time)
    }

    /// What events say of it.
    package func change(as messageID: MessageID? = nil) -> DraftChange {
        DraftChange(
            draftID: DraftID(draftID), conversationID: conversationID, insertedBy: insertedBy, messageID: messageID)
    }
}

/// What a commit does with a draft.
package enum DraftStep: Hashable, Sendable {
    case insert(DraftRecord)
    /// It has another content.
    case update(DraftRecord)
    /// It is gone: it takes its place in a log in this commit, or has it already, as this message.
    case send(DraftRecord, sentBefore: MessageID?)
    /// It is gone, and its id is remembered for a while.
    case discard(DraftRecord)

    /// What the journal says of it.
    /// - Parameter messageID: the message that stands in the same commit, if there is one.
    package func news(_ messageID: MessageID?) -> DraftNews {
        switch self {
        case .insert(let record): DraftNews(.inserted, record.change())
        case .update(let record): DraftNews(.updated, record.change())
        case .send(let record, let sentBefore): DraftNews(.sent, record.change(as: sentBefore ?? messageID))
        case .discard(let record): DraftNews(.discarded, record.change())
        }
    }
}

/// What is new about a draft.
package struct DraftNews: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case inserted, updated, sent, discarded
    }

    package let kind: Kind
    package let change: DraftChange

    package init(_ kind: Kind, _ change: DraftChange) {
        self.kind = kind
        self.change = change
    }

    package var event: Event {
        switch kind {
        case .inserted: .draftInserted(change)
        case .updated: .draftUpdated(change)
        case .sent: .draftSent(change)
        case .discarded: .draftDiscarded(change)
        }
    }
}

extension ProgramChange {
    /// What the journal says of it; `nil` unless it is about a draft.
    package func draftNews(_ messageID: MessageID?) -> JournalRecord? {
        if case .draft(let step) = self { .draft(step.news(messageID)) } else { nil }
    }
}
