import EarshotModel
import GRDB

/// A user for whom entries of a log are, and what of it they lack.
struct LogRecipient {
    let userID: UserID
    /// The entries that are for them, none of their receipts covers, and have not failed.
    let lacking: SequenceSet
}

/// For whom what a device of this node's user has written still has to leave. It is decided here for all that counts, lists or
/// erases what waits.
///
/// In a conversation of many that is for those who are in, from the entry on with which that began for the author: in an open
/// conversation by the time, in a private one by the control entry that the author knew, which stands in the log
/// (`EntryRelation.version`). Whoever was added later has no right to what was written before.
extension HistoryReader {
    /// The recipients of a log who lack something of it that has not failed.
    func recipients(of log: NumberedLog, besides failures: LogFailures = .all) throws -> [LogRecipient] {
        var versions: [Version]?
        return try present(in: log.record).compactMap { userID, since in
            guard userID != log.record.authorID else { return nil }
            var lacking = log.lacking(userID)
            guard !lacking.isEmpty else { return nil }
            if let since {
                let known = try versions ?? self.versions(in: log)
                versions = known
                let first = try firstEntry(since: since, in: log, known)
                if first > 1 { lacking.remove(1...first - 1) }
            }
            if !lacking.isEmpty { lacking.subtract(try failed(in: log, for: userID, failures)) }
            return lacking.isEmpty ? nil : LogRecipient(userID: userID, lacking: lacking)
        }
    }

    /// Whether the author of a log is in.
    func isAuthorIn(_ log: NumberedLog) throws -> Bool {
        try present(in: log.record).contains { $0.userID == log.record.authorID }
    }

    /// The participants of a conversation who are in, or invited, and since when. A direct conversation has always been.
    private func present(in log: LogRecord) throws -> [(userID: UserID, since: HybridTimestamp?)] {
        let found = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT userID, status, since FROM participant WHERE conversationID = ?"),
            arguments: [log.description.conversationID.data])
        return try found.compactMap { row -> (userID: UserID, since: HybridTimestamp?)? in
            switch Participant.Status(rawValue: row["status"]) {
            case .joined, .invited, .closed: break
            case .left, .removed: return nil
            case nil: throw StoreError.damaged("the status of a participant", path: rows.path)
            }
            let since = HybridTimestamp(rawValue: try rows.number(row, "since"))
            return (try rows.identifier(row, "userID"), log.conversation.kind == .direct ? nil : since)
        }
    }

    /// From an entry on the author of a log knew who was in as of a time.
    private struct Version {
        let sequence: UInt64
        let time: HybridTimestamp
    }

    /// Descending; none in a conversation that is not private. What earlier versions have written has none.
    private func versions(in log: NumberedLog) throws -> [Version] {
        guard log.record.conversation.kind == .private else { return [] }
        return try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT relation.sequence, control.timestamp
                    FROM relation JOIN log ON log.logID = relation.targetLog OR log.wireID = relation.targetLog
                        JOIN entry AS control ON control.log = log.number
                            AND control.sequence = relation.targetSequence AND control.chain = relation.targetChain
                    WHERE relation.log = ? AND relation.kind = ? ORDER BY relation.sequence DESC
                    """), arguments: [log.number, EntryKind.version.rawValue]
        ).map {
            Version(
                sequence: try rows.number($0, "sequence"),
                time: HybridTimestamp(rawValue: try rows.number($0, "timestamp")))
        }
    }

    /// The first entry of a log whose author knew that somebody is in since a time.
    private func firstEntry(since: HybridTimestamp, in log: NumberedLog, _ versions: [Version]) throws -> UInt64 {
        var first = log.record.head.sequence + 1
        for version in versions {
            guard version.time >= since else { return first }
            first = version.sequence
        }
        let beginning = Place(
            number: Int64(clamping: since.rawValue), trunkID: LogID(Bytes32()), chain: ChainHash(Bytes32()),
            logID: LogID(Bytes32()))
        return min(first, try count(in: log, through: beginning) + 1)
    }

    /// The entries of a log that have failed for a user, or for everybody, which the author's row says.
    private func failed(in log: NumberedLog, for userID: UserID, _ failures: LogFailures) throws -> SequenceSet {
        let rows = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT sequence FROM failure
                    WHERE log = ? AND recipientID IN (?, ?) AND (isWithheld OR ?) ORDER BY sequence
                    """),
            arguments: [log.number, userID.data, log.record.authorID.data, failures == .all])
        return rows.reduce(into: SequenceSet()) { $0.insert(UInt64($1)) }
    }
}

/// Which failures end the wait for a recipient.
enum LogFailures {
    case all
    /// Those after which only the hash may leave.
    case withheld
}

/// The entries of a device's logs that still have to leave, looked up once for each log: for one transaction.
final class WaitingEntries {
    private let reader: HistoryReader
    private let deviceID: DeviceID?
    private let failures: LogFailures
    private var logs: [Int64: Log] = [:]

    private struct Log {
        let deviceID: DeviceID
        let lacking: [UserID: SequenceSet]
    }

    /// - Parameter deviceID: what others have written waits here for nobody.
    init(_ reader: HistoryReader, of deviceID: DeviceID?, besides failures: LogFailures) {
        (self.reader, self.deviceID, self.failures) = (reader, deviceID, failures)
    }

    func contains(_ messageID: MessageID) throws -> Bool {
        guard let number = try reader.log(messageID.log)?.number else { return false }
        return try contains(messageID.sequence, of: number)
    }

    /// - Parameter retraction: whoever has this entry needs the other one no more.
    func contains(
        _ sequence: UInt64, of number: Int64, unlessRetractedBy retraction: (sequence: UInt64, log: Int64)? = nil
    ) throws -> Bool {
        guard let log = try log(number), log.deviceID == deviceID else { return false }
        return try log.lacking.contains { userID, lacking in
            guard lacking.contains(sequence) else { return false }
            guard let retraction else { return true }
            return try self.log(retraction.log)?.lacking[userID]?.contains(retraction.sequence) == true
        }
    }

    private func log(_ number: Int64) throws -> Log? {
        if let known = logs[number] { return known }
        guard let log = try reader.log(number: number) else { return nil }
        let recipients = try reader.recipients(of: log, besides: failures).map { ($0.userID, $0.lacking) }
        let found = Log(
            deviceID: log.record.description.deviceID, lacking: Dictionary(uniqueKeysWithValues: recipients))
        logs[number] = found
        return found
    }
}

extension HistoryReader.NumberedLog {
    /// What a user's receipts do not cover.
    fileprivate func lacking(_ userID: UserID) -> SequenceSet {
        let progress = progress[userID] ?? DeliveryProgress()
        let (first, head) = (max(progress.delivered, record.start.sequence) + 1, record.head.sequence)
        var lacking = progress.missing
        lacking.removeAll(after: head)
        if record.start.sequence > 0 { lacking.remove(1...record.start.sequence) }
        if first <= head { lacking.insert(first...head) }
        return lacking
    }
}
