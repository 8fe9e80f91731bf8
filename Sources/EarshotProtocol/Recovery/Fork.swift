import EarshotCrypto
import EarshotModel

/// Where two logs of one name part, and where the entries go that this node has written after that: to a successor, a
/// log whose epoch is the timestamp that its first entry has now. So the same entries find the same successor again if
/// the same old copy is restored once more, and no recipient gets them twice. They may get later times there
/// (`Retiming`).
struct Fork: Sendable {
    struct Entry: Sendable {
        let hash: EntryHash
        let timestamp: HybridTimestamp
        /// When its message fails; `nil` if its content is gone.
        let expiry: Int64?
        /// Of what it holds beside its time; `nil` if its content is gone.
        private let rest: EntryHash?

        init(_ record: EntryRecord) {
            hash = record.content.hash
            timestamp = record.timestamp
            guard case .body(let body) = record.content else {
                (expiry, rest) = (nil, nil)
                return
            }
            expiry = record.expiry
            rest = EntryContent.withoutTime(body).map { .of(body: Array($0)) }
        }

        /// Whether both are one message, of which one may have got a new time since.
        func isSame(as other: Entry) -> Bool { hash == other.hash || (rest != nil && rest == other.rest) }
    }

    /// The last entry that is the same.
    let after: UInt64
    /// This node's own entries after it.
    private(set) var tail: [Entry] = []
    /// How many of them were found in earlier successors.
    private var known = 0
    /// Added to an epoch that another log has.
    private var detour: UInt64 = 0
    private(set) var renamed: [RenamedMessages] = []

    init(after: UInt64) { self.after = after }

    mutating func append(_ entries: [EntryRecord]) { tail += entries.map(Entry.init) }

    /// Up to here this node's own log was read.
    var measured: UInt64 { after + UInt64(tail.count) }

    /// This node's own entry in a place after those that are known already; `nil` beyond the end.
    func entry(_ place: Int) -> Entry? { known + place < tail.count ? tail[known + place] : nil }

    /// The log that the rest of the tail belongs to.
    func successor(of log: LogDescription) -> LogDescription? {
        guard known < tail.count else { return nil }
        return LogDescription(
            conversationID: log.conversationID, deviceID: log.deviceID,
            epoch: tail[known].timestamp.rawValue + detour)
    }

    /// An earlier successor that was looked at holds so many entries of the tail, and no more.
    mutating func leave(_ successor: LogID, of logID: LogID, matching: Int) {
        guard matching > 0 else {
            // Another log has this epoch: as good as none.
            detour += 1
            return
        }
        renamed.append(
            RenamedMessages(
                from: MessageID(log: logID, sequence: after + UInt64(known) + 1),
                to: MessageID(log: successor, sequence: 1), count: UInt64(matching)))
        known += matching
        detour = 0
    }

    /// The end of the log goes to its successor, chained anew under that one's name.
    func cut(of own: OwnLog, author: LogAuthor) -> (cut: LogCut, successor: LogRecord?, renamed: [RenamedMessages]) {
        let logID = own.record.logID
        guard let description = successor(of: own.description) else {
            let cut = LogCut(
                logID: logID, after: after, kept: renamed, successor: nil, chains: [], checkpoint: nil)
            return (cut, nil, renamed)
        }
        var head = LogHead.origin(of: description.logID)
        var chains: [ChainHash] = []
        for entry in tail[known...] {
            head = LogHead(
                sequence: head.sequence + 1, chain: head.chain.appending(entry.hash), timestamp: entry.timestamp)
            chains.append(head.chain)
        }
        let checkpoint = Checkpoint.sign(
            logID: description.logID, sequence: head.sequence, chain: head.chain, with: author.signingKey)
        let cut = LogCut(
            logID: logID, after: after, kept: renamed, successor: description.logID, chains: chains,
            checkpoint: checkpoint)
        let record = LogRecord(
            description: description, authorID: author.userID, conversation: own.record.conversation, head: head,
            nextExpiry: own.record.nextExpiry)
        let moved = RenamedMessages(
            from: MessageID(log: logID, sequence: after + UInt64(known) + 1),
            to: MessageID(log: description.logID, sequence: 1),
            count: UInt64(chains.count))
        return (cut, record, renamed + [moved])
    }
}
