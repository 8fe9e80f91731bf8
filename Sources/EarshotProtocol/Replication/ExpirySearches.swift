import EarshotModel

/// Looks for expired messages, log by log.
///
/// It decides when to ask the store, when the answer is too old to count, and when to look again. How a message fails is
/// the matter of `Deliveries`.
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

    /// Asks for a tick when something of a log may expire.
    func wake(for record: LogRecord, clocks: inout ClockMachine, now: Moment) {
        if let wait = wait(for: record, now: clocks.settled(now)) { clocks.wake(by: now.uptime + wait) }
    }

    /// - Returns: the logs in which to look now, ascending.
    mutating func begin(among logs: some Collection<OwnLog>, clock: ExpiryClock) -> [OwnLog] {
        let due = logs.filter { $0.record.nextExpiry <= clock.now && ends[$0.record.logID] == nil }
        for log in due { ends[log.record.logID] = log.head.sequence }
        return due.sorted { $0.record.logID < $1.record.logID }
    }

    /// The store has answered.
    /// - Returns: where the log ended when the store was asked; `nil` if the answer is outdated.
    mutating func end(_ logID: LogID) -> UInt64? { ends.removeValue(forKey: logID) }

    /// These entries' time is over, and the next one's will be then.
    /// - Returns: whether the answer counts.
    mutating func found(
        _ sequences: [UInt64], in logID: LogID, nextExpiry: Int64, logs: inout Logs, deliveries: inout Deliveries
    ) -> Bool {
        guard let end = end(logID), let log = logs.own(logID) else { return false }
        deliveries.fail(sequences, of: log, reason: .expired)
        // A log that has grown meanwhile is searched again: the search may not have seen its new end.
        if log.head.sequence == end {
            logs.setNextExpiry(nextExpiry, of: logID)
            write(logID)
        }
        return true
    }

    /// The log has changed in another way, so the answer will not count.
    mutating func cancel(_ logID: LogID) { ends[logID] = nil }

    mutating func write(_ logID: LogID) { unwritten.insert(logID) }

    /// Adds logs to a commit, unless it already has them for another reason.
    mutating func move(into next: inout CommitInFlight, logs: Logs) {
        guard !unwritten.isEmpty else { return }
        let held = Set(next.commit.logs.map(\.logID))
        for logID in unwritten.sorted() where !held.contains(logID) {
            if let log = logs.own(logID) { next.commit.logs.append(log.record) }
        }
        unwritten = []
    }
}
