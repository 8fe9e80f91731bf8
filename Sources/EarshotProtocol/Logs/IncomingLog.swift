import EarshotModel

/// A log of a peer, as this node takes it in: proved entry by entry, and never with a gap.
struct IncomingLog: Sendable {
    let description: LogDescription
    let authorID: UserID
    /// Up to here it is on the disk.
    private(set) var committed: LogHead
    /// Up to here it is proved; what is beyond `committed` waits for its commit.
    private(set) var proved: LogHead

    init(description: LogDescription, authorID: UserID, head: LogHead) {
        self.description = description
        self.authorID = authorID
        committed = head
        proved = head
    }

    var isSettled: Bool { committed.sequence == proved.sequence }

    /// Proves a run of entries and takes those that are new.
    ///
    /// The run must begin at or before the first missing entry, its timestamps must rise, and the author's signature
    /// must cover the resulting chain.
    /// - Parameter deleted: entries whose content was deleted, with its timestamps, if the log is given back to its
    ///   author. Anybody else takes a hash in place of a content only with the author's mark.
    /// - Returns: the new entries, with their contents; none if all are already known.
    mutating func receive(
        _ run: EntriesFrame, deleted: [UInt64: HybridTimestamp]? = nil
    ) throws(ProtocolError) -> [(record: EntryRecord, body: EntryBody?)] {
        let count = UInt64(run.contents.count)
        guard count > 0, run.firstSequence > 0, run.firstSequence <= UInt64(Int64.max) - count else {
            throw ProtocolError(.violation, "a run of entries has no place in a log")
        }
        guard run.firstSequence <= proved.sequence + 1 else {
            throw ProtocolError(
                .violation, "entries after \(proved.sequence) are missing before \(run.firstSequence)")
        }
        let known = proved.sequence + 1 - run.firstSequence
        guard known < count else { return [] }

        var head = proved
        var taken: [(record: EntryRecord, body: EntryBody?)] = []
        taken.reserveCapacity(Int(count - known))
        for content in run.contents.dropFirst(Int(known)) {
            let sequence = head.sequence + 1
            taken.append(try Self.append(content, to: &head, deletedTimestamp: deleted?[sequence]))
            guard deleted == nil, case .withheld(let hash) = content else { continue }
            let mark = run.marks[sequence]
            guard let mark, isValid(mark, of: hash, at: sequence) else {
                throw ProtocolError(.unauthentic, "entry \(sequence) has neither its content nor its author's mark")
            }
            taken[taken.count - 1].record.mark = mark
        }
        guard
            Checkpoint.isValid(
                run.checkpoint, logID: description.logID, sequence: head.sequence, chain: head.chain,
                by: description.deviceID)
        else { throw ProtocolError(.unauthentic, "the checkpoint over entry \(head.sequence) does not hold") }
        taken[taken.count - 1].record.checkpoint = run.checkpoint
        proved = head
        return taken
    }

    private func isValid(_ mark: Signature, of hash: EntryHash, at sequence: UInt64) -> Bool {
        WithheldMark.isValid(
            mark, logID: description.logID, sequence: sequence, hash: hash, by: description.deviceID)
    }

    private static func append(
        _ content: EntryContent, to head: inout LogHead, deletedTimestamp: HybridTimestamp?
    ) throws(ProtocolError) -> (record: EntryRecord, body: EntryBody?) {
        var body: EntryBody?
        if case .body(let bytes) = content {
            let decoded = try EntryBody(decoding: bytes)
            guard decoded.timestamp > head.timestamp else {
                throw ProtocolError(.violation, "entry \(head.sequence + 1) is not later than the one before it")
            }
            body = decoded
            head.timestamp = decoded.timestamp
        } else {
            guard head.timestamp < .maximum else {
                throw ProtocolError(.violation, "entry \(head.sequence + 1) follows one with the greatest time")
            }
            head.timestamp = max(head.timestamp.next, deletedTimestamp ?? head.timestamp.next)
        }
        head.sequence += 1
        head.chain = head.chain.appending(content.hash)
        let isDeleted = body == nil && deletedTimestamp != nil
        let record = EntryRecord(
            sequence: head.sequence, timestamp: head.timestamp, expiry: body?.expiry ?? .max,
            kind: body?.kind ?? (isDeleted ? .text : .unknown), content: content, chain: head.chain,
            isDeleted: isDeleted)
        return (record, body)
    }

    /// Everything up to a proved head is now on the disk.
    mutating func commit(through head: LogHead) { committed = head }

    /// The last proved entry is known to be no earlier than this, although its content is not there to say so.
    mutating func raise(to timestamp: HybridTimestamp) { proved.timestamp = max(proved.timestamp, timestamp) }

    /// Forgets what was not committed.
    mutating func forgetUncommitted() { proved = committed }
}
