import Synchronization

/// Requests of programs on their way to the node's loop. It takes many that wait in one turn: many calls at once cost one change
/// of thread, not one each.
final class Asking<Request: Sendable>: Sendable {
    /// How many are taken in one turn: other work of the loop waits for no more than these.
    static var turn: Int { 256 }

    /// Turn by turn.
    private let waiting = Mutex<[[Request]]>([])

    /// - Returns: whether the loop has to be told, because nothing waited before.
    func add(_ request: Request) -> Bool {
        waiting.withLock { turns in
            guard let last = turns.indices.last, turns[last].count < Self.turn else {
                turns.append([request])
                return turns.count == 1
            }
            turns[last].append(request)
            return false
        }
    }

    /// Takes those that wait longest.
    /// - Returns: them, and whether more wait. Then the loop has to come again.
    func take() -> (requests: [Request], hasMore: Bool) {
        waiting.withLock { turns in turns.isEmpty ? ([], false) : (turns.removeFirst(), !turns.isEmpty) }
    }
}
