import Glibc

/// Runs blocking work, as a rule in `poll`, on a thread of its own.
///
/// It is none of libdispatch's: those are at most 255, and who waits in one keeps it for as long as a node runs.
enum BlockingWork {
    /// - Parameter work: ends soon after it is woken up, which happens when the task is cancelled. What it has opened is
    ///   closed when this returns.
    /// - Throws: `outOfResources` if there is no further thread or file descriptor; what the work throws.
    static func run<Output: Sendable>(
        _ work: @escaping @Sendable (WakeUp) throws(DiscoveryError) -> Output
    ) async throws(DiscoveryError) -> Output {
        let wakeUp = try WakeUp()
        // The thread lets go of its last closure a moment after it has answered.
        defer { wakeUp.close() }
        let result: Result<Output, DiscoveryError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(DiscoveryError) {
                    try start {
                        continuation.resume(returning: Result { () throws(DiscoveryError) in try work(wakeUp) })
                    }
                } catch { continuation.resume(returning: .failure(error)) }
            }
        } onCancel: {
            wakeUp.signal()
        }
        return try result.get()
    }

    /// pthread_create(3)
    private static func start(_ body: @escaping @Sendable () -> Void) throws(DiscoveryError) {
        let start = Unmanaged.passRetained(ThreadStart(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { start in
                guard let start else { return nil }
                Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw DiscoveryError(.outOfResources, "there is no further thread: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
    }
}

/// What a thread does from its beginning to its end.
private final class ThreadStart: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
