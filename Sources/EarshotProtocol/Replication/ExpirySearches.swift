import EarshotModel

/// Looks for expired messages, log by log.
///
/// It decides when to ask the store, and when the answer is too old to count. It does not decide that a message fails.
struct ExpirySearches: Sendable {
    /// Where each log ended when its search began.
    private var ends: [LogID: UInt64] = [:]
    /// Logs whose earliest expiry has changed and is not written.
    private var unwritten: Set<LogID> = []

    var hasUnwritten: Bool { !unwritten.isEmpty }

    /// How long nothing of a log can expire; `nil` if nothing ever does, or if a search is under way. The wall clock
    /// may jump, so this is at most an hour.
    func wait(for record: LogRecord, now: Moment) -> Int64? {
        guard record.nextExpiry != .max, ends[record.logID] == nil else { return nil }
        return min(max(0, record.nextExpiry - now.wallClock), Timing.expiryCheck)
    }

    /// - Returns: the logs in which to look now, ascending.
    mutating func begin(among logs: some Collection<OwnLog>, now: Moment) -> [OwnLog] {
        let due = logs.filter { $0.record.nextExpiry <= now.wallClock && ends[$0.record.logID] == nil }
        for log in due { ends[log.record.logID] = log.head.sequence }
        return due.sorted { $0.record.logID < $1.record.logID }
    }

    /// The store has answered.
    /// - Returns: where the log ended when the store was asked; `nil` if the answer is outdated.
    mutating func end(_ logID: LogID) -> UInt64? { ends.removeValue(forKey: logID) }

    /// The log has changed in another way, so the answer will not count.
    mutating func cancel(_ logID: LogID) { ends[logID] = nil }

    mutating func write(_ logID: LogID) { unwritten.insert(logID) }

    /// Adds logs to a commit, unless it already has them for another reason.
    mutating func move(into next: inout CommitInFlight, logs: Logs) {
        let held = Set(next.commit.logs.map(\.logID))
        for logID in unwritten.sorted() where !held.contains(logID) {
            if let log = logs.own(logID) { next.commit.logs.append(log.record) }
        }
        unwritten = []
    }
}
