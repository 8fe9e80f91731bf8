import DequeModule
import EarshotModel

/// A log, or a branch of one, as this node takes it in: proved entry by entry, and never with a gap.
struct IncomingLog: Sendable {
    /// Where a run of entries belongs.
    enum Fit: Hashable, Sendable {
        /// It goes on from what is proved, or contains it. So many of its entries are known.
        case continues(known: Int)
        /// Entries before it are missing.
        case gap
        /// It is not known here what stands in its places: the disk knows.
        case earlier
        /// It goes on differently than what is proved and not on the disk yet.
        case differs
    }

    /// Names the branch on this node.
    let logID: LogID
    let description: LogDescription
    let authorID: UserID
    /// The last entry before the first one of this branch; `nil` for the branch that this node knew first.
    let base: LogHead?
    /// Up to here it is on the disk.
    private(set) var committed: LogHead
    /// Up to here it is proved; what is beyond `committed` waits for its commit.
    private(set) var proved: LogHead
    /// What the entries that are proved count, as they came.
    private(set) var bytes: Int
    private var committedBytes: Int
    /// The ends of runs that are proved and wait for their commit.
    private var ends: Deque<Place> = []

    init(_ record: LogRecord) {
        self.init(
            logID: record.logID, description: record.description, authorID: record.authorID, base: record.base,
            head: record.head, bytes: record.bytes)
    }

    init(
        logID: LogID? = nil, description: LogDescription, authorID: UserID, base: LogHead? = nil, head: LogHead,
        bytes: Int = 0
    ) {
        self.logID = logID ?? description.logID
        self.description = description
        self.authorID = authorID
        self.base = base
        committed = head
        proved = head
        self.bytes = bytes
        committedBytes = bytes
    }

    /// It as the disk has it.
    func record(in conversation: ConversationRecord) -> LogRecord {
        LogRecord(
            logID: logID, description: description, base: base, authorID: authorID, conversation: conversation,
            head: committed, bytes: committedBytes)
    }

    /// Whether the disk has any of its entries.
    var isOnDisk: Bool { committed.sequence > base?.sequence ?? 0 }

    var isSettled: Bool { committed.sequence == proved.sequence }

    // MARK: - Where entries belong

    /// Whether a run belongs to this branch, as far as that is known without the disk.
    func fit(of run: EntriesFrame) -> Fit {
        let before = Place(sequence: run.firstSequence &- 1, chain: run.previousChain)
        guard before != proved.place else { return .continues(known: 0) }
        guard before.sequence < proved.sequence else { return before.sequence == proved.sequence ? .differs : .gap }
        guard before == committed.place || ends.contains(before) else { return .earlier }
        var place = before
        for (index, content) in run.contents.enumerated() {
            place = Place(sequence: place.sequence + 1, chain: place.chain.appending(content.hash))
            if place.sequence == proved.sequence {
                return place == proved.place ? .continues(known: index + 1) : .differs
            }
        }
        return place == before || ends.contains(place) ? .continues(known: run.contents.count) : .differs
    }

    // MARK: - Taking them

    /// Proves a run of entries and takes those that are new.
    ///
    /// Their timestamps must rise, and the author's signature must cover the resulting chain.
    /// - Parameters:
    ///   - known: how many of them this log has.
    ///   - deleted: entries whose content was deleted, with its timestamps, if the log is given back to its author.
    ///     Anybody else takes a hash in place of a content with the author's mark, or, in a log of messages, as missing:
    ///     whoever passes the entry on may lack its body, and its author may have lost it, or does not owe it.
    /// - Returns: the new entries, with their contents; none if all are already known.
    mutating func receive(
        _ run: EntriesFrame, known: Int = 0, deleted: [UInt64: HybridTimestamp]? = nil
    ) throws(ProtocolError) -> ProvedEntries {
        guard proved.sequence <= Counting.largest - UInt64(run.contents.count) else {
            throw ProtocolError(.violation, "a run of entries has no place in a log")
        }
        var taken = ProvedEntries()
        guard known < run.contents.count else { return taken }
        var head = proved
        taken.reserveCapacity(run.contents.count - known)
        // An array would hand out copies.
        let contents = run.contents.span
        for index in known..<contents.count {
            let sequence = head.sequence + 1
            try Self.append(contents[index], to: &head, deletedTimestamp: deleted?[sequence], &taken)
            guard case .withheld(let hash) = contents[index] else { continue }
            let mark = run.marks[sequence]
            if mark == nil, description.kind == .messages { continue }
            guard let mark, isValid(mark, of: hash, at: sequence) else {
                // What its author gets back needs none.
                if deleted != nil { continue }
                throw ProtocolError(.unauthentic, "entry \(sequence) has neither its content nor its author's mark")
            }
            taken.markLast(mark)
        }
        guard
            Checkpoint.isValid(
                run.checkpoint, logID: description.logID, sequence: head.sequence, chain: head.chain,
                by: description.deviceID)
        else { throw ProtocolError(.unauthentic, "the checkpoint over entry \(head.sequence) does not hold") }
        taken.close(with: run.checkpoint)
        proved = head
        bytes += taken.windowBytes
        ends.append(head.place)
        return taken
    }

