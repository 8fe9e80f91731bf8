/// By which conversations the content of a file came here. It is given on in the one by which all of it came: a message that names
/// a file proves only that its author knows the hash.
package enum FileOrigin: Hashable, Sendable {
    /// Nothing of it has come, or it was taken in from this machine.
    case nowhere
    case conversation(ConversationID)
    /// Parts of it came by several, and none of these shows that its participants have all of it.
    case several

    /// Something more has come.
    package func adding(_ conversationID: ConversationID) -> FileOrigin {
        switch self {
        case .nowhere: .conversation(conversationID)
        case .conversation(conversationID): self
        case .conversation, .several: .several
        }
    }
}

/// Whom a file is for that is here.
package struct FileAudience: Hashable, Sendable {
    /// Conversations whose participants may be given it.
    package var given: Set<ConversationID>
    /// Conversations of which a message names it: the user's other devices may have it.
    package var named: Set<ConversationID>

    package init(given: Set<ConversationID> = [], named: Set<ConversationID> = []) {
        (self.given, self.named) = (given, named)
    }
}
