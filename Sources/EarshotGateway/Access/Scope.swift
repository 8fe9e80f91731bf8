/// What a route lets a program do.
package enum Scope: String, Hashable, Sendable, CaseIterable {
    /// Reading: the node, users, conversations, messages, events.
    case read
    /// Sending messages, and taking back what was sent.
    case send
    /// Everything that the owner may do.
    case all
}
