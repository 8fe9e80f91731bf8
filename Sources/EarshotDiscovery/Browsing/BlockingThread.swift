import Dispatch

/// Runs what blocks on a thread of its own, and wakes it up when the task is cancelled.
func onBlockingThread<Result: Sendable>(
    _ label: String, _ body: @escaping @Sendable (WakeUp) -> Result
) async throws(DiscoveryError) -> Result {
    let wakeUp = try WakeUp()
    let queue = DispatchQueue(label: label)
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body(wakeUp)) }
        }
    } onCancel: {
        wakeUp.signal()
    }
}
