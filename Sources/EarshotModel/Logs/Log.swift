/// Names a log: the entries of one kind that one device has appended to one conversation.
package struct LogDescription: Hashable, Sendable {
    package let logID: LogID
    package let conversationID: ConversationID
    package let deviceID: DeviceID
    /// Distinguishes a device's logs in one conversation. A device begins a new epoch when it cannot continue the old
    /// one.
    package let epoch: UInt64
    package let kind: LogKind

    package init(
        logID: LogID, conversationID: ConversationID, deviceID: DeviceID, epoch: UInt64, kind: LogKind = .messages
    ) {
        self.logID = logID
        self.conversationID = conversationID
        self.deviceID = deviceID
        self.epoch = epoch
        self.kind = kind
    }
}

/// The end of a log.
package struct LogHead: Hashable, Sendable {
    /// The number of its last entry, or 0.
    package var sequence: UInt64
    /// The chain hash at that entry.
    package var chain: ChainHash
    /// The timestamp of that entry; the next entry's is greater.
    package var timestamp: HybridTimestamp

    package init(sequence: UInt64, chain: ChainHash, timestamp: HybridTimestamp) {
        self.sequence = sequence
        self.chain = chain
        self.timestamp = timestamp
    }
}

/// A log, or one branch of it, as the store holds it.
///
/// A device whose database was restored from an older copy may have written differently into the same places. Then the
/// log has branches, which are all kept. Each is a log of its own here, and begins behind the last entry that it has in
/// common with the branch that it parts from.
package struct LogRecord: Hashable, Sendable {
    /// Names the branch. That of the branch which this node knew first is the log's own id.
    package let logID: LogID
    package let description: LogDescription
    /// The last entry before the first one of this branch; `nil` for the branch that this node knew first.
    package let base: LogHead?
    /// The user whose device writes it.
    package let authorID: UserID
    /// The conversation that it is part of.
    package let conversation: ConversationRecord
    package var head: LogHead
    /// The earliest expiry of this node's own messages in it that may be undelivered; `.max` if there is none.
    package var nextExpiry: Int64
    /// What the entries of a peer's log count, as they came.
    package var bytes: Int

    package init(
        logID: LogID? = nil, description: LogDescription, base: LogHead? = nil, isLimbo: Bool = false,
        authorID: UserID, conversation: ConversationRecord, head: LogHead, nextExpiry: Int64 = .max, bytes: Int = 0
    ) {
        self.logID = logID ?? description.logID
        self.description = description
        self.base = base
        self.isLimbo = isLimbo
        self.authorID = authorID
        self.conversation = conversation
        self.head = head
        self.nextExpiry = nextExpiry
        self.bytes = bytes
    }

    /// The number of its first entry.
    package var firstSequence: UInt64 { start.sequence + 1 }

    /// The end of what comes before its first entry.
    package var start: LogHead {
        base
            ?? LogHead(
                sequence: 0, chain: ChainHash(description.logID.bytes32), timestamp: HybridTimestamp(rawValue: 0))
    }

    /// Whether it holds entries of which nobody was offered any, until they are written anew.
    package let isLimbo: Bool

    /// Whose progress says what of it may have left this node: the other user of a direct conversation, else its author.
    package var recipientID: UserID {
        guard case .direct = conversation.kind else { return authorID }
        return conversation.participantIDs.first { $0 != authorID } ?? authorID
    }
}

/// The content of an entry, or the hash that keeps its place in the chain.
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
    /// When it fails if it is still not delivered, in milliseconds since 1970.
    package let expiry: Int64
    package let kind: EntryKind
    package let content: EntryContent
    /// The chain hash at this entry.
    package let chain: ChainHash
    /// Whether its content was deleted: by this node's user, or by the recipient who gave the entry back. Then the
    /// content is withheld from everybody.
    package let isDeleted: Bool
    /// By what a program finds it; only an own entry has one.
    package var key: EntryKey?
    /// What few entries have. To read it from an array of entries copies no entry, as to read one of its values does.
    package private(set) var parts: Seldom<Parts>

    package struct Parts: SeldomValues {
        package var checkpoint: Signature?
        package var mark: Signature?
        package var relation: EntryRelation?
        package var attachments: [Attachment]?

        package init() {}
    }

    /// The author's signature over the chain at this entry, if it closes a group.
    package var checkpoint: Signature? {
        get { parts.present?.checkpoint }
        set { parts.values.checkpoint = newValue }
    }
    /// The author's signed word that it withholds the content; a peer's withheld entry has one.
    package var mark: Signature? {
        get { parts.present?.mark }
        set { parts.values.mark = newValue }
    }
    /// What it has to do with others, on its way to the disk.
    package var relation: EntryRelation? {
        get { parts.present?.relation }
        set { parts.values.relation = newValue }
    }
    /// The files that it brings along, on its way to the disk.
    package var attachments: [Attachment]? {
        get { parts.present?.attachments }
        set { parts.values.attachments = newValue }
    }

    package init(
        sequence: UInt64, timestamp: HybridTimestamp, expiry: Int64, kind: EntryKind, content: EntryContent,
        chain: ChainHash, checkpoint: Signature? = nil, isDeleted: Bool = false, key: EntryKey? = nil,
        relation: EntryRelation? = nil, attachments: [Attachment]? = nil
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.expiry = expiry
        self.kind = kind
        self.content = content
        self.chain = chain
        self.isDeleted = isDeleted
        self.key = key
        var parts = Seldom<Parts>()
        if let checkpoint { parts.values.checkpoint = checkpoint }
        if let relation { parts.values.relation = relation }
        if let attachments { parts.values.attachments = attachments }
        self.parts = parts
    }

    /// What it counts in a window: its content and a fixed overhead, so that tiny entries are not free.
    @inlinable
    package var windowBytes: Int { content.windowBytes }

    /// The same entry, as its author's device finds it.
    package func withKey(_ key: EntryKey?) -> EntryRecord {
        var entry = self
        entry.key = key
        return entry
    }
}

extension [EntryRecord] {
    /// What they count in a window together.
    package var windowBytes: Int {
        // An array would hand out copies.
        let entries = span
        return entries.indices.reduce(0) { $0 + entries[$1].content.windowBytes }
    }

    /// The places of those that have what few have.
    package var placesOfParts: [Int] {
        let entries = span
        return entries.indices.filter { !entries[$0].parts.isEmpty }
    }
}

extension [EntryContent] {
    /// What entries with these contents count in a window together.
    package var windowBytes: Int {
        let contents = span
        return contents.indices.reduce(0) { $0 + contents[$1].windowBytes }
    }
}

extension EntryContent {
    @inlinable package var isBody: Bool { if case .body = self { true } else { false } }

    /// What an entry with this content counts in a window.
    @inlinable
    package var windowBytes: Int {
        switch self {
        case .body(let bytes): bytes.count + Limits.entryOverheadBytes
        case .withheld: Bytes32.count + Limits.entryOverheadBytes
        }
    }
}
