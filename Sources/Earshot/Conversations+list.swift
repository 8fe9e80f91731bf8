import EarshotStore

/// A conversation as a list shows it: who is in it, its last message, and what is unread.
public struct ConversationSummary: Sendable, Identifiable {
    public let conversation: Conversation
    /// Whether this node's user belongs to it.
    public let status: Participant.Status
    /// Whether linked users who have not joined an open conversation are told its name.
    public let isAdvertised: Bool
    /// What the owner of a private conversation decides about it; `nil` for any other.
    public let details: ConversationDetails?
    /// Those who are in, in ascending order, with this node's own user.
    public let participantIDs: [UserID]
    /// The last message in the order of time; `nil` if there is none.
    public let lastMessage: Message?
    /// How many messages of others this node's user has not read (`Conversation.unread`).
    public let unreadCount: Int
    /// The first of these in the order of time; `nil` if all is read.
    public let firstUnread: Message?

    /// The conversation's id.
    public var id: ConversationID { conversation.conversationID }
}

extension Conversations {
    /// The conversations in which something was written, the one with the latest arrival first.
    ///
    /// - Parameters:
    ///   - before: the list begins after this conversation; without it, at the first.
    ///   - limit: 1 to `Limits.historyPage`.
    /// - Throws: `EarshotError` `invalidLimit` if the limit is out of range; `storeDamaged`, `storeUnavailable`.
    public func list(
        before: ConversationID? = nil, limit: Int = 50
    ) async throws(EarshotError) -> [ConversationSummary] {
        guard (1...Limits.historyPage).contains(limit) else {
            throw EarshotError(
                .invalidLimit, "a page has 1 to \(Limits.historyPage) conversations, and not \(limit)",
                .init(limit: Limits.historyPage))
        }
        let (store, readerID) = (node.store, node.userID)
        let rows = try await node.readStore { () throws(StoreError) in
            try store.conversations(readBy: readerID, before: before, limit: limit)
        }
        let records = await node.shell.conversationsOfMany
        let ofMany = Dictionary(records.map { ($0.conversationID, $0) }) { first, _ in first }
        return rows.compactMap { ConversationSummary($0, ofMany[$0.conversation.conversationID], node: node) }
    }

    /// A conversation by its id: one in which something was written, or the direct one with a known user.
    /// - Throws: `EarshotError` `unknownConversation`; `storeDamaged`, `storeUnavailable`.
    public func summary(of conversationID: ConversationID) async throws(EarshotError) -> ConversationSummary {
        if let summary = try await written(conversationID) { return summary }
        for userID in await node.users.all.map(\.userID) + [node.userID] {
            let conversation = direct(with: userID)
            guard conversation.conversationID == conversationID else { continue }
            return ConversationSummary(
                conversation: conversation, status: .joined, isAdvertised: false, details: nil,
                participantIDs: Set([node.userID, userID]).sorted(), lastMessage: nil, unreadCount: 0,
                firstUnread: nil)
        }
        throw EarshotError(.unknownConversation, "there is no conversation \(conversationID)")
    }

    /// The conversation of this node's user with themselves: notes that all of their devices have, and nobody else.
    public var own: Conversation { direct(with: node.userID) }

    /// The conversation that a text names: its id, `#` and the name of one of many, or the user of a direct one as in
    /// `Users.named`, or `Users.ownWord` or the own name for the notes to oneself. The key of a user who was never met names theirs once something was written to them.
    ///
    /// One of many is found if this node's user belongs to it, is invited to it, or has belonged to it. Of several with
    /// one name those that the user has joined come first, then those that they are invited to. A private one is
    /// also `#`, its name, `@` and its creator: `#ops@alice`.
    /// - Throws: `EarshotError` `unknownConversation` for an id, a key or a name without one, with similar names;
    ///   `ambiguousConversation` if several have the name; `notJoined` for one that others advertise; `unknownUser`,
    ///   `ambiguousUser`; `storeDamaged`, `storeUnavailable`.
    public func named(_ text: String) async throws(EarshotError) -> Conversation {
        if text.hasPrefix("#") { return try await known(named: text) }
        if try await node.users.isOwn(text) { return own }
        guard let conversationID = ConversationID(text), let userID = UserID(text),
            await node.users.user(userID) == nil
        else { return direct(with: try await node.users.other(named: text).userID) }
        if let record = await node.shell.conversationOfMany(conversationID) { return Conversation(record, node: node) }
        if let summary = try await written(direct(with: userID).conversationID) { return summary.conversation }
        return try await summary(of: conversationID).conversation
    }

    /// - Returns: `nil` if nothing was written in the conversation.
    private func written(_ conversationID: ConversationID) async throws(EarshotError) -> ConversationSummary? {
        let (store, readerID) = (node.store, node.userID)
        let row = try await node.readStore { () throws(StoreError) in
            try store.conversation(conversationID, readBy: readerID)
        }
        let record = await node.shell.conversationOfMany(conversationID)
        return row.flatMap { ConversationSummary($0, record, node: node) }
    }
}

extension ConversationSummary {
    /// - Parameter record: that of a conversation of many.
    /// - Returns: `nil` for a conversation of many that is not known any more.
    fileprivate init?(_ row: ConversationRow, _ record: ConversationOfMany?, node: Node) {
        switch row.conversation.kind {
        case .direct:
            conversation = node.conversations.direct(
                with: row.conversation.peerID(of: node.userID) ?? node.userID)
            (status, isAdvertised, details) = (.joined, false, nil)
            participantIDs = row.conversation.participantIDs
        case .open, .private:
            guard let record else { return nil }
            conversation = Conversation(record, node: node)
            (status, isAdvertised, details) = (record.status, record.isAdvertised, record.details?.counting)
            participantIDs = record.participantIDs
        }
        lastMessage = row.last.flatMap { Message($0, for: node.userID) }
        unreadCount = row.unreadCount
        firstUnread = row.firstUnread.flatMap { Message($0, for: node.userID) }
    }
}
