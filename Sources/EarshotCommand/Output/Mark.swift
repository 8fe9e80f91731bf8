/// What has become of an own message, in a few columns. Without colours too each is another.
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
}
