import Dispatch
import Glibc

/// Work that waits in `poll`, on a thread of its own.
enum BlockingWork {
    /// - Parameter work: ends soon after it is woken up, which happens when the task is cancelled.
    static func run<Output: Sendable>(
        _ label: String, _ work: @escaping @Sendable (WakeUp) throws(DiscoveryError) -> Output
    ) async throws(DiscoveryError) -> Output {
        let wakeUp = try WakeUp()
        let queue = DispatchQueue(label: "earshot.discovery.\(label)")
        let result: Result<Output, DiscoveryError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: Result { () throws(DiscoveryError) in try work(wakeUp) }) }
            }
        } onCancel: {
            wakeUp.signal()
        }
        return try result.get()
    }
}

/// How long `poll` may wait: rounded up, so that the deadline is over when the wait is.
func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
    guard let deadline else { return -1 }
    let wait = ContinuousClock.now.duration(to: deadline)
    guard wait > .zero else { return 0 }
    return CInt(clamping: wait.components.seconds * 1000 + wait.components.attoseconds / 1_000_000_000_000_000 + 1)
}
