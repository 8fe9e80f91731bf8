import EarshotCrypto
import EarshotModel

/// New times for what this node wrote while a log of its own was away, so that it comes after what came back.
///
/// The clock of a restored node may be behind, and then its new messages would stand before its old ones for good. Only
/// entries that were offered to nobody change: nobody but this node's user has seen their times. They keep their order
/// and get the least times that serve; entries that are late enough stay as they are. So do withheld entries that come
/// before all others: only their hashes leave, and by those an older copy of the database recognizes them.
///
/// An entry whose key came back was written again since, and is the same message: it goes, and those after it close up.
struct Retiming: Sendable {
    /// A log with entries that nobody was offered.
    struct Log: Sendable {
        let record: LogRecord
        /// The last that was offered.
        let offered: UInt64
        /// Those that are kept back.
        let withheld: Set<UInt64>
    }

    /// The first is being read.
    private var logs: [Log]
    /// The messages that came back, by their keys.
    private let returned: [EntryKey: MessageID]
    private let signingKey: SigningKey
    /// What comes next is later than this.
    private var latest: HybridTimestamp
    /// How far the first log has been read, and what its head is then; `nil` before it is read.
    private var head: LogHead?
    private var position: UInt64 = 0
    /// The last entry of the first log that stays as it is.
    private var kept: UInt64 = 0
    /// Those after it, with their new times.
    private var changed: [RetimedEntries.Entry] = []
    /// Those after it that go.
    private var repeated: [RenamedMessages] = []
    /// Logs that are done, with their new heads.
    private(set) var retimed: [(record: LogRecord, entries: RetimedEntries)] = []
    /// What goes of them.
    private(set) var repeats: [LogCut] = []

    /// - Parameter latest: when the last entry that came back was written.
    init(
        _ logs: [Log], after latest: HybridTimestamp, returned: [EntryKey: MessageID] = [:], signingKey: SigningKey
    ) {
        self.returned = returned
        self.logs = logs.sorted { $0.record.head.timestamp < $1.record.head.timestamp }
        self.latest = latest
        self.signingKey = signingKey
    }

    /// What is to be read next: with the last entry that was offered, behind which the chain goes on.
    var next: (logID: LogID, from: UInt64)? {
        logs.first.map { ($0.record.logID, head == nil ? max(1, $0.offered) : position + 1) }
    }

    /// The store's answer.
    mutating func read(_ entries: [EntryRecord]) {
        guard let log = logs.first else { return }
        var rest = entries[...]
        var head = self.head ?? .origin(of: log.record.logID)
        if self.head == nil, log.offered > 0, let first = rest.popFirst() {
            head = LogHead(sequence: first.sequence, chain: first.chain, timestamp: first.timestamp)
        }
        for entry in rest {
            position = entry.sequence
            guard let next = place(entry, after: head, isWithheld: log.withheld.contains(entry.sequence)) else {
                end(log, head: log.record.head)
                return
            }
            head = next
        }
        self.head = head
        position = max(position, head.sequence)
        if position >= log.record.head.sequence { end(log, head: head) }
    }

    /// - Returns: the log's head with this entry; `nil` if the log stays as it is.
    private mutating func place(_ entry: EntryRecord, after head: LogHead, isWithheld: Bool) -> LogHead? {
        let earliest = max(latest, head.timestamp)
        let hasBody = if case .body = entry.content { true } else { false }
        if let messageID = returnedID(of: entry) {
            if changed.isEmpty, repeated.isEmpty { kept = head.sequence }
            let old = MessageID(log: logs[0].record.logID, sequence: entry.sequence)
            repeated.append(RenamedMessages(from: old, to: messageID, count: 1))
            return head
        }
        if changed.isEmpty, repeated.isEmpty {
            let isLate = entry.timestamp > earliest
            if isLate && returned.isEmpty { return nil }
            if isLate || isWithheld || !hasBody {
                kept = entry.sequence
                return LogHead(sequence: entry.sequence, chain: entry.chain, timestamp: entry.timestamp)
            }
            kept = head.sequence
        }
        let timestamp = max(entry.timestamp, earliest.next)
        guard earliest < .maximum, let content = entry.content.retimed(to: timestamp) else {
            (changed, repeated) = ([], [])
            return nil
        }
        let chain = head.chain.appending(content.hash)
        changed.append(RetimedEntries.Entry(timestamp: timestamp, chain: chain, hasBody: hasBody))
        return LogHead(sequence: head.sequence + 1, chain: chain, timestamp: timestamp)
    }

    /// The message that came back with an entry's key.
    private func returnedID(of entry: EntryRecord) -> MessageID? {
        guard !returned.isEmpty, case .body(let bytes) = entry.content,
            let key = (try? EntryBody(decoding: bytes))?.key
        else { return nil }
        return returned[key]
    }

    private mutating func end(_ log: Log, head: LogHead) {
        if !changed.isEmpty || !repeated.isEmpty {
            var record = log.record
            record.head = head
            let checkpoint = Checkpoint.sign(
                logID: record.logID, sequence: head.sequence, chain: head.chain, with: signingKey)
            retimed.append(
                (record, RetimedEntries(logID: record.logID, after: kept, entries: changed, checkpoint: checkpoint)))
            if !repeated.isEmpty {
                repeats.append(
                    LogCut(
                        logID: record.logID, after: kept, kept: repeated,
                        successor: changed.isEmpty ? nil : record.logID, chains: changed.map(\.chain),
                        checkpoint: checkpoint))
            }
        }
        latest = max(latest, head.timestamp)
        (self.head, position, kept, changed, repeated) = (nil, 0, 0, [], [])
        logs.removeFirst()
    }
}
