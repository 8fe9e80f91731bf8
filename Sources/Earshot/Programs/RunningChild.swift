import Foundation
import Synchronization

/// A child that is signalled only until it has ended, after which another process may have its number.
package final class RunningChild: Sendable {
    private let number: Mutex<pid_t?>

    /// - Parameter isOwnSession: whether what it has started is signalled with it.
    package init(_ child: ChildProgram, isOwnSession: Bool = false) {
        number = Mutex(isOwnSession ? -child.pid : child.pid)
    }

    package func signal(_ signal: Int32) { number.withLock { number in if let number { kill(number, signal) } } }

    /// Its end was waited for: `ChildProgram.end` has returned.
    package func ended() { number.withLock { $0 = nil } }
}
