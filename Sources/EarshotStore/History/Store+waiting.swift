package import EarshotModel
import GRDB

extension Store {
    /// How many messages of a device in groups wait for each participant's receipt: those written since the participant is in.
    ///
    /// It reads no entry that a history shows, so it is quick however long somebody has been away.
    package func waitingInGroups(of deviceID: DeviceID) throws(StoreError) -> [UserID: UInt64] {
        let rows = Rows(path: path)
        return try read { db in
            let reader = HistoryReader(db: db, rows: rows, order: .time)
            let logs = try rows.logs(
                db,
                """
                SELECT log.* FROM log JOIN conversation ON conversation.conversationID = log.conversationID
                WHERE log.deviceID = ? AND conversation.kind <> ? AND NOT log.isLimbo
                """, arguments: [deviceID.data, ConversationKind.direct.rawValue])
            var waiting: [UserID: UInt64] = [:]
            for (number, record) in logs where record.description.kind == .messages {
                guard let log = try reader.log(number: number) else { continue }
                for (userID, since) in try reader.present(in: record) {
                    let count = try reader.waiting(in: log, for: userID, since: since)
                    if count > 0 { waiting[userID, default: 0] += count }
                }
            }
            return waiting
        }
    }
}

extension HistoryReader {
    /// The other participants of a conversation who are in, or invited, and since when; nobody if the log's author is not in.
    fileprivate func present(in log: LogRecord) throws -> [(userID: UserID, since: HybridTimestamp)] {
        let found = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT userID, status, since FROM participant WHERE conversationID = ?"),
            arguments: [log.description.conversationID.data])
        let statuses: [Participant.Status] = [.joined, .invited]
        let present = try found.compactMap { row -> (userID: UserID, since: HybridTimestamp)? in
            guard let status = Participant.Status(rawValue: row["status"]), statuses.contains(status) else {
                return nil
            }
            return (
                try rows.identifier(row, "userID"), HybridTimestamp(rawValue: try rows.number(row, "since"))
            )
        }
        guard present.contains(where: { $0.userID == log.authorID }) else { return [] }
        return present.filter { $0.userID != log.authorID }
    }

    /// How many messages of a log, from a time on, a user's receipts do not cover and have not failed for everybody.
    fileprivate func waiting(in log: NumberedLog, for userID: UserID, since: HybridTimestamp) throws -> UInt64 {
        let beginning = Place(
            number: Int64(clamping: since.rawValue), trunkID: LogID(Bytes32()), chain: ChainHash(Bytes32()),
            logID: LogID(Bytes32()))
        let first = max(try count(in: log, through: beginning), log.record.start.sequence) + 1
        let progress = log.progress[userID] ?? DeliveryProgress()
        let head = log.record.head.sequence
        var waiting: UInt64 = 0
        for range in progress.missing.ranges + [progress.delivered + 1...max(head, progress.delivered + 1)] {
            let (from, through) = (max(first, range.lowerBound), min(head, range.upperBound))
            guard from <= through else { continue }
            waiting += through - from + 1 - (try settled(in: log, from...through, for: userID))
        }
        return waiting
    }

    /// How many entries of a run wait for nobody: those that are no messages, were erased or have failed.
    private func settled(in log: NumberedLog, _ run: ClosedRange<UInt64>, for userID: UserID) throws -> UInt64 {
        let unshown = try Int64.fetchOne(
            db.cachedStatement(sql: Self.unshownCount + " AND sequence <= ?"),
            arguments: [log.number, Int64(run.lowerBound) - 1, Int64(run.upperBound)])
        let failed = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT COUNT(DISTINCT failure.sequence) FROM failure
                        JOIN entry ON entry.log = failure.log AND entry.sequence = failure.sequence
                    WHERE failure.log = ? AND failure.sequence BETWEEN ? AND ? AND failure.recipientID IN (?, ?)
                        AND entry.kind = 1 AND NOT entry.isDeleted
                    """),
            arguments: [
                log.number, Int64(run.lowerBound), Int64(run.upperBound), userID.data, log.record.authorID.data,
            ])
        return UInt64((unshown ?? 0) + (failed ?? 0))
    }
}
