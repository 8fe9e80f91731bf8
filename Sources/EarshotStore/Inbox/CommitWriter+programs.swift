import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// Notes the keys of new entries. An own log that comes back may bring a key that an entry has which was written since:
    /// then the key finds the one that came back.
    func writeKeys(of run: LogEntries) throws {
        for index in run.entries.indices {
            guard let key = run.entries[index].key else { continue }
            try db.cachedStatement(sql: "UPDATE entry SET key = NULL WHERE key = ?").execute(arguments: [key.data])
            try db.cachedStatement(sql: "UPDATE entry SET key = ? WHERE log = ? AND sequence = ?")
                .execute(arguments: [key.data, try number(of: run.logID), Int64(run.entries[index].sequence)])
        }
    }

    func write(_ change: ProgramChange) throws {
        switch change {
        case .consumer(let name, let change): try write(change, of: name)
        case .schedule(let record): try write(record)
        case .unschedule(let scheduledID):
            try db.cachedStatement(sql: "DELETE FROM scheduled WHERE scheduledID = ?")
                .execute(arguments: [scheduledID.data])
        case .draft(let step): try write(step)
        }
    }

    private func write(_ record: ScheduledRecord) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO scheduled (scheduledID, conversationID, notBefore, draft, key, createdAt)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            record.scheduledID.data, record.conversationID.data, record.notBefore, Data(record.draft),
            record.key?.data, record.createdAt,
        ])
    }

    private func write(_ change: ConsumerChange, of name: String) throws {
        switch change {
        case .make(let record):
            try run(
                "INSERT INTO consumer (name, cursor, createdAt, token) VALUES (?, ?, ?, ?)",
                [name, record.cursor, record.createdAt, record.token])
        case .remove:
            try run("DELETE FROM consumer WHERE name = ?", [name])
            try run("DELETE FROM setAside WHERE consumer = ?", [name])
        case .acknowledge(let through, let time):
            try run(
                """
                DELETE FROM setAside WHERE consumer = ? AND cursor = ? AND reason = ''
                    AND EXISTS (SELECT 1 FROM consumer WHERE name = consumer AND consumer.cursor >= setAside.cursor)
                """, [name, through])
            try run(
                """
                UPDATE consumer SET cursor = max(cursor, ?), acknowledgedAt = ?, head = NULL, fruitless = 0 WHERE name = ?
                """, [through, time, name])
        case .move(let cursor):
            try run("DELETE FROM setAside WHERE consumer = ? AND (cursor > ? OR reason = '')", [name, cursor])
            try run("UPDATE consumer SET cursor = ?, head = NULL, fruitless = 0 WHERE name = ?", [cursor, name])
        case .countFruitless(let head, let count, let failure):
            try run("UPDATE consumer SET head = ?, fruitless = ? WHERE name = ?", [head, count, name])
            if let failure { try write(failure, of: name) }
        case .setAside(let entry, let failure):
            try write(failure, of: name)
            try run(
                """
                INSERT INTO setAside (consumer, cursor, reason, time) VALUES (?, ?, ?, ?)
                ON CONFLICT (consumer, cursor) DO UPDATE SET reason = excluded.reason, time = excluded.time
                """, [name, entry, failure.reason, failure.time])
            try run(
                """
                DELETE FROM setAside WHERE consumer = ? AND cursor IN (
                    SELECT cursor FROM setAside WHERE consumer = ? AND reason <> '' ORDER BY cursor DESC LIMIT -1 OFFSET ?)
                """, [name, name, Limits.setAside])
            try run(
                "UPDATE consumer SET cursor = max(cursor, ?), head = NULL, fruitless = 0 WHERE name = ?", [entry, name])
        case .handOutAgain(let entry):
            // No reason: it is not set aside any more, but not yet acknowledged.
            try run("UPDATE setAside SET reason = '' WHERE consumer = ? AND cursor = ?", [name, entry])
        }
    }

    private func write(_ failure: ConsumerFailure, of name: String) throws {
        try run(
            "UPDATE consumer SET failure = ?, failedAt = ? WHERE name = ?", [failure.reason, failure.time, name])
    }

    private func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension EntryKey {
    var data: Data { Data(bytes) }
}
