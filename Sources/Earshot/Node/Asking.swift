import Synchronization

/// Requests of programs on their way to the node's loop. It takes all that wait in one turn: many calls at once cost one change
/// of thread, not one each.
final class Asking<Request: Sendable>: Sendable {
    /// How many are taken in one turn: other work of the loop waits for no more than these.
    static var turn: Int { 256 }

    private let waiting = Mutex<[Request]>([])

    /// - Returns: whether the loop has to be told, because nothing waited before.
    func add(_ request: Request) -> Bool {
        waiting.withLock { waiting in
            waiting.append(request)
            return waiting.count == 1
        }
    }

    /// Takes those that wait longest.
    /// - Returns: them, and whether more wait. Then the loop has to come again.
    func take() -> (requests: ArraySlice<Request>, hasMore: Bool) {
        waiting.withLock { waiting in
            guard waiting.count > Self.turn else {
                defer { waiting = [] }
                return (waiting[...], false)
            }
            let requests = waiting.prefix(Self.turn)
            waiting.removeFirst(Self.turn)
            return (requests, true)
        }
    }
}
