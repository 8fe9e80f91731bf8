import EarshotModel

/// Finds the direct conversation that an id stands for: the id is a hash of the two users, and says neither.
struct DirectConversations: Sendable {
    private let userID: UserID
    private var peers: [ConversationID: UserID] = [:]

    init(userID: UserID) { self.userID = userID }

    /// - Parameter users: everybody who is known. A conversation with somebody who was met since the last look costs a hash
    ///   of each of them, once.
    /// - Throws: `ProtocolError` `unknownUser` where the id is that of no conversation with one of them.
    mutating func conversation(
        _ conversationID: ConversationID, among users: some Collection<UserID>
    ) throws(ProtocolError) -> ConversationRecord {
        if peers[conversationID] == nil {
            peers = [.direct(userID, userID): userID]
            for peerID in users { peers[.direct(userID, peerID)] = peerID }
        }
        guard let peerID = peers[conversationID] else {
            throw ProtocolError(.unknownUser, "this node has met nobody with whom it would have that conversation")
        }
        return .direct(userID, peerID)
    }
}
