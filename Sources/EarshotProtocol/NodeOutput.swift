/// What inputs of a node's machine have brought about, until it is handed over.
struct NodeOutput: Sendable {
    private var actions: [NodeAction] = []
    /// Whether inputs that came at once are being taken: all that they bring about is handed over after the last.
    private(set) var isTakingMore = false

    mutating func append(_ action: NodeAction) { actions.append(action) }

    mutating func beginTakingMore() { isTakingMore = true }
    mutating func endTakingMore() { isTakingMore = false }

    mutating func take() -> [NodeAction] {
        defer { actions = [] }
        return actions
    }
}
