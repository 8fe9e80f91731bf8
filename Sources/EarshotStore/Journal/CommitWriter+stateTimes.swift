import GRDB

/// The times at which messages reached their states are in the rows of the journal first. They are copied from there
/// some rows at a time, because each table that a commit writes to is at least one page more to write.
extension CommitWriter {
    /// Copies the times of the rows that came since the last copy. The time at which a message first reached a state is
    /// kept.
    func keepTimes() throws {
        for state in TimedState.allCases {
            try db.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO stateTime (log, recipientID, state, last, time)
                        SELECT log, userID, \(state.rawValue), last, time FROM journal
                        WHERE row > (SELECT timed FROM journalGeneration)
                            AND kind IN (\(state.kindList))
                        ORDER BY row
                    """
            ).execute()
        }
        try db.cachedStatement(sql: "UPDATE journalGeneration SET timed = ifnull((SELECT max(row) FROM journal), 0)")
            .execute()
    }

    /// The end of a log has moved to another one: the times up to there remain.
    func cutTimes(of log: Int64, after sequence: UInt64) throws {
        try keepTimes()
        // Of the rows of one group, SQLite takes the other columns from the one with the least `last`.
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO stateTime (log, recipientID, state, last, time)
                    SELECT log, recipientID, state, :after, time FROM (
                        SELECT log, recipientID, state, min(last), time FROM stateTime
                        WHERE log = :log AND last > :after GROUP BY recipientID, state);
                DELETE FROM stateTime WHERE log = :log AND last > :after;
                """, arguments: ["log": log, "after": Int64(sequence)])
    }
}
