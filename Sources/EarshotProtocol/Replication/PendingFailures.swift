import DequeModule
import EarshotModel

/// The failure of a message, and the request that asked for it.
struct PendingFailure: Sendable {
    let failure: DeliveryFailure
    let requestID: RequestID?
}

/// Failures that wait for a commit, in the order in which they were decided.
///
/// Thousands may wait, more than one commit takes. A withheld message's entry goes out as a hash, and only its failure
/// distinguishes it from a delivered one. So nothing more of its log is offered while the failure waits.
struct PendingFailures: Sendable {
    private var failures: Deque<PendingFailure> = []
    private var counts: [LogID: Int] = [:]

    var isEmpty: Bool { failures.isEmpty }
    var count: Int { failures.count }

    /// Whether a failure of a message in this log waits.
    func contain(_ logID: LogID) -> Bool { counts[logID] != nil }

    mutating func append(_ pending: PendingFailure) {
        failures.append(pending)
        counts[pending.failure.messageID.log, default: 0] += 1
    }

    /// The message has not failed after all.
    mutating func takeBack(_ failure: DeliveryFailure) {
        guard contain(failure.messageID.log) else { return }
        let left = failures.filter { $0.failure.addressed != failure.addressed }
        (failures, counts) = ([], [:])
        for pending in left { append(pending) }
    }

    mutating func popFirst() -> PendingFailure? {
        guard let first = failures.popFirst() else { return nil }
        let logID = first.failure.messageID.log
        let left = (counts[logID] ?? 1) - 1
        counts[logID] = left > 0 ? left : nil
        return first
    }
}
