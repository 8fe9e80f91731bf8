import Dispatch

/// Runs blocking work, as a rule in `poll`, on a thread of its own.
enum BlockingWork {
    /// - Parameter work: ends soon after it is woken up, which happens when the task is cancelled. What it has opened is
    ///   closed when this returns.
    static func run<Output: Sendable>(
        _ label: String, _ work: @escaping @Sendable (WakeUp) throws(DiscoveryError) -> Output
    ) async throws(DiscoveryError) -> Output {
        let wakeUp = try WakeUp()
        // The thread lets go of its last closure a moment after it has answered.
        defer { wakeUp.close() }
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
