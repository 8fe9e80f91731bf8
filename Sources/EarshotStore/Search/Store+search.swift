package import EarshotModel
import Foundation
import GRDB

/// How far a search index has followed a history.
package struct SearchPosition: Hashable, Sendable {
    /// The place in the order of arrival up to which it knows all entries.
    package var cursor: Int64 = 0
    /// The chain of the entry there: an older or another history has another one, or none. `nil` at the beginning.
    package var chain: ChainHash?
    /// Up to which change of contents it has followed.
    package var change: Int64 = 0
    /// The generation of places in the order of arrival.
    package var generation: Int64 = 0

    package init() {}
}

/// What a search index has to look at next.
package struct SearchFeed: Sendable {
    /// Messages that are new or may show something else now, with what they show.
    package let rows: [HistoryRow]
    /// Places where nothing is shown now.
    package let gone: [Int64]
    /// Where the index stands when it has followed these.
    package let position: SearchPosition
    /// Whether there is no more.
    package let isComplete: Bool
}

extension Store {
    /// What is new for a search index behind its position.
    /// - Parameters:
    ///   - limit: how many entries, or changes of entries, are looked at.
    ///   - byteLimit: stops before the entry whose content would go past it, but looks at one at least.
    /// - Returns: `nil` if the position is none in this history, as after the return of an older copy.
    package func searchFeed(
        after position: SearchPosition, limit: Int, byteLimit: Int
    ) throws(StoreError) -> SearchFeed? {
        let path = self.path
        return try read { db in
            let reader = SearchFeedReader(
                db: db, history: HistoryReader(db: db, rows: Rows(path: path), order: .arrival))
            return try reader.holds(position) ? try reader.feed(after: position, limit, byteLimit) : nil
        }
    }

    /// Removes what a search index has followed.
    package func forgetChanges(through change: Int64) throws(StoreError) {
        // Nobody waits for this, and a commit should not wait for it either.
        while try write({ db in
            try db.execute(
                sql: """
                    DELETE FROM changedContent WHERE change IN
                        (SELECT change FROM changedContent WHERE change <= ? ORDER BY change LIMIT ?)
                    """, arguments: [change, Self.deletionStep])
            return db.changesCount == Self.deletionStep
        }) {}
    }

    /// The messages at places in the order of arrival, as they are shown, in the order that was asked for. Those that are
    /// not shown, or no more, are left out.
    package func shown(at cursors: [Int64]) throws(StoreError) -> [HistoryRow] {
        let path = self.path
        return try read { db in
            let reader = SearchFeedReader(
                db: db, history: HistoryReader(db: db, rows: Rows(path: path), order: .arrival))
            let rows = try reader.rows(at: cursors)
            return try cursors.compactMap { rows[$0] }.filter { try !reader.isHidden($0) }
        }
    }
}

/// Reads within one transaction.
private struct SearchFeedReader {
    let db: Database
    let history: HistoryReader

    /// Whether a blocked user wrote it in a group. It stays in the index, for they may be unblocked.
    func isHidden(_ row: HistoryRow) throws -> Bool { try history.log(row.log.logID)?.isHidden ?? false }

