package import EarshotModel
import Foundation
import GRDB
import Synchronization

extension Store {
    /// Writes the commit in one transaction, and returns when it is on the disk.
    /// - Throws: `StoreError`; then nothing of it was written.
    package func commit(_ commit: Commit) throws(StoreError) {
        let outcome: CommitOutcome
        do {
            outcome = try writing {
                try database.writeWithoutTransaction { [memory, path] db in
                    try db.inPreparedTransaction { try CommitWriter(db: db, path: path, memory).write(commit) }
                }
            }
        } catch { throw StoreError(error, path: path) }
        memory.add(outcome.findings)
        guard checkpoints.isDue || outcome.hasErased else { return }
        writers.wrappingAdd(1, ordering: .relaxed)
        database.asyncWriteWithoutTransaction { [self] db in
            writeBack(db, hasErased: outcome.hasErased)
            writers.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// After a commit: what was erased stays in no file, and the write-ahead log does not grow without end.
    private func writeBack(_ db: Database, hasErased: Bool) {
        if hasErased {
            // What stands in the way now is tried again by who hears of it, and in the end when the file is closed.
            let isDone = (try? Self.overwriteDeleted(db)) == .done
            if !isDone { erasures.owe() }
        }
        if checkpoints.isDue { checkpoints.run(db) }
    }

    /// Whether nobody writes, so that a commit need not wait for its turn.
    package var isIdle: Bool { writers.load(ordering: .relaxed) == 0 }

    /// Runs something that writes.
    func writing<Value>(_ body: () throws -> Value) rethrows -> Value {
        writers.wrappingAdd(1, ordering: .relaxed)
        defer { writers.wrappingSubtract(1, ordering: .relaxed) }
        return try body()
    }

    /// Like `commit`, on the database's own thread, which also calls the completion.
    package func commit(
        _ commit: Commit, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        writers.wrappingAdd(1, ordering: .relaxed)
        database.asyncWriteWithoutTransaction { [self] db in
            defer { writers.wrappingSubtract(1, ordering: .relaxed) }
            let result = Result {
                try db.inPreparedTransaction { try CommitWriter(db: db, path: path, memory).write(commit) }
            }
            completion(result.map { memory.add($0.findings) }.mapError { StoreError($0, path: path) })
            var hasErased = false
            if case .success(let outcome) = result { hasErased = outcome.hasErased }
            writeBack(db, hasErased: hasErased)
        }
    }
}

extension Database {
    /// A transaction whose first and last statement are compiled once, and not each time: a commit of a single message is
    /// short.
    fileprivate func inPreparedTransaction<Value>(_ updates: () throws -> Value) throws -> Value {
        try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            let value = try updates()
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
            return value
        } catch {
            // SQLite may have ended the transaction itself, as it does when the disk is full.
            if isInsideTransaction { try rollback() }
            throw error
        }
    }
}

/// What a commit has done, which is true when its transaction is.
struct CommitOutcome: Sendable {
    let findings: CommitMemory.Findings
    /// Whether it has erased contents.
    let hasErased: Bool
}

/// Writes one commit inside a transaction.
struct CommitWriter {
    /// What this commit looks up, and does.
    final class Found {
        var findings = CommitMemory.Findings()
        var hasErased = false
    }

    let db: Database
    let rows: Rows
    let memory: CommitMemory
    let found = Found()

    init(db: Database, path: String, _ memory: CommitMemory = CommitMemory()) {
        self.db = db
        rows = Rows(path: path)
        self.memory = memory
    }

    @discardableResult
    func write(_ commit: Commit) throws -> CommitOutcome {
        if commit.beginsGeneration { try beginGeneration() }
        for userID in commit.forgottenUsers { try forget(userID) }
        for deviceID in commit.forgottenDevices { try forget(deviceID) }
        // First all pins go, then the new ones are set: a name may pass from one user to another.
        if commit.users.count > 1 { try commit.users.forEach(unpin) }
        for user in commit.users { try write(user) }
        for device in commit.devices { try write(device) }
        for conversation in commit.conversations { try write(conversation) }
        for conversation in commit.privateConversations { try write(conversation) }
        try writeDevices(of: commit)
        for log in commit.logs { try write(log) }
        for tail in commit.unsentTails { try write(tail) }
        for tail in commit.rewrittenTails { try write(tail) }
        for run in commit.entries {
            try write(run)
            try writeKeys(of: run)
            try writeMarks(of: run)
            try writeRelations(of: run)
            try writeAttachments(of: run)
        }
        for run in commit.bodies { try complete(run) }
        try writeRegarded(commit.regarded)
        for delivery in commit.deliveries { try write(delivery) }
        try write(commit.receipts)
        for message in commit.withdrawnFailures { try withdrawFailure(of: message) }
        for failure in commit.failures { try write(failure) }
        try eraseRetracted(commit)
        for erasure in commit.erasures { try write(erasure) }
        if !commit.erasures.isEmpty { found.hasErased = true }
        for change in commit.programChanges { try write(change) }
        try writeJournal(of: commit)
        return CommitOutcome(findings: found.findings, hasErased: found.hasErased)
    }

