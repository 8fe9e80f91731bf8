import EarshotStore

/// What this node's user has not read yet.
///
/// A message of somebody else is unread until this user has marked it, or a later one that its author's device wrote. One
/// that comes late is unread wherever its time puts it: nobody has seen it, whatever was read meanwhile. Own messages
/// and erased ones are never unread.
extension Conversation {
    /// A page of the unread messages, ascending in the order of time.
    ///
    /// - Parameters:
    ///   - after: the page begins just after this message; without it, at the first unread one.
    ///   - limit: 1 to `Limits.historyPage`.
    /// - Throws: `EarshotError` `unknownMessage` if the message is not in this conversation; `invalidLimit` if the limit is
    ///   out of range; `storeDamaged`, `storeUnavailable`.
    public func unread(after: MessageID? = nil, limit: Int = 50) async throws(EarshotError) -> [Message] {
        try Self.checkPage(limit)
        let (store, conversationID, readerID) = (node.store, self.conversationID, node.userID)
        let rows = try await node.readStore { () throws(StoreError) in
            try store.unread(in: conversationID, by: readerID, after: after, limit: limit)
        }
        guard let rows else {
            throw EarshotError(
                .unknownMessage, "the message that the page begins at is not in this conversation",
                .init(messageID: after))
        }
        return rows.compactMap { Message($0, for: readerID) }
    }

    /// The next message to read: the first unread one after this message, or else the first of all, which came late.
    /// - Returns: `nil` if all is read.
    /// - Throws: `EarshotError` `unknownMessage`, `storeDamaged`, `storeUnavailable`.
    public func nextUnread(after messageID: MessageID) async throws(EarshotError) -> Message? {
        if let next = try await unread(after: messageID, limit: 1).first { return next }
        return try await unread(limit: 1).first
    }

    /// Tells the other participants that this node's user has seen everything that is here now.
    /// - Throws: `EarshotError` `storeFull`, `storeDamaged`, `storeUnavailable`, `stopped`.
    public func markAllRead() async throws(EarshotError) {
        let (store, conversationID, readerID) = (node.store, self.conversationID, node.userID)
        let unmarked = try await node.readStore { () throws(StoreError) in
            try store.unmarked(in: conversationID, by: readerID)
        }
        for messageID in unmarked { try await node.shell.markRead(messageID) }
    }
}
