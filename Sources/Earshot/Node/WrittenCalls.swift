import Dispatch
import EarshotProtocol
import Synchronization

/// Calls whose messages are being written. They are answered once, by the disk or by whoever takes them before.
final class WrittenCalls: Sendable {
    typealias Call = (call: AcceptedCall, waiting: PendingRequests.Answer<RequestAnswer>)

    private let calls: Mutex<[Call]>

    init(_ calls: [Call]) { self.calls = Mutex(calls) }

    /// - Returns: what was not taken yet.
    func take() -> [Call] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    /// The messages are on the disk.
    func answer() {
        let answered = take()
        // Each of those who wait would wake a thread, and would be done before this one comes to the next.
        DispatchQueue.global().async {
            for (call, waiting) in answered { waiting.resume(returning: .success(call.answer)) }
        }
    }
}
