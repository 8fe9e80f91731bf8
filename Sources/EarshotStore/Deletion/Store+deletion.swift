import EarshotCrypto
package import EarshotModel
import Foundation
import GRDB

/// The outcome of a deletion of contents.
package struct DeletionOutcome: Hashable, Sendable {
    /// Entries whose contents this deletion removed.
    package internal(set) var deletedCount = 0
    /// Own messages that were kept, because their recipients may still need the contents.
    package internal(set) var undelivered: [MessageID] = []
    /// Messages that are not in this store.
    package internal(set) var unknown: [MessageID] = []
    /// What the user's other devices are told.
    package internal(set) var runs: [ErasedRun] = []
    /// Messages that had failed and may have left; they are withheld from now on.
    var withheld: [MessageID] = []
}

/// The outcome of overwriting what was deleted.
package enum Overwriting: Hashable, Sendable {
    case done
    /// Somebody was reading at the time.
    case waitsForReaders
    /// The disk has no room: the last deletions are moved before they are overwritten.
    case waitsForSpace
}

extension Store {
    /// The entries that one transaction of a large deletion visits; commits of a running node wait no longer than that.
    static let deletionStep = 1000

    /// Replaces the contents of entries by their hashes: of all of them or of none.
    ///
    /// The same transaction reads from the disk whether a message is delivered, so no message loses content that may
    /// still have to leave.
    /// - Parameters:
    ///   - deviceID: this node's own device, whose messages are kept until they are delivered or have failed.
    ///   - withheld: is called, once the deletion is on the disk, with messages that had failed, may have left, and are
    ///     withheld from now on. The database's thread calls it, in the order of all commits.
    /// - Returns: the outcome. If it has messages in `undelivered` or `unknown`, nothing was deleted.
    package func deleteContents(
        of messageIDs: [MessageID], deviceID: DeviceID,
        withheld: @escaping @Sendable ([MessageID]) -> Void = { _ in }
    ) throws(StoreError) -> DeletionOutcome {
        let path = self.path
        return try write { db in
            var outcome = DeletionOutcome()
            let deletion = Deletion(db, deviceID, path: path)
            for messageID in messageIDs { try deletion.check(messageID, &outcome) }
            guard outcome.undelivered.isEmpty, outcome.unknown.isEmpty else { return outcome }
            for messageID in messageIDs {
                for entry in try [messageID] + deletion.edits(of: messageID) {
                    try deletion.delete(entry, &outcome)
                    outcome.runs += try deletion.place(of: entry).map { [ErasedRun(through: $0)] } ?? []
                }
            }
            deletion.tell(outcome, withheld)
            return outcome
        }
    }

    /// Deletes the contents of all entries of a conversation that can be deleted, in many transactions. What one of them
    /// has deleted stays deleted if a later one fails.
    /// - Parameter listed: how many kept messages are named.
    /// - Returns: what was deleted, and why the rest was not, if the disk failed.
    package func deleteContents(
        of conversationID: ConversationID, deviceID: DeviceID, listed: Int,
        withheld: @escaping @Sendable ([MessageID]) -> Void = { _ in }
    ) -> (outcome: DeletionOutcome, keptCount: Int, failure: StoreError?) {
        var outcome = DeletionOutcome()
        var keptCount = 0
        let path = self.path
        do throws(StoreError) {
            for log in try logs(of: conversationID) where !log.isLimbo && log.description.kind == .messages {
                var kept: [UInt64] = []
                for first in stride(from: log.firstSequence, through: log.head.sequence, by: Self.deletionStep) {
                    let last = min(log.head.sequence, first + UInt64(Self.deletionStep) - 1)
                    let step = try write { db in
                        var step = DeletionOutcome()
                        let deletion = Deletion(db, deviceID, path: path)
                        for sequence in try deletion.sequencesWithContent(in: log.logID, first...last) {
                            try deletion.deleteIfSettled(MessageID(log: log.logID, sequence: sequence), &step)
                        }
                        deletion.tell(step, withheld)
                        return step
                    }
                    kept += step.undelivered.map(\.sequence)
                    outcome.deletedCount += step.deletedCount
                    keptCount += step.undelivered.count
                    outcome.undelivered += step.undelivered.prefix(listed - outcome.undelivered.count)
                }
                outcome.runs += try runs(of: log, without: kept)
            }
            return (outcome, keptCount, nil)
        } catch { return (outcome, keptCount, error) }
    }

