import EarshotModel

/// Looks for messages whose time is over, log by log.
///
/// It decides when the store is asked, and when the answer is too old to count. That a message fails, it does not decide.
struct ExpirySearches: Sendable {
    /// Where each log ended when its search began.
    private var ends: [LogID: UInt64] = [:]
    /// Logs whose earliest expiry is known anew and not written.
    private var unwritten: Set<LogID> = []

    var hasUnwritten: Bool { !unwritten.isEmpty }

    /// For how long nothing of a log can expire; `nil` if nothing ever does, or is being looked for. The wall clock may
    /// jump, so it is looked at once an hour at least.
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
    /// - Returns: where the log ended when it was asked; `nil` if the answer is about what is no longer so.
    mutating func end(_ logID: LogID) -> UInt64? { ends.removeValue(forKey: logID) }

    /// The log has changed otherwise: the answer will not count.
    mutating func cancel(_ logID: LogID) { ends[logID] = nil }

    mutating func write(_ logID: LogID) { unwritten.insert(logID) }

    /// Puts logs into a commit that it does not hold for another reason.
    mutating func move(into next: inout CommitInFlight, logs: Logs) {
        let held = Set(next.commit.logs.map(\.logID))
        for logID in unwritten.sorted() where !held.contains(logID) {
            if let log = logs.own(logID) { next.commit.logs.append(log.record) }
        }
        unwritten = []
    }
}
