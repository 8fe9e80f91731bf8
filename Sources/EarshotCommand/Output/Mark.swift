import EarshotGateway

/// The state of an own message, in a few columns. The marks also differ without colours.
enum Mark {
    /// The columns that the longest takes.
    static let width = 7

    /// - Parameter state: as the local API names it.
    static func of(_ state: String) -> String {
        switch state {
        case "queued": "·"
        case "sent": "✓"
        case "delivered": "✓✓"
        case "read": "✓✓ read"
        case "failed": "✗"
        default: "?"
        }
    }

    /// The mark, and why a message failed.
    static func of(_ delivery: GatewayDelivery) -> String {
        let mark = of(delivery.state)
        return delivery.reason.map { "\(mark) \(FailureWords.brief($0))" } ?? mark
    }
}
