import Foundation
import Synchronization

/// Runs an actor's calls one after another on a thread that may wait for the disk, and that gives way to all others where the
/// processors are busy. There is one only while there is something to do.
final class ThreadExecutor: SerialExecutor {
    /// What is added to the thread's nice value (nice(2)).
    private static let niceness: Int32 = 10

    private struct State {
        var jobs: [UnownedJob] = []
        var hasThread = false
    }

    private let label: String
    private let state = Mutex(State())

    /// - Parameter label: names the thread to those who look at the process.
    init(_ label: String) { self.label = label }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard needsThread else { return }
        let thread = Thread { self.run() }
        thread.name = label
        thread.start()
    }

    private func run() {
        // On Linux this is about the calling thread alone.
        _ = nice(Self.niceness)
        while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// - Returns: `nil` when there is nothing to do: then the thread ends.
    private func next() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.hasThread = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