    func holds(_ position: SearchPosition) throws -> Bool {
        let lastChange =
            try Int64.fetchOne(
                db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'changedContent'") ?? 0
        guard position.change <= lastChange else { return false }
        let generation = try Int64.fetchOne(db, sql: "SELECT generation FROM journalGeneration") ?? 0
        guard let chain = position.chain else { return position.cursor == 0 }
        guard position.generation == generation else { return false }
        let found = try Data.fetchOne(
            db, sql: "SELECT chain FROM entry WHERE cursor = ?", arguments: [position.cursor])
        return found == chain.data
    }

    func feed(after position: SearchPosition, _ limit: Int, _ byteLimit: Int) throws -> SearchFeed {
        var position = position
        position.generation = try Int64.fetchOne(db, sql: "SELECT generation FROM journalGeneration") ?? 0
        let changes = try Self.cut(
            Row.fetchAll(
                db,
                sql: """
                    SELECT change, changedContent.cursor, ifnull(length(entry.body), 0) AS bytes
                    FROM changedContent LEFT JOIN entry ON entry.cursor = changedContent.cursor
                    WHERE change > ? ORDER BY change LIMIT ?
                    """, arguments: [position.change, limit]), limit, byteLimit)
        let known = position.cursor
        // What is not known yet is read below, as it is now.
        var places = try Set(changes.rows.map { $0["cursor"] as Int64 }.filter { $0 <= known }.flatMap(concerned))
        position.change = changes.rows.last?["change"] ?? position.change
        var isComplete = false
        if changes.isAll {
            let new = try Self.cut(
                Row.fetchAll(
                    db,
                    sql: """
                        SELECT cursor, chain, kind, ifnull(length(body), 0) AS bytes FROM entry
                        WHERE cursor > ? ORDER BY cursor LIMIT ?
                        """, arguments: [known, limit]), limit, byteLimit)
            isComplete = new.isAll
            for row in new.rows {
                switch EntryKind(rawValue: row["kind"]) {
                case .text: places.insert(row["cursor"])
                case .edit, .retract: places.formUnion(try concerned(by: row["cursor"]))
                default: break
                }
            }
            if let last = new.rows.last {
                position.cursor = last["cursor"]
                position.chain = try history.rows.identifier(last, "chain")
            }
        }
        let rows = try rows(at: places.sorted())
        return SearchFeed(
            rows: rows.values.sorted { $0.cursor < $1.cursor }, gone: places.subtracting(rows.keys).sorted(),
            position: position, isComplete: isComplete)
    }

    /// As many rows as their `bytes` allow, and whether those are all that there are.
    private static func cut(_ rows: [Row], _ limit: Int, _ byteLimit: Int) -> (rows: ArraySlice<Row>, isAll: Bool) {
        var bytes = 0
        let end = rows.indices.first { index in
            bytes += rows[index]["bytes"] as Int
            return bytes > byteLimit && index > 0
        }
        return (rows[..<(end ?? rows.endIndex)], end == nil && rows.count < limit)
    }

    /// The messages that may show something else because of an entry: itself, or those that it names.
    private func concerned(by cursor: Int64) throws -> [Int64] {
        try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT target.cursor
                    FROM entry JOIN relation ON relation.log = entry.log AND relation.sequence = entry.sequence
                        JOIN log ON log.logID = relation.targetLog OR log.wireID = relation.targetLog
                        JOIN entry AS target ON target.log = log.number AND target.sequence = relation.targetSequence
                    WHERE entry.cursor = ? AND relation.emoji IS NULL
                    """), arguments: [cursor]) + [cursor]
    }

    /// The messages at places, by these; those that are not shown are left out.
    func rows(at cursors: [Int64]) throws -> [Int64: HistoryRow] {
        var sequences: [Int64: [UInt64]] = [:]
        for run in Self.runs(of: cursors.sorted()) {
            let found = try Row.fetchCursor(
                db.cachedStatement(
                    sql: "SELECT log, sequence FROM entry WHERE cursor BETWEEN ? AND ? AND NOT isDeleted"),
                arguments: [run.lowerBound, run.upperBound])
            while let row = try found.next() {
                sequences[row["log"], default: []].append(try history.rows.number(row, "sequence"))
            }
        }
        var rows: [Int64: HistoryRow] = [:]
        for (number, sequences) in sequences {
            guard let log = try history.log(number: number), !log.record.isLimbo else { continue }
            for run in Self.runs(of: sequences.sorted()) {
                let found = try history.read(
                    log: log, from: run.lowerBound, through: run.upperBound, descending: false, limit: run.count)
                for row in found where !row.entry.isDeleted && !row.isRetracted { rows[row.cursor] = row }
            }
        }
        return rows
    }

    /// What follows each other among numbers in ascending order: one reading for each.
    private static func runs<Number: FixedWidthInteger>(of numbers: [Number]) -> [ClosedRange<Number>] {
        numbers.reduce(into: []) { runs, number in
            if let last = runs.last, last.upperBound + 1 == number {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
    }
}
