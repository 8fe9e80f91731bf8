import Earshot
import Foundation

/// Work on files that must not be left behind if it is interrupted.
enum Interruptible {
    /// A signal that ends the process removes them first.
    static func run<Result>(_ body: (WorkFiles) throws -> Result) rethrows -> Result {
        let work = WorkFiles()
        let interruption = Signals.onFirst([SIGINT, SIGTERM, SIGHUP]) { number in
            work.discard { exit(128 + number) }
        }
        defer { interruption.cancel() }
        return try body(work)
    }
}
