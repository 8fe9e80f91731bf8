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
        case "handled": "✓✓ done"
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

    /// The mark of an own message: where it has several recipients, how many have come furthest.
    static func of(_ message: GatewayMessage) -> String {
        let state = state(of: message)
        guard message.recipients.count > 1 else { return message.recipients.first.map(of) ?? of(state) }
        switch state {
        case "failed": return message.recipients.first.map(of) ?? of(state)
        case "sent", "delivered":
            let isThere: Set = state == "sent" ? ["sent"] : arrived
            let count = message.recipients.count { isThere.contains($0.state) }
            return "\(of(state)) \(count)/\(message.recipients.count)"
        default: return of(state)
        }
    }

    /// The same without the reason of a failure.
    static func brief(_ message: GatewayMessage) -> String {
        message.recipients.count > 1 && state(of: message) != "failed" ? of(message) : of(state(of: message))
    }

    /// The states of a message that a recipient has.
    private static let arrived: Set = ["delivered", "handled", "read"]

    /// The state of a message for whoever has come furthest; *read*, *handled* and *failed* only if it is so for all.
    static func state(of message: GatewayMessage) -> String {
        let states = message.recipients.map(\.state)
        guard let first = states.first else { return "queued" }
        if states.allSatisfy({ $0 == first }) { return first }
        if states.contains(where: arrived.contains) { return "delivered" }
        return states.contains("sent") ? "sent" : "queued"
    }
}
