/// When something is done again that is done now and then. While nothing comes of it, each wait is twice as long.
struct Turns {
    private let first: Duration
    private(set) var wait: Duration
    /// Whether the next turn has been waited for since the last.
    private var isWaiting = false

    /// - Parameter first: the first wait, and the first after something has come of it.
    init(after first: Duration) {
        self.first = first
        wait = first
    }

    /// Begins to wait for the next turn.
    /// - Returns: how long; `nil` if it is waited for already.
    mutating func begin() -> Duration? {
        guard !isWaiting else { return nil }
        isWaiting = true
        return wait
    }

    /// It is time. The next wait is twice as long, or as long as the longest.
    mutating func elapsed(longest: Duration) {
        isWaiting = false
        wait = min(wait * 2, longest)
    }

    /// Something has come of it: the next wait is the first again.
    mutating func restart() { wait = first }

    /// The next turn comes after the first wait, though it may be waited for already.
    /// - Returns: how long that is.
    mutating func beginAnew() -> Duration {
        (wait, isWaiting) = (first, true)
        return first
    }
}
