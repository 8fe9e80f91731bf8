import EarshotModel

/// A part of a log that comes back, proved, and waits for its commit.
struct RecoveredPiece: Sendable {
    let connectionID: ConnectionID
    let record: LogRecord
    let entries: [EntryRecord]
    let cut: LogCut?
    let successor: LogRecord?
    var renamed: [RenamedMessages]
    /// Up to here this node had the log before the recovery began.
    let common: UInt64
    /// Messages that are called withheld here, and that the peer has.
    let withdrawn: [UInt64]
    /// Up to here the peer holds the log.
    let proved: UInt64
    /// The peer's word for it, if the log has reached that.
    let receipt: Receipt?
    /// Logs whose last entries get new times, so that they come after what came back.
    var retimed: [(record: LogRecord, entries: RetimedEntries)] = []
    /// Logs of which entries go that were written again, and turn out to have been sent before.
    var repeats: [LogCut] = []
    /// What the log's progress is with this commit.
    var progress = DeliveryProgress()
    /// The steps to tell when it is on the disk.
    var steps: [JournalRecord] = []

    var key: DeliveryKey { DeliveryKey(logID: record.logID, recipientID: record.recipientID) }

    /// The progress of which steps are told: of messages that this node did not know of none is.
    private func toldProgress(from old: DeliveryProgress) -> DeliveryProgress {
        var result = progress
        result.sent = min(result.sent, max(common, old.sent))
        result.delivered = min(result.delivered, max(common, old.delivered))
        result.read = min(result.read, max(common, old.read))
        return result
    }

    /// The steps to tell, as far as they are known.
    mutating func findSteps(_ deliveries: Deliveries) {
        var failed = deliveries.failures(in: record.logID)
        if let cut { failed = failed.filter { $0.key <= cut.after } }
        for sequence in withdrawn { failed[sequence]?.isWithheld = false }
        let old = deliveries.committed(key) ?? DeliveryProgress()
        steps = key.steps(from: old, to: toldProgress(from: old), failed: failed)
    }

    /// The event that tells of this piece alone; `nil` if there is nothing.
    var event: Event? {
        var tally = RecoveryTally()
        tally.add(self)
        return tally.event(from: record.recipientID)
    }

    /// Entries whose content came back.
    fileprivate var messageCount: Int {
        entries.count { entry in
            if case .body = entry.content { true } else { false }
        }
    }
}

/// What a link has brought back so far.
struct RecoveryTally: Sendable {
    private(set) var count = 0
    private(set) var renamed: [RenamedMessages] = []

    mutating func add(_ piece: RecoveredPiece) {
        count += piece.messageCount
        renamed += piece.renamed
    }

    /// The event that tells it; `nil` if there is nothing.
    func event(from userID: UserID) -> Event? {
        guard count > 0 || !renamed.isEmpty else { return nil }
        return .historyRecovered(HistoryRecovery(userID: userID, count: count, renamed: renamed))
    }
}
