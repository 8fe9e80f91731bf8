import Dispatch

/// Runs an actor's calls one after another on a queue of its own, whose thread may wait for the disk.
final class ThreadExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: names the queue to those who look at the process.
    init(_ label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
