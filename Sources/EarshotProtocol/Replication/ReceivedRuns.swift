import DequeModule
import EarshotModel

/// A run of proved entries that waits for a commit.
struct ReceivedRun: Sendable {
    let connectionID: ConnectionID
    let deviceID: DeviceID
    let logID: LogID
    let head: LogHead
    let entries: [EntryRecord]
    let messages: [Message]
    let bytes: Int
}

/// Entries of peers that are proved and not yet on the disk.
///
/// It decides which entries of a frame are taken, how many bytes a peer may use, and how much a commit takes. It proves
/// nothing (`IncomingLog`).
struct ReceivedRuns: Sendable {
    private var waiting: Deque<ReceivedRun> = []
    /// Includes those in the commit that is under way.
    private var bytes = ReceivedBytes()

    var isEmpty: Bool { waiting.isEmpty }

    /// What a frame of entries has brought.
    enum Intake: Sendable {
        /// All of it is known; whether it is on the disk, too.
        case known(isSettled: Bool)
        /// A run that waits for a commit now, and the timestamps of the entries that came with a body.
        case new(ReceivedRun, [HybridTimestamp])
    }

    /// Takes what is new in a frame with entries of a peer's own log.
    /// - Parameter link: the link, and the peer at its end.
    /// - Throws: `ProtocolError`, for which the link is to be closed.
    mutating func take(
        _ frame: EntriesFrame, from link: ReplicationSession, isStranger: Bool, logs: inout Logs, author: LogAuthor
    ) throws(ProtocolError) -> Intake {
        guard frame.log.conversationID == .direct(author.userID, link.userID), frame.log.deviceID == link.deviceID
        else { throw ProtocolError(.violation, "the peer sent entries of a log that is not its own") }
        var log = try logs.logForEntries(frame.log, by: link.userID)
        let taken = try log.receive(frame)
        guard !taken.isEmpty else { return .known(isSettled: log.isSettled) }
        let bytes = taken.reduce(0) { $0 + $1.record.windowBytes }
        try checkRoom(for: bytes, of: link.deviceID, isStranger: isStranger)
        // Not before: what is not queued for the disk is not proved, or a hole would follow.
        logs.proved(log)
        let run = ReceivedRun(
            connectionID: link.connectionID, deviceID: link.deviceID, logID: frame.log.logID, head: log.proved,
            entries: taken.map(\.record),
            messages: taken.compactMap { Message($0.record, $0.body, of: log, to: author.userID) }, bytes: bytes)
        add(run)
        return .new(run, taken.compactMap { $0.body?.timestamp })
    }

    /// A device has one window, however many links it makes: what it sends again on another link is already known.
    /// There is also a limit for everything that waits for the disk, and strangers have half of it.
    func checkRoom(for more: Int, of deviceID: DeviceID, isStranger: Bool) throws(ProtocolError) {
        guard bytes[deviceID] + more <= Limits.windowBytes + Limits.frameBytes else {
            throw ProtocolError(.violation, "the peer sends more than its window of \(Limits.windowBytes) bytes")
        }
        let limit = isStranger ? Limits.receivedBytes / 2 : Limits.receivedBytes
        guard bytes.total + more <= limit else {
            throw ProtocolError(
                .overloaded, "more comes from all peers together than the disk takes in time; it is sent again",
                closeReason: .storageFailure)
        }
    }

    mutating func add(_ run: ReceivedRun) {
        bytes.add(run.bytes, of: run.deviceID)
        waiting.append(run)
    }

    mutating func takeForCommit() -> [ReceivedRun] {
        var taken: [ReceivedRun] = []
        var (count, bytes) = (0, 0)
        while let run = waiting.first, count < Limits.commitEntries, bytes < Limits.commitBytes {
            waiting.removeFirst()
            count += run.entries.count
            bytes += run.bytes
            taken.append(run)
        }
        return taken
    }

    /// Adds runs to a commit, and the receipts for them.
    /// - Returns: the heads that the logs of peers have with this commit.
    mutating func move(
        into next: inout CommitInFlight, logs: Logs, deliveries: inout Deliveries, author: LogAuthor
    ) -> [LogID: LogHead] {
        next.received = takeForCommit()
        var heads: [LogID: LogHead] = [:]
        for run in next.received {
            heads[run.logID] = run.head
            next.commit.entries.append(LogEntries(logID: run.logID, entries: run.entries))
        }
        for (logID, head) in heads.sorted(by: { $0.key < $1.key }) {
            guard let log = logs.incoming(logID) else { continue }
            next.commit.logs.append(
                LogRecord(
                    description: log.description, authorID: log.authorID,
                    conversation: .direct(author.userID, log.authorID), head: head))
            deliveries.keep(DeliveryKey(logID: logID, recipientID: author.userID), through: head.sequence)
        }
        return heads
    }

    mutating func written(_ run: ReceivedRun) { bytes.remove(run.bytes, of: run.deviceID) }

    /// Drops everything that waits, and what was in a commit that failed.
    /// - Returns: all of it, in order.
    mutating func drop(with failed: [ReceivedRun]) -> [ReceivedRun] {
        let dropped = failed + waiting
        for run in dropped { bytes.remove(run.bytes, of: run.deviceID) }
        waiting.removeAll()
        return dropped
    }

    /// The bytes of the log that has the most, of the device that has the most, and of all.
    func load(with inFlight: [ReceivedRun]) -> (log: Int, device: Int, all: Int) {
        var logs: [LogID: Int] = [:]
        var devices: [DeviceID: Int] = [:]
        var all = 0
        for run in inFlight + waiting {
            logs[run.logID, default: 0] += run.bytes
            devices[run.deviceID, default: 0] += run.bytes
            all += run.bytes
        }
        return (logs.values.max() ?? 0, devices.values.max() ?? 0, all)
    }
}

extension Message {
    /// - Returns: `nil` for an entry that is no text.
    fileprivate init?(_ record: EntryRecord, _ body: EntryBody?, of log: IncomingLog, to recipientID: UserID) {
        guard case .text(let text, let headers) = body?.content else { return nil }
        self.init(
            messageID: MessageID(log: log.description.logID, sequence: record.sequence),
            conversationID: log.description.conversationID, senderID: log.authorID, recipientIDs: [recipientID],
            text: text, headers: headers, timestamp: record.timestamp, expiry: record.expiry,
            states: [recipientID: .delivered])
    }
}