    /// Moves the whole write-ahead log into the main file and empties it, so that neither file holds what was deleted.
    ///
    /// It does not wait for readers, because commits wait for it. What it could not do, the next call does, or closing
    /// does.
    package func overwriteDeleted() throws(StoreError) -> Overwriting {
        do {
            return try writing { try database.writeWithoutTransaction { try Self.overwriteDeleted($0) } }
        } catch {
            let error = StoreError(error, path: path)
            guard error.code == .full else { throw error }
            return .waitsForSpace
        }
    }

    private func logs(of conversationID: ConversationID) throws(StoreError) -> [LogRecord] {
        let rows = Rows(path: path)
        return try read { db in
            try rows.logs(db, "SELECT * FROM log WHERE conversationID = ?", arguments: [conversationID.data])
                .map(\.record)
        }
    }

    static func overwriteDeleted(_ db: Database) throws -> Overwriting {
        let patience = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        // The first column says whether somebody was in the way (sqlite.org/pragma.html#pragma_wal_checkpoint).
        let obstacle = Result { try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try db.execute(sql: "PRAGMA busy_timeout = \(patience)")
        return try obstacle.get() == 0 ? .done : .waitsForReaders
    }

    /// All entries of a branch but some, which are in ascending order.
    private func runs(of log: LogRecord, without kept: [UInt64]) throws(StoreError) -> [ErasedRun] {
        let path = path
        let deletion = { Deletion($0, log.description.deviceID, path: path) }
        return try read { db in
            var (runs, first): ([ErasedRun], UInt64) = ([], log.firstSequence)
            for end in kept + [log.head.sequence + 1] {
                if end > first,
                    let last = try deletion(db).place(of: MessageID(log: log.logID, sequence: end - 1))
                {
                    runs.append(ErasedRun(through: last, count: end - first))
                }
                first = end + 1
            }
            return runs
        }
    }

    func write<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        do { return try writing { try database.write(body) } } catch { throw StoreError(error, path: path) }
    }
}

extension CommitWriter {
    /// Erases what another device of the user has erased. What this device's recipients may still need stays; what stands
    /// in the same place of another branch is something else.
    func write(_ erasure: LogErasure) throws {
        let log = try number(of: erasure.logID)
        let device = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT deviceID FROM log WHERE number = ?"), arguments: [log])
        guard let deviceID = device.flatMap({ DeviceID(bytes: Array($0)) }) else { return }
        let deletion = Deletion(db, deviceID, path: rows.path)
        for run in erasure.runs where try isSameBranch(run, log) {
            var outcome = DeletionOutcome()
            for sequence in try deletion.sequencesWithContent(in: erasure.logID, run.sequences) {
                let messageID = MessageID(log: erasure.logID, sequence: sequence)
                if erasure.isOwn {
                    try deletion.deleteIfSettled(messageID, &outcome)
                } else {
                    try deletion.delete(messageID, &outcome)
                }
            }
        }
    }

    /// Whether the end of a run is in a branch; one that is not so long yet has it if it was known first.
    private func isSameBranch(_ run: ErasedRun, _ log: Int64) throws -> Bool {
        let chain = try Data.fetchOne(
            db.cachedStatement(sql: "SELECT chain FROM entry WHERE log = ? AND sequence = ?"),
            arguments: [log, Int64(run.last.sequence)])
        if let chain { return chain == run.last.chain.data }
        return try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT wireID IS NULL FROM log WHERE number = ? AND headSequence < ?"),
            arguments: [log, Int64(run.last.sequence)]) ?? false
    }
}

/// Deletes within one transaction.
private struct Deletion {
    let db: Database
    let deviceID: DeviceID
    let rows: Rows
    /// What a recipient does not have, and what has not failed for them.
    let waiting: WaitingEntries

    init(_ db: Database, _ deviceID: DeviceID, path: String) {
        (self.db, self.deviceID, rows) = (db, deviceID, Rows(path: path))
        waiting = WaitingEntries(HistoryReader(db: db, rows: rows, order: .time), of: deviceID, besides: .all)
    }

    func check(_ messageID: MessageID, _ outcome: inout DeletionOutcome) throws {
        if try !exists(messageID) {
            outcome.unknown.append(messageID)
        } else if try waiting.contains(messageID) || edits(of: messageID).contains(where: waiting.contains) {
            outcome.undelivered.append(messageID)
        }
    }

