import EarshotModel
import EarshotProtocol
import EarshotSimulation

/// An identifier that is told apart from others by one number.
func identifier<T: Identifier>(_ number: UInt8) -> T {
    guard let value = T(bytes: [UInt8](repeating: number, count: Bytes32.count)) else {
        preconditionFailure("thirty-two bytes are an identifier")
    }
    return value
}

func signature(_ number: UInt8) -> Signature {
    guard let value = Signature([UInt8](repeating: number, count: Signature.count)) else {
        preconditionFailure("sixty-four bytes are a signature")
    }
    return value
}

/// A log that a test appends to, and what is to be committed of it.
struct SampleLog {
    private(set) var record: LogRecord
    private(set) var entries: [EntryRecord] = []

    /// - Parameters:
    ///   - conversationKind: of a conversation of many, whose record a test commits first.
    ///   - kind: what of it the log holds.
    init(
        conversation: UInt8 = 1, device: UInt8 = 2, epoch: UInt64 = 7, author: UInt8 = 3,
        of conversationKind: ConversationKind = .direct, kind: LogKind = .messages
    ) {
        let description = LogDescription(
            conversationID: identifier(conversation), deviceID: identifier(device), epoch: epoch, kind: kind)
        record = LogRecord(
            description: description, authorID: identifier(author),
            conversation: ConversationRecord(
                conversationID: identifier(conversation), kind: conversationKind,
                participantIDs: conversationKind == .direct ? [identifier(author), identifier(4)] : []),
            head: .origin(of: description.logID))
    }

    var logID: LogID { record.logID }
    var conversationID: ConversationID { record.description.conversationID }

    /// Appends one entry.
    @discardableResult
    mutating func append(
        at milliseconds: Int64, expiry: Int64 = .max, body: [UInt8] = [1, 2, 3], isWithheld: Bool = false,
        kind: EntryKind? = nil, relation: EntryRelation? = nil
    ) -> EntryRecord {
        let timestamp = max(record.head.timestamp.next, HybridTimestamp(milliseconds: milliseconds))
        let content = isWithheld ? EntryContent.withheld(EntryContent.body(body).hash) : .body(body)
        record.head = LogHead(
            sequence: record.head.sequence + 1, chain: record.head.chain.appending(content.hash),
            timestamp: timestamp)
        let entry = EntryRecord(
            sequence: record.head.sequence, timestamp: timestamp, expiry: expiry,
            kind: kind ?? (isWithheld ? .unknown : .text),
            content: content, chain: record.head.chain, checkpoint: signature(5), relation: relation)
        entries.append(entry)
        return entry
    }

    /// Is a branch from now on, whose first entry follows this one.
    mutating func part(at base: LogHead) {
        guard let first = entries.first(where: { $0.sequence == base.sequence + 1 }) else { return }
        record = LogRecord(
            logID: .branch(of: record.description, from: first.sequence, first.chain), description: record.description,
            base: base, authorID: record.authorID, conversation: record.conversation, head: record.head)
    }

    /// Begins with another log's entries.
    mutating func adopt(_ others: some Sequence<EntryRecord>, head: EntryRecord) {
        entries = Array(others)
        record.head = LogHead(sequence: head.sequence, chain: head.chain, timestamp: head.timestamp)
    }

    /// Takes its entries behind one of them.
    func limbo(_ logID: LogID, after sequence: UInt64) -> LogRecord {
        let last = entries[Int(sequence) - 1]
        return LogRecord(
            logID: logID, description: record.description,
            base: LogHead(sequence: sequence, chain: last.chain, timestamp: last.timestamp), isLimbo: true,
            authorID: record.authorID, conversation: record.conversation, head: record.head)
    }

    /// Appends entries at these times, in milliseconds.
    static func at(
        _ times: some Sequence<Int64>, conversation: UInt8 = 1, device: UInt8 = 2,
        of conversationKind: ConversationKind = .direct
    ) -> SampleLog {
        var log = SampleLog(conversation: conversation, device: device, of: conversationKind)
        for time in times { log.append(at: time) }
        return log
    }

    /// Writes the whole log.
    var commit: Commit { commit(from: 1) }

    /// Writes the entries from this number on.
    func commit(from first: UInt64) -> Commit {
        var commit = Commit()
        commit.logs = [record]
        commit.entries = [LogEntries(logID: logID, entries: entries.filter { $0.sequence >= first })]
        return commit
    }

    func messageID(_ sequence: UInt64) -> MessageID { MessageID(log: logID, sequence: sequence) }
}

extension [UInt8] {
    static func random(count: Int, using generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
    }
}
