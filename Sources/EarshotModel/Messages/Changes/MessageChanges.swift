/// What entries say about one message that was written before: the same for everybody who holds the same entries, in
/// whatever order they came.
///
/// Whether an entry is about this message, in this conversation and not another one, is for the caller to know.
package struct MessageChanges: Hashable, Sendable {
    private struct Reacting: Hashable {
        let userID: UserID
        let emoji: String
    }

    private let authorID: UserID
    private var edits = Succession<MessageID>()
    private var reacting: [Reacting: Succession<EntryStamp?>] = [:]
    /// Whether its author took it back. No edit brings it back.
    package private(set) var isRetracted = false

    /// - Parameter authorID: that of the message. Nobody else may edit or retract it.
    package init(authorID: UserID) { self.authorID = authorID }

    /// - Parameters:
    ///   - userID: the user whose device has written the entry.
    ///   - messageID: the entry itself.
    package mutating func note(
        _ relation: EntryRelation, by userID: UserID, at stamp: EntryStamp, in messageID: MessageID
    ) {
        switch relation {
        case .edit(_, let counter):
            if userID == authorID { edits.note(messageID, counter: counter, at: stamp) }
        case .retraction:
            if userID == authorID { isRetracted = true }
        case .reaction(_, let emoji, let counter, let isRemoved):
            reacting[Reacting(userID: userID, emoji: emoji), default: Succession()]
                .note(isRemoved ? nil : stamp, counter: counter, at: stamp)
        case .session, .version: break
        }
    }

    /// The entry whose text the message shows; `nil` for its own.
    package var edit: MessageID? { isRetracted ? nil : edits.standing }

    /// The counter that the author's next edit has.
    package var nextEdit: UInt64 { edits.counter.nextCounter }

    /// The counter that a user's next word about an emoji has.
    package func nextReaction(_ emoji: String, by userID: UserID) -> UInt64 {
        (reacting[Reacting(userID: userID, emoji: emoji)]?.counter ?? 0) + 1
    }

    /// Whether a user reacts with an emoji.
    package func reacts(_ userID: UserID, with emoji: String) -> Bool {
        reacting[Reacting(userID: userID, emoji: emoji)].flatMap(\.standing).flatMap(\.self) != nil
    }

    /// Who reacts with what: the emoji that was used first comes first, and so does the user.
    package var reactions: [Reaction] {
        guard !isRetracted else { return [] }
        var users: [String: [(stamp: EntryStamp, userID: UserID)]] = [:]
        for (reacting, succession) in reacting {
            guard let standing = succession.standing, let stamp = standing else { continue }
            users[reacting.emoji, default: []].append((stamp, reacting.userID))
        }
        let sorted = users.mapValues { $0.sorted { $0.stamp < $1.stamp } }
            .sorted { $0.value[0].stamp < $1.value[0].stamp }
        return sorted.map { Reaction(emoji: $0.key, userIDs: $0.value.map(\.userID)) }
    }
}

/// The users who react to a message with one emoji.
public struct Reaction: Hashable, Sendable {
    public let emoji: String
    /// The first to react comes first.
    public let userIDs: [UserID]

    package init(emoji: String, userIDs: [UserID]) {
        self.emoji = emoji
        self.userIDs = userIDs
    }
}

/// What changed about a message.
public enum MessageChange: String, Hashable, Sendable, CaseIterable {
    /// Its author gave it another text.
    case text
    /// Its author took it back: its text is gone.
    case isRetracted
    /// Somebody reacts to it, or does not any more.
    case reactions
}

/// An entry that changes a message has reached this node's disk. What the message shows now says `Messages.message(_:)`.
public struct MessageUpdate: Hashable, Sendable {
    public let messageID: MessageID
    public let conversationID: ConversationID
    /// Who changed it: its author, or who reacts.
    public let userID: UserID
    public let change: MessageChange

    package init(messageID: MessageID, conversationID: ConversationID, userID: UserID, change: MessageChange) {
        self.messageID = messageID
        self.conversationID = conversationID
        self.userID = userID
        self.change = change
    }
}