    /// The entries that give a message another text.
    func edits(of messageID: MessageID) throws -> [MessageID] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT editing.logID, relation.sequence
                    FROM log JOIN entry ON entry.log = log.number AND entry.sequence = ?2
                        JOIN relation ON relation.targetLog = ifnull(log.wireID, log.logID)
                            AND relation.targetSequence = ?2 AND relation.targetChain = entry.chain
                        JOIN log AS editing ON editing.number = relation.log
                    WHERE log.logID = ?1 AND relation.kind = ?3 AND editing.authorID = log.authorID
                    """),
            arguments: [messageID.log.data, Int64(messageID.sequence), EntryKind.edit.rawValue]
        ).map { MessageID(log: try rows.identifier($0, "logID"), sequence: try rows.number($0, "sequence")) }
    }

    /// How devices name an entry to each other.
    func place(of messageID: MessageID) throws -> LogPlace? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT entry.chain, ifnull(log.wireID, log.logID) AS logID
                    FROM log JOIN entry ON entry.log = log.number WHERE log.logID = ? AND entry.sequence = ?
                    """), arguments: [messageID.log.data, Int64(messageID.sequence)]
        ).map {
            LogPlace(
                logID: try rows.identifier($0, "logID"), sequence: messageID.sequence,
                chain: try rows.identifier($0, "chain"))
        }
    }

    func deleteIfSettled(_ messageID: MessageID, _ outcome: inout DeletionOutcome) throws {
        if try waiting.contains(messageID) {
            outcome.undelivered.append(messageID)
        } else {
            try delete(messageID, &outcome)
        }
    }

    func delete(_ messageID: MessageID, _ outcome: inout DeletionOutcome) throws {
        let entry = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT entry.cursor, entry.body, entry.kind, entry.log FROM log JOIN entry ON entry.log = log.number
                    WHERE log.logID = ? AND entry.sequence = ? AND entry.body IS NOT NULL
                    """), arguments: [messageID.log.data, Int64(messageID.sequence)])
        guard let entry else { return }
        let body: Data = entry["body"]
        try db.cachedStatement(sql: "UPDATE entry SET hash = ?, body = NULL, isDeleted = 1 WHERE cursor = ?")
            .execute(arguments: [EntryHash.of(body: Array(body)).data, entry["cursor"] as Int64])
        // The emoji of a reaction is content, too.
        try db.cachedStatement(sql: "DELETE FROM relation WHERE log = ? AND sequence = ? AND emoji IS NOT NULL")
            .execute(arguments: [entry["log"] as Int64, Int64(messageID.sequence)])
        if EntryKind(rawValue: entry["kind"])?.isShown != false { outcome.deletedCount += 1 }
        if try withholdFromNowOn(messageID) { outcome.withheld.append(messageID) }
    }

    /// A message that has failed may still have left. If it has to be sent again, only its hash is sent, so no receipt
    /// says from now on that its content was delivered.
    /// - Returns: whether it is such a message.
    private func withholdFromNowOn(_ messageID: MessageID) throws -> Bool {
        try db.cachedStatement(
            sql: """
                UPDATE failure SET isWithheld = 1
                WHERE sequence = :sequence AND NOT isWithheld
                    AND log = (SELECT number FROM log WHERE logID = :log AND deviceID = :device)
                    AND NOT EXISTS (SELECT 1 FROM delivery
                        WHERE delivery.log = failure.log AND delivery.recipientID = failure.recipientID
                            AND \(DeliveryColumns.complete) >= :sequence)
                """
        ).execute(arguments: [
            "log": messageID.log.data, "device": deviceID.data, "sequence": Int64(messageID.sequence),
        ])
        return db.changesCount > 0
    }

    private static let erasableKinds = EntryKind.allCases.filter(\.isErasable).map { String($0.rawValue) }
        .joined(separator: ", ")

    func tell(_ outcome: DeletionOutcome, _ withheld: @escaping @Sendable ([MessageID]) -> Void) {
        guard !outcome.withheld.isEmpty else { return }
        let messageIDs = outcome.withheld
        db.afterNextTransaction { _ in withheld(messageIDs) }
    }

    func sequencesWithContent(in logID: LogID, _ range: ClosedRange<UInt64>) throws -> [UInt64] {
        try Int64.fetchAll(
            db,
            sql: """
                SELECT entry.sequence FROM log JOIN entry ON entry.log = log.number
                WHERE log.logID = ? AND entry.sequence BETWEEN ? AND ? AND entry.body IS NOT NULL
                    AND entry.kind IN (\(Self.erasableKinds))
                ORDER BY entry.sequence
                """, arguments: [logID.data, Int64(range.lowerBound), Int64(range.upperBound)]
        ).map { UInt64($0) }
    }

    /// Whether the store has this message, deleted or not. A withheld entry is none: its content was never here.
    private func exists(_ messageID: MessageID) throws -> Bool {
        guard let sequence = Int64(exactly: messageID.sequence) else { return false }
        return try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT 1 FROM log JOIN entry ON entry.log = log.number
                    WHERE log.logID = ? AND entry.sequence = ? AND (entry.body IS NOT NULL OR entry.isDeleted)
                    """), arguments: [messageID.log.data, sequence]) ?? false
    }
}
