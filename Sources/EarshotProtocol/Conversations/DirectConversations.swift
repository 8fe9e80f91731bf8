import EarshotModel

/// Finds the direct conversation of an id: the id is a hash of the two users, and reveals neither.
struct DirectConversations: Sendable {
    private let userID: UserID
    private var peers: [ConversationID: UserID] = [:]

    init(userID: UserID) { self.userID = userID }

    /// - Parameter users: all known users. A conversation with a user who was met since the last call costs one hash
    ///   for each such user, once.
    /// - Throws: `ProtocolError` `unknownUser` if the id belongs to no conversation with one of them.
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