    private func isValid(_ mark: Signature, of hash: EntryHash, at sequence: UInt64) -> Bool {
        WithheldMark.isValid(
            mark, logID: description.logID, sequence: sequence, hash: hash, by: description.deviceID)
    }

    private static func append(
        _ content: EntryContent, to head: inout LogHead, deletedTimestamp: HybridTimestamp?,
        _ taken: inout ProvedEntries
    ) throws(ProtocolError) {
        switch content {
        case .body(let bytes):
            let body = try EntryBody(decoding: bytes)
            guard body.timestamp > head.timestamp else {
                throw ProtocolError(.violation, "entry \(head.sequence + 1) is not later than the one before it")
            }
            head.append(content.hash, at: body.timestamp)
            taken.append(EntryRecord(body, encoded: content, at: head), body)
        case .withheld(let hash):
            guard head.timestamp < .maximum else {
                throw ProtocolError(.violation, "entry \(head.sequence + 1) follows one with the greatest time")
            }
            let isDeleted = deletedTimestamp != nil
            head.append(hash, at: max(head.timestamp.next, deletedTimestamp ?? head.timestamp.next))
            taken.append(
                EntryRecord(
                    sequence: head.sequence, timestamp: head.timestamp, expiry: .max,
                    kind: isDeleted ? .text : .unknown, content: content, chain: head.chain, isDeleted: isDeleted),
                nil)
        }
    }

    /// The time of an entry is known now. Entries behind it that have no body are later by at least their distance.
    mutating func note(_ timestamp: HybridTimestamp, of sequence: UInt64) {
        committed.timestamp = max(committed.timestamp, timestamp.advanced(to: committed.sequence, from: sequence))
        proved.timestamp = max(proved.timestamp, timestamp.advanced(to: proved.sequence, from: sequence))
    }

    /// Bodies of entries that are here have come.
    mutating func grew(by bytes: Int) {
        self.bytes += bytes
        committedBytes += bytes
    }

    /// Everything up to a proved head is now on the disk.
    /// - Parameter bytes: what that counts.
    mutating func commit(through head: LogHead, bytes: Int = 0) {
        committedBytes = max(committedBytes, bytes)
        committed = LogHead(
            sequence: head.sequence, chain: head.chain, timestamp: max(committed.timestamp, head.timestamp))
        while let first = ends.first, first.sequence <= head.sequence { ends.removeFirst() }
    }

    /// Forgets what was not committed.
    mutating func forgetUncommitted() {
        proved = committed
        bytes = committedBytes
        ends.removeAll()
    }
}

extension EntriesFrame {
    /// The entries that come without content, and without their author's word that there is none.
    var withoutContent: SequenceSet {
        contents.enumerated().reduce(into: SequenceSet()) { missing, content in
            let sequence = firstSequence + UInt64(content.offset)
            if case .withheld = content.element, marks[sequence] == nil { missing.insert(sequence) }
        }
    }

    /// Whether the first thing that its entries say is that their author joins.
    var beginsByJoining: Bool {
        for content in contents {
            // A body that cannot be decoded is refused where it is proved.
            guard case .body(let bytes) = content, let body = try? EntryBody(decoding: bytes) else { return false }
            switch body.content {
            case .branches: continue
            case .join: return true
            default: return false
            }
        }
        return false
    }

    /// Proves that its author has written its entries behind what is before them.
    /// - Throws: `ProtocolError` `unauthentic`.
    func authenticate() throws(ProtocolError) {
        let end = place(after: contents.count)
        guard
            Checkpoint.isValid(
                checkpoint, logID: log.logID, sequence: end.sequence, chain: end.chain, by: log.deviceID)
        else { throw ProtocolError(.unauthentic, "the checkpoint over entry \(end.sequence) does not hold") }
    }
}

extension HybridTimestamp {
    /// The least time of a later entry of the same log.
    fileprivate func advanced(to later: UInt64, from sequence: UInt64) -> HybridTimestamp {
        guard later > sequence, rawValue <= HybridTimestamp.maximum.rawValue - (later - sequence) else { return self }
        return HybridTimestamp(rawValue: rawValue + (later - sequence))
    }
}

extension EntryRecord {
    /// - Parameters:
    ///   - encoded: the body, as its author has encoded it.
    ///   - key: its author's device keeps it; others do not.
    ///   - head: the log's with this entry.
    init(_ body: EntryBody, encoded: EntryContent, key: EntryKey? = nil, at head: LogHead) {
        self.init(
            sequence: head.sequence, timestamp: head.timestamp, expiry: body.expiry, kind: body.kind, content: encoded,
            chain: head.chain, key: key, relation: body.content.relation, attachments: body.content.attachments)
    }

    var place: Place { Place(sequence: sequence, chain: chain) }

    var hasBody: Bool {
        if case .body = content { true } else { false }
    }

    /// Whether its body is missing: neither has its author withheld it, nor was it erased here.
    var isMissing: Bool {
        guard case .withheld = content else { return false }
        return mark == nil && !isDeleted
    }
}

extension LogHead {
    var place: Place { Place(sequence: sequence, chain: chain) }

    /// The log is one entry longer.
    mutating func append(_ hash: EntryHash, at timestamp: HybridTimestamp) {
        self = LogHead(sequence: sequence + 1, chain: chain.appending(hash), timestamp: timestamp)
    }
}
