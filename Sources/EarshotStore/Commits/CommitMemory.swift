import EarshotModel
import Synchronization

/// What commits have found in the database, so that the next ones need not look it up.
final class CommitMemory: Sendable {
    /// What one commit finds. It is true when its transaction is: one that was rolled back may have named logs that are not
    /// there.
    struct Findings: Sendable {
        /// The numbers that stand for logs in other tables. A log keeps its number.
        var numbers: [LogID: Int64] = [:]
        /// Whether a retraction may wait for its message to be delivered, or to come. Only a commit can make one wait.
        var mayRetractionsWait = true
        /// Whether retractions have been looked through that earlier versions let wait for no reason.
        var hasSettledOthers = false
    }

    /// With more logs than that, it begins anew.
    private static let logLimit = 4096

    private let known = Mutex(Findings())

    subscript(logID: LogID) -> Int64? { known.withLock { $0.numbers[logID] } }

    var hasSettledOthers: Bool { known.withLock { $0.hasSettledOthers } }

    var mayRetractionsWait: Bool { known.withLock { $0.mayRetractionsWait } }

    /// The commit that has found this is on the disk.
    func add(_ found: Findings) {
        known.withLock { known in
            known.mayRetractionsWait = found.mayRetractionsWait
            known.hasSettledOthers = found.hasSettledOthers
            guard !found.numbers.isEmpty else { return }
            if known.numbers.count + found.numbers.count > Self.logLimit { known.numbers = [:] }
            known.numbers.merge(found.numbers) { $1 }
        }
    }
}
