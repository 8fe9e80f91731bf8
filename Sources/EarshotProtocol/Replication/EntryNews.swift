import EarshotModel

/// What an entry tells observers once it is on the disk.
enum EntryNews: Sendable {
    case message(Message)
    /// A message is changed by the entry with this number.
    indirect case update(MessageUpdate, by: UInt64)
    /// A user says something else of themselves.
    case profile(UserID, by: UInt64)

    var message: Message? {
        if case .message(let message) = self { message } else { nil }
    }

    /// The number of the entry in its log.
    fileprivate var sequence: UInt64 {
        switch self {
        case .message(let message): message.messageID.sequence
        case .update(_, let sequence), .profile(_, let sequence): sequence
        }
    }

    /// - Parameters:
    ///   - ownID: this node's user.
    ///   - user: another user as they are now.
    /// - Returns: `nil` for a message, which `EventRun` tells, and for news of a user who was forgotten.
    func event(to ownID: UserID, user: (UserID) -> User?) -> Event? {
        switch self {
        case .message: nil
        case .update(let update, _): .messageUpdated(update)
        case .profile(ownID, _): .profileUpdated
        case .profile(let userID, _): user(userID).map { .userUpdated($0, changes: [.profile]) }
        }
    }
}

extension [EntryNews] {
    /// The places of the first and the last in their log.
    var ends: (UInt64, UInt64)? {
        guard let first, let last else { return nil }
        return (first.sequence, last.sequence)
    }
}

extension Logs {
    /// What an amendment changes.
    /// - Returns: `nil` if its message is not here, is in another conversation, or is not its author's to change.
    func update(
        by amendment: Amendment, of userID: UserID, in conversationID: ConversationID
    ) -> MessageUpdate? {
        let target = amendment.target
        let branch = branches(of: target.logID).lazy.compactMap { proved($0) }.first
        guard let branch, target.sequence <= branch.proved.sequence,
            branch.description.conversationID == conversationID
        else { return nil }
        if amendment.change != .reactions, branch.authorID != userID { return nil }
        return MessageUpdate(
            messageID: MessageID(log: target.logID, sequence: target.sequence), conversationID: conversationID,
            userID: userID, change: amendment.change)
    }
}
