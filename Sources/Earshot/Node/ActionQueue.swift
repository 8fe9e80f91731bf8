/// Actions to run, in the order in which they were asked for. What an action brings about at once has its turn after
/// everything that was asked for before.
///
/// It grows only while it is worked off, by what its actions bring about.
struct ActionQueue<Action> {
    private var waiting: [Action] = []
    private var head = 0
    private var isWorkedOff = false

    /// - Returns: whether the caller has to work off the queue; if not, a caller further out is doing so.
    mutating func add(_ actions: [Action]) -> Bool {
        if waiting.isEmpty { waiting = actions } else { waiting += actions }
        defer { isWorkedOff = true }
        return !isWorkedOff
    }

    /// - Returns: `nil` when it is worked off.
    mutating func next() -> Action? {
        guard head < waiting.count else {
            self = ActionQueue()
            return nil
        }
        defer { head += 1 }
        return waiting[head]
    }
}