    private func write(_ user: UserRecord) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO user (userID, name, trust, isPinned, claimedName, firstSeen, lastSeen)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (userID) DO UPDATE SET name = excluded.name, trust = excluded.trust,
                    isPinned = excluded.isPinned, claimedName = excluded.claimedName, lastSeen = excluded.lastSeen
                """
        ).execute(arguments: [
            user.userID.data, user.name.text, user.trust.rawValue, user.isPinned, user.claimedName?.text,
            user.firstSeen,
            user.lastSeen,
        ])
    }

    private func unpin(_ user: UserRecord) throws {
        try db.cachedStatement(sql: "UPDATE user SET isPinned = 0 WHERE userID = ? AND isPinned")
            .execute(arguments: [user.userID.data])
    }

    private func forget(_ userID: UserID) throws {
        try db.cachedStatement(sql: "DELETE FROM device WHERE userID = ?").execute(arguments: [userID.data])
        try db.cachedStatement(sql: "DELETE FROM user WHERE userID = ?").execute(arguments: [userID.data])
    }

    private func forget(_ deviceID: DeviceID) throws {
        try db.cachedStatement(sql: "DELETE FROM device WHERE deviceID = ?").execute(arguments: [deviceID.data])
    }

    private func write(_ device: DeviceRecord) throws {
        let addresses = device.addresses.map(\.description).joined(separator: " ")
        try db.cachedStatement(
            sql: """
                INSERT INTO device (deviceID, userID, credential, addresses) VALUES (?, ?, ?, ?)
                ON CONFLICT (deviceID) DO UPDATE SET userID = excluded.userID, credential = excluded.credential,
                    addresses = excluded.addresses
                """
        ).execute(arguments: [device.deviceID.data, device.userID.data, Data(device.credential), addresses])
    }

    /// An existing head keeps its time, which is that of its entry and may have been filled in since.
    private func write(_ log: LogRecord) throws {
        var statement = try BoundStatement(
            db,
            sql: """
                UPDATE log SET headTimestamp = iif(headChain = ?, headTimestamp, ?), headSequence = ?, headChain = ?,
                    nextExpiry = ?, bytes = ?
                WHERE logID = ?
                """
        )
        statement.bind(log.head.chain)
        statement.bind(log.head.timestamp.rawValue)
        statement.bind(log.head.sequence)
        statement.bind(log.head.chain)
        statement.bind(log.nextExpiry)
        statement.bind(log.bytes)
        statement.bind(log.logID)
        try statement.run()
        if db.changesCount == 0 { try begin(log) }
    }

    func begin(_ log: LogRecord) throws {
        let conversation = log.conversation
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO conversation (conversationID, kind) VALUES (?, ?)")
            .execute(arguments: [conversation.conversationID.data, conversation.kind.rawValue])
        // Who belongs to one of many is written with the conversation.
        for userID in conversation.kind == .direct ? conversation.participantIDs : [] {
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO participant (conversationID, userID) VALUES (?, ?)")
                .execute(arguments: [conversation.conversationID.data, userID.data])
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO log (logID, conversationID, deviceID, epoch, kind, isLimbo, authorID,
                    headSequence, headChain, headTimestamp, nextExpiry, bytes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            log.logID.data, log.description.conversationID.data, log.description.deviceID.data,
            Int64(bitPattern: log.description.epoch), Int64(log.description.kind.rawValue), log.isLimbo,
            log.authorID.data, Int64(log.head.sequence), log.head.chain.data, Int64(log.head.timestamp.rawValue),
            log.nextExpiry, log.bytes,
        ])
        if let base = log.base { try write(base, of: log) }
    }

    private func write(_ delivery: DeliveryRecord) throws {
        let (progress, receipt) = (delivery.progress, delivery.progress.receipt)
        var statement = try BoundStatement(
            db,
            sql: """
                INSERT INTO delivery (log, recipientID, offered, sent, delivered, read, handled, missing, receiptDeviceID,
                    receiptSequence, receiptChain, receiptReadSequence, receiptHandledSequence, receiptMissing,
                    receiptSignature)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (log, recipientID) DO UPDATE SET offered = excluded.offered, sent = excluded.sent,
                    delivered = excluded.delivered, read = excluded.read, handled = excluded.handled,
                    missing = excluded.missing, receiptDeviceID = excluded.receiptDeviceID,
                    receiptSequence = excluded.receiptSequence, receiptChain = excluded.receiptChain,
                    receiptReadSequence = excluded.receiptReadSequence,
                    receiptHandledSequence = excluded.receiptHandledSequence,
                    receiptMissing = excluded.receiptMissing, receiptSignature = excluded.receiptSignature
                """
        )
        statement.bind(try number(of: delivery.logID))
        statement.bind(delivery.recipientID)
        statement.bind(progress.offered)
        statement.bind(progress.sent)
        statement.bind(progress.delivered)
        statement.bind(progress.read)
        statement.bind(progress.handled)
        statement.bind(progress.missing.text)
        statement.bind(receipt?.deviceID.bytes32)
        statement.bind(receipt?.sequence)
        statement.bind(receipt?.chain.bytes32)
        statement.bind(receipt?.readSequence)
        statement.bind(receipt?.handledSequence ?? 0)
        statement.bind(receipt?.missing.text)
        statement.bind(receipt?.signature)
        try statement.run()
    }

    private func write(_ failure: DeliveryFailure) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO failure (log, sequence, recipientID, reason, isWithheld) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (log, sequence, recipientID) DO UPDATE SET isWithheld = max(isWithheld, excluded.isWithheld)
                """
        ).execute(arguments: [
            try number(of: failure.messageID.log), Int64(failure.messageID.sequence), failure.recipientID.data,
            failure.reason.rawValue, failure.isWithheld,
        ])
    }

    func number(of logID: LogID) throws -> Int64 {
        if let known = found.findings.numbers[logID] ?? memory[logID] { return known }
        let statement = try db.cachedStatement(sql: "SELECT number FROM log WHERE logID = ?")
        guard let number = try Int64.fetchOne(statement, arguments: [logID.data]) else {
            preconditionFailure("a commit names only logs that it or an earlier one has written")
        }
        found.findings.numbers[logID] = number
        return number
    }
}

extension Identifier {
    var data: Data { bytes32.withUnsafeBytes { Data($0) } }
}
