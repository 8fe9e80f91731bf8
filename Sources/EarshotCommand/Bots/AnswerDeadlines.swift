import Earshot

/// When the program of an exec bot must have answered which message. Times are of the uptime, in milliseconds.
struct AnswerDeadlines: Sendable {
    /// How long the program may have a message.
    let patience: Duration
    /// By the message's place in the hand-out.
    private var dues: [Int: Int64] = [:]
    /// When somebody will look again.
    private var wakesAt: Int64?

    init(patience: Duration) { self.patience = patience }

    /// The program gets a message.
    mutating func begin(_ index: Int, now: Int64) { dues[index] = now + patience.milliseconds }

    /// - Parameter underWay: the places of the messages that the program has.
    /// - Returns: those that it has had for too long.
    func overdue(_ underWay: [Int], now: Int64) -> [Int] { underWay.filter { dues[$0, default: .max] <= now } }

    /// - Returns: when to look again, unless somebody will do so before.
    mutating func wake(_ underWay: [Int], now: Int64) -> Int64? {
        if let time = wakesAt, time <= now { wakesAt = nil }
        guard let next = underWay.compactMap({ dues[$0] }).min(), next < wakesAt ?? .max else { return nil }
        wakesAt = next
        return next
    }
}
