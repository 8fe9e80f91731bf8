import EarshotGateway

/// How much of the screen is left for messages that nobody has seen.
struct ScreenRoom: Sendable {
    /// The rows of the whole screen that messages have.
    private(set) var rows: Int
    private var left: Int
    private let measure: @Sendable (GatewayMessage) -> Int

    /// - Parameter measure: how many rows a message takes.
    init(rows: Int, measure: @escaping @Sendable (GatewayMessage) -> Int) {
        self.rows = rows
        left = rows
        self.measure = measure
    }

    func rows(of message: GatewayMessage) -> Int { measure(message) }

    mutating func refill(_ rows: Int) {
        self.rows = rows
        left = rows
    }

    /// Takes rows for something that is no message.
    /// - Returns: whether there is room, or nothing on the screen that nobody has seen.
    mutating func take(rows needed: Int) -> Bool {
        if left == rows { return true }
        guard needed <= left else { return false }
        left -= needed
        return true
    }

    /// Takes the rows of as many messages as fit, in their order. A message that is longer than the screen fits on an empty
    /// one, and what somebody has seen before may leave the screen.
    /// - Parameter isUnseen: whether nobody has seen a message.
    /// - Returns: how many.
    mutating func take(_ messages: [GatewayMessage], isUnseen: (GatewayMessage) -> Bool) -> Int {
        for (index, message) in messages.enumerated() {
            if left == rows, !isUnseen(message) { continue }
            let needed = measure(message)
            guard needed <= left || left == rows else { return index }
            left -= min(left, needed)
        }
        return messages.count
    }
}
