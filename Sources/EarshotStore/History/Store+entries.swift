package import EarshotModel
import GRDB

extension Store {
    /// A run of a log's entries, ascending from a sequence number, for sending. Of a branch it begins with those of the
    /// branch from which it parts, where these come first.
    ///
    /// - Parameters:
    ///   - byteLimit: stops before the entry that would go past it, but gives at least one.
    package func entries(
        of logID: LogID, from sequence: UInt64, countLimit: Int, byteLimit: Int
    ) throws(StoreError) -> [EntryRecord] {
        let rows = Rows(path: path)
        return try read { db in
            guard let reader = try BranchReader(logID, db) else { return [] }
            var (entries, bytes): ([EntryRecord], Int) = ([], 0)
            for branch in reader.branches(from: sequence) {
                let cursor = try Row.fetchCursor(
                    db.cachedStatement(
                        sql: """
                            SELECT \(Rows.entryColumns) FROM entry
                            WHERE log = ? AND sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?
                            """),
                    arguments: [branch.number, Int64(sequence), branch.end, countLimit - entries.count])
                while let row = try cursor.next() {
                    let entry = try rows.entry(row)
                    bytes += entry.windowBytes
                    if bytes > byteLimit && !entries.isEmpty { return entries }
                    entries.append(entry)
                }
            }
            return entries
        }
    }

    /// The chain hashes of a log at these places, as far as it has them.
    package func chains(
        of logID: LogID, at sequences: some Collection<UInt64> & Sendable
    ) throws(StoreError) -> [UInt64: ChainHash] {
        let rows = Rows(path: path)
        return try read { db in
            guard let reader = try BranchReader(logID, db) else { return [:] }
            let statement = try db.cachedStatement(sql: "SELECT chain FROM entry WHERE log = ? AND sequence = ?")
            var chains: [UInt64: ChainHash] = [:]
            for sequence in sequences {
                guard let branch = reader.branch(at: sequence),
                    let row = try Row.fetchOne(statement, arguments: [branch.number, Int64(sequence)])
                else { continue }
                chains[sequence] = try rows.identifier(row, "chain") as ChainHash
            }
            return chains
        }
    }

    /// The sequence numbers of a log's expired entries after `sequence`, and when the time of the next one is over.
    package func expired(
        in logID: LogID, after sequence: UInt64, by clock: ExpiryClock
    ) throws(StoreError) -> (sequences: [UInt64], nextExpiry: Int64) {
        try read { db in
            let cursor = try Row.fetchCursor(
                db,
                sql: """
                    SELECT entry.sequence, entry.expiry, entry.timestamp FROM log JOIN entry ON entry.log = log.number
                    WHERE log.logID = ? AND entry.sequence > ? ORDER BY entry.sequence
                    """, arguments: [logID.data, Int64(sequence)])
            var sequences: [UInt64] = []
            var nextExpiry = Int64.max
            while let row = try cursor.next() {
                let written = HybridTimestamp(rawValue: UInt64(bitPattern: row[2] as Int64))
                let expiry = clock.end(row[1], writtenAt: written)
                if expiry <= clock.now {
                    sequences.append(UInt64(row[0] as Int64))
                } else {
                    nextExpiry = min(nextExpiry, expiry)
                }
            }
            return (sequences, nextExpiry)
        }
    }
}

/// Finds in which row of `log` the entries of a branch stand: behind its base in its own, before in that of its parent.
private struct BranchReader {
    /// The branch, then the one that it parts from, and so on.
    private let branches: [(number: Int64, base: Int64)]

    /// - Returns: `nil` if there is no such log.
    init?(_ logID: LogID, _ db: Database) throws {
        var branches: [(number: Int64, base: Int64)] = []
        var row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT number, parent, baseSequence FROM log WHERE logID = ?"),
            arguments: [logID.data])
        while let found = row, branches.count <= Limits.branchesPerLog {
            branches.append((found["number"], found["baseSequence"] ?? 0))
            guard let parent = found["parent"] as Int64? else { break }
            row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT number, parent, baseSequence FROM log WHERE number = ?"),
                arguments: [parent])
        }
        guard !branches.isEmpty else { return nil }
        self.branches = branches
    }

    /// The rows that have the entries from here on, each with the number of the last one that it has of the branch, in the
    /// order of the entries.
    func branches(from sequence: UInt64) -> [(number: Int64, end: Int64)] {
        var found: [(number: Int64, end: Int64)] = []
        var end = Int64.max
        for (number, base) in branches {
            found.append((number, end))
            if Int64(sequence) > base { break }
            end = base
        }
        return found.reversed()
    }

    /// - Returns: the row that has the entry, and the number of the last one that it has of the branch.
    func branch(at sequence: UInt64) -> (number: Int64, end: Int64)? {
        var end = Int64.max
        for (number, base) in branches {
            if Int64(sequence) > base { return (number, end) }
            end = base
        }
        return nil
    }
}
