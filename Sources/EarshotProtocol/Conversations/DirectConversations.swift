import EarshotModel

/// The direct conversations of this node's user. The id of one is a hash of its two users, and reveals neither.
struct DirectConversations: Sendable {
    /// How many it remembers beside those with users who are known. With more it begins anew.
    private static let withStrangers = 256

    private let userID: UserID
    private var records: [UserID: ConversationRecord] = [:]
    private var peers: [ConversationID: UserID] = [:]

    init(userID: UserID) { self.userID = userID }

    /// The conversation with a user, who need not be known.
    /// - Parameter known: how many users are known.
    mutating func conversation(with peerID: UserID, known: Int) -> ConversationRecord {
        if let record = records[peerID] { return record }
        if records.count >= known + Self.withStrangers { records = [:] }
        let record = ConversationRecord.direct(userID, peerID)
        records[peerID] = record
        return record
    }

    /// Finds the conversation of an id.
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
        return conversation(with: peerID, known: users.count)
    }
}
