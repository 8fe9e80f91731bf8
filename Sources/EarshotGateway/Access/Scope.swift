/// What a route lets a program do.
package enum Scope: String, Hashable, Sendable, CaseIterable {
    /// Reading: the node, users, conversations, messages, events.
    case read
    /// Preparing messages that a person sends, and hearing what became of them: nothing else.
    case draft
    /// Sending messages, and taking back what was sent.
    case send
    /// Everything that the owner may do.
    case all
}
