import EarshotModel
import EarshotStore

extension Messages {
    /// Finds messages by their words, in all conversations, those that arrived last first.
    ///
    /// It finds what the messages show now: not what was edited away, taken back or erased. Everything that is on the
    /// disk when it is called is found. Where the index has much to catch up with, as after an update, the answer waits for
    /// that.
    /// - Parameters:
    ///   - query: the words, and who, where and when.
    ///   - messageID: only what arrived before it, to go on where the last answer ended.
    ///   - limit: 1 to `Limits.historyPage`.
    /// - Throws: `EarshotError` `invalidSearch` for words over a limit or none; `unknownMessage`, `invalidLimit`;
    ///   `storeDamaged`, `storeFull`, `storeUnavailable`, `stopped`.
    public func search(
        _ query: SearchQuery, before messageID: MessageID? = nil, limit: Int = 20
    ) async throws(EarshotError) -> [Message] {
        try Conversation.checkPage(limit)
        let criteria = try SearchCriteria(query)
        let store = node.store
        var bound = Int64.max
        if let messageID {
            let cursor = try await node.readStore { () throws(StoreError) in try store.cursor(of: messageID) }
            guard let cursor else {
                throw EarshotError(.unknownMessage, "there is no message \(messageID)", .init(messageID: messageID))
            }
            bound = cursor
        }
        guard let lock = await node.shell.lock else { throw await node.shell.stoppedError }
        defer { withExtendedLifetime(lock) {} }
        return try await node.search.find(criteria, before: bound, limit: limit, for: node.userID)
    }
}
