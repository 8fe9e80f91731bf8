import EarshotModel
import Synchronization

/// The numbers that stand for logs in other tables, as far as commits have looked them up. A log keeps its number.
final class LogNumbers: Sendable {
    /// With more logs than that, it begins anew.
    private static let limit = 4096

    private let known = Mutex<[LogID: Int64]>([:])

    subscript(logID: LogID) -> Int64? { known.withLock { $0[logID] } }

    /// Adds what a transaction found that is on the disk: one that was rolled back may have named logs that are not.
    func add(_ found: [LogID: Int64]) {
        guard !found.isEmpty else { return }
        known.withLock { known in
            if known.count + found.count > Self.limit { known = [:] }
            known.merge(found) { $1 }
        }
    }
}
