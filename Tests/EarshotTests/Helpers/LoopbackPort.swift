import Foundation
import Synchronization

/// Ports for nodes that must be found at the same place again.
///
/// They lie below those that Linux gives to connections (ip_local_port_range), so no other test gets one by chance, and
/// each is given once.
enum LoopbackPort {
    private static let range = 20_000..<30_000
    private static let given = Atomic(Int(getpid()))

    /// A port that nothing listens on.
    static func next() throws -> UInt16 {
        for _ in range {
            let port = range.lowerBound + given.wrappingAdd(1, ordering: .relaxed).oldValue % range.count
            if isFree(UInt16(port)) { return UInt16(port) }
        }
        throw POSIXError(.EADDRINUSE)
    }

    private static func isFree(_ port: UInt16) -> Bool {
        do { _ = try RawConnection(to: port) } catch { return true }
        return false
    }
}
