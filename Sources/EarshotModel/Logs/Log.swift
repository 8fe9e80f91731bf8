/// What a log is: the entries that one device has appended to one conversation.
package struct LogDescription: Hashable, Sendable {
    package let logID: LogID
    package let conversationID: ConversationID
    package let deviceID: DeviceID
    /// Tells a device's logs in one conversation apart. A device begins a new epoch where it cannot continue the old.
    package let epoch: UInt64

    package init(logID: LogID, conversationID: ConversationID, deviceID: DeviceID, epoch: UInt64) {
        self.logID = logID
        self.conversationID = conversationID
        self.deviceID = deviceID
        self.epoch = epoch
    }
}

/// How far a log goes.
package struct LogHead: Hashable, Sendable {
    /// The number of its last entry, or 0.
    package var sequence: UInt64
    /// The chain hash at that entry.
    package var chain: ChainHash
    /// The timestamp of that entry: the next one's is greater.
    package var timestamp: HybridTimestamp

    package init(sequence: UInt64, chain: ChainHash, timestamp: HybridTimestamp) {
        self.sequence = sequence
        self.chain = chain
        self.timestamp = timestamp
    }
}

/// A log as the store holds it.
package struct LogRecord: Hashable, Sendable {
    package let description: LogDescription
    /// The user whose device writes it.
    package let authorID: UserID
    /// The conversation that it is part of.
    package let conversation: ConversationRecord
    package var head: LogHead
    /// The earliest expiry of this node's own messages in it that may be undelivered, or `.max`.
    package var nextExpiry: Int64

    package init(
        description: LogDescription, authorID: UserID, conversation: ConversationRecord, head: LogHead,
        nextExpiry: Int64 = .max
    ) {
        self.description = description
        self.authorID = authorID
        self.conversation = conversation
        self.head = head
        self.nextExpiry = nextExpiry
    }

    package var logID: LogID { description.logID }

    /// The user whom its entries are for: a direct conversation has one beside the author.
    package var recipientID: UserID { conversation.participantIDs.first { $0 != authorID } ?? authorID }
}

/// What an entry holds, or what keeps its place in the chain.
package enum EntryContent: Hashable, Sendable {
    /// The encoded entry, byte for byte as its author wrote it.
    case body([UInt8])
    /// An entry whose content its author withheld, because it expired or was cancelled before it was sent; or one whose
    /// content was deleted (`EntryRecord.isDeleted`).
    case withheld(EntryHash)
}

/// One item of a log.
package struct EntryRecord: Hashable, Sendable {
    package let sequence: UInt64
    package let timestamp: HybridTimestamp
    /// When it fails if it is not delivered, in milliseconds since 1970.
    package let expiry: Int64
    package let kind: EntryKind
    package let content: EntryContent
    /// The chain hash at this entry.
    package let chain: ChainHash
    /// The author's signature over the chain at this entry, where it closes a group.
    package var checkpoint: Signature?
    /// Whether its content was deleted: by this node's user, or by the recipient from whom the entry came back. Then the
    /// content is withheld from everybody.
    package let isDeleted: Bool

    package init(
        sequence: UInt64, timestamp: HybridTimestamp, expiry: Int64, kind: EntryKind, content: EntryContent,
        chain: ChainHash, checkpoint: Signature? = nil, isDeleted: Bool = false
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.expiry = expiry
        self.kind = kind
        self.content = content
        self.chain = chain
        self.checkpoint = checkpoint
        self.isDeleted = isDeleted
    }

    /// What it counts for against a window: its content and a fixed overhead, so that tiny entries are not free.
    package var windowBytes: Int { content.windowBytes }
}

extension EntryContent {
    /// What an entry of it counts for against a window.
    package var windowBytes: Int {
        switch self {
        case .body(let bytes): bytes.count + Limits.entryOverheadBytes
        case .withheld: Bytes32.count + Limits.entryOverheadBytes
        }
    }
}
