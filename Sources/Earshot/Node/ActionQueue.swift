/// What is to be done, in the order in which it was asked for: what an action brings about at once has its turn after
/// all that was asked for before.
///
/// It grows only while it is worked off, by what the actions bring about.
struct ActionQueue<Action> {
    private var waiting: [Action] = []
    private var head = 0
    private var isWorkedOff = false

    /// - Returns: whether the caller has to work the queue off. Else somebody further out is at it.
    mutating func add(_ actions: [Action]) -> Bool {
        waiting += actions
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
