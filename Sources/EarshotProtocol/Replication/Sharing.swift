import EarshotModel

/// Which conversations the two ends of a link compare, and whether they hold the same of them: those of many that both
/// belong to, between devices of one user all, and a pair's where more devices than the two have written.
///
/// Each end sends a digest of what it holds. Where the two differ, both say what exactly they hold, and each asks for what
/// it lacks. This decides when a digest leads to heads, and when entries may go over the link. Devices of one user compare
/// in the same way how far the conversation's messages have come, and exchange receipts where that differs.
struct Sharing: Sendable {
    enum Step: Hashable, Sendable {
        /// Both hold the same: entries may go over the link.
        case same
        /// They differ: say what this end holds, and ask for the same.
        case ask
        /// Nothing follows.
        case nothing
    }

    private struct Conversation: Sendable {
        /// What the peer said last.
        var theirs: HeadsHash
        /// Empty if the peer does not tell it.
        var uniqueName = ""
        /// Whether the peer says that its user has joined a private conversation.
        var hasJoined = false
        /// Whether messages that the peer sent were not taken, because this node's user was out.
        var isRefused = false
        /// Two digests that differed, and for which heads went out already.
        var compared: (mine: HeadsHash, theirs: HeadsHash)?
        /// Whether this end has asked for heads, and they have not come.
        var isAsking = false
        /// Whether it is known what the peer holds: entries may go out.
        var isReady = false
        /// The other user of a direct conversation that the peer, a device of the same user, has told of.
        var peerID: UserID?
        /// How far the messages have come, as the peer, a device of the same user, has said last.
        var theirProgress: ProgressHash?
        /// For what receipts went out already.
        var exchanged: Exchange?
        /// The hashes of receipts that went out while both held the same: the peer had the logs to keep them by.
        var given: Set<Int> = []
        /// The other receipts that went out last, as a hash, and what the peer held then.
        var lastGiven: (receipts: Int, theirs: HeadsHash)?
    }

    /// What both ends hold, and how far the messages have come for each of them.
    private struct Exchange: Hashable, Sendable {
        let mine: HeadsHash
        let theirs: HeadsHash
        let myProgress: ProgressHash
        let theirProgress: ProgressHash
    }

    /// What the peer belongs to, whether or not this node does.
    private var conversations: [ConversationID: Conversation] = [:]
    /// How many of them are remembered.
    private let limit: Int
    /// The open conversations of this node's user that the peer was told of by their ids.
    private var revealed: Set<ConversationID> = []
    /// The hash of the link's handshake: the same at both ends, and on no other link.
    let handshakeHash: Bytes32

    init(limit: Int = Limits.sharedConversations, handshakeHash: Bytes32 = Bytes32()) {
        self.limit = limit
        self.handshakeHash = handshakeHash
    }

    /// Whether the peer belongs to a conversation.
    func contains(_ conversationID: ConversationID) -> Bool { conversations[conversationID] != nil }

    func isRevealed(_ conversationID: ConversationID) -> Bool { revealed.contains(conversationID) }

    mutating func revealed(_ conversationID: ConversationID) { revealed.insert(conversationID) }

    func isReady(_ conversationID: ConversationID) -> Bool { conversations[conversationID]?.isReady == true }

    /// Whether the peer says that its user has joined a private conversation.
    func saysJoined(_ conversationID: ConversationID) -> Bool { conversations[conversationID]?.hasJoined == true }

    /// The name that the peer tells of an open conversation.
    func advertisedName(_ conversationID: ConversationID) -> String? {
        conversations[conversationID].flatMap { $0.uniqueName.isEmpty ? nil : $0.uniqueName }
    }

    /// Whether messages that the peer sent were not taken. The peer does not know, and sends them again only on another link.
    func isRefused(_ conversationID: ConversationID) -> Bool { conversations[conversationID]?.isRefused == true }

    mutating func refuse(_ conversationID: ConversationID) { conversations[conversationID]?.isRefused = true }

    /// The open conversations whose names the peer tells.
    var advertised: [ConversationID: String] {
        conversations.mapValues(\.uniqueName).filter { !$0.value.isEmpty }
    }

    /// The other user of a direct conversation, as the peer has told.
    func peerID(of conversationID: ConversationID) -> UserID? { conversations[conversationID]?.peerID }

    /// This end has told the peer of a conversation that the peer need not know.
    mutating func told(_ conversationID: ConversationID) {
        guard conversations[conversationID] == nil else { return }
        _ = heard(ConversationDigest(conversationID: conversationID, heads: .of([])))
    }

    /// The peer has said what it holds.
    /// - Returns: whether there was room to note it.
    mutating func heard(_ digest: ConversationDigest) -> Bool {
        guard conversations[digest.conversationID] == nil else {
            conversations[digest.conversationID]?.theirs = digest.heads
            conversations[digest.conversationID]?.uniqueName = digest.uniqueName
            conversations[digest.conversationID]?.theirProgress = digest.progress
            conversations[digest.conversationID]?.hasJoined = digest.hasJoined
            return true
        }
        guard conversations.count < limit else { return false }
        conversations[digest.conversationID] = Conversation(
            theirs: digest.heads, uniqueName: digest.uniqueName, hasJoined: digest.hasJoined, peerID: digest.peerID,
            theirProgress: digest.progress)
        return true
    }

    /// The peer's user has left: what is to be said again if they come back.
    mutating func drop(_ conversationID: ConversationID) {
        conversations[conversationID] = nil
        revealed.remove(conversationID)
    }

    /// What both hold is to be compared anew.
    mutating func restart(_ conversationID: ConversationID) {
        conversations[conversationID]?.compared = nil
        conversations[conversationID]?.isAsking = false
        conversations[conversationID]?.isReady = false
    }

    /// Compares what the peer has said with what this node holds now.
    mutating func compare(_ conversationID: ConversationID, with mine: HeadsHash) -> Step {
        guard var conversation = conversations[conversationID] else { return .nothing }
        defer { conversations[conversationID] = conversation }
        guard conversation.theirs != mine else {
            conversation.isReady = true
            return .same
        }
        guard !conversation.isAsking, conversation.compared.map({ $0 != (mine, conversation.theirs) }) ?? true else {
            return .nothing
        }
        conversation.isAsking = true
        conversation.compared = (mine, conversation.theirs)
        return .ask
    }

    /// The peer has said all that it holds of a conversation.
    /// - Returns: whether it is to be told the same of this node.
    mutating func heardHeads(of conversationID: ConversationID, asks: Bool) -> Bool {
        // Who hears of a conversation for the first time asks before they say what they hold.
        guard var conversation = conversations[conversationID] else { return asks }
        defer { conversations[conversationID] = conversation }
        conversation.isReady = true
        // Where both have asked, each question is the answer to the other.
        defer { conversation.isAsking = false }
        return asks && !conversation.isAsking
    }

    // MARK: - Receipts

    /// Compares how far the messages have come at both ends.
    /// - Returns: whether the peer is to be given the receipts that this node has: the two differ, and it has not been
    ///   given them for the same digests.
    mutating func differs(_ conversationID: ConversationID, with mine: HeadsHash, _ progress: ProgressHash) -> Bool {
        guard let conversation = conversations[conversationID], let theirs = conversation.theirProgress,
            theirs != progress
        else { return false }
        let exchange = Exchange(
            mine: mine, theirs: conversation.theirs, myProgress: progress, theirProgress: theirs)
        guard conversation.exchanged != exchange else { return false }
        conversations[conversationID]?.exchanged = exchange
        return true
    }

    /// Chooses those of the receipts that the peer was not given when it could keep them.
    mutating func takeUngiven(
        _ receipts: [Receipt], of conversationID: ConversationID, mine: HeadsHash
    ) -> [Receipt] {
        guard var conversation = conversations[conversationID] else { return receipts }
        defer { conversations[conversationID] = conversation }
        let ungiven = receipts.filter { !conversation.given.contains($0.hashValue) }
        if conversation.theirs == mine {
            if conversation.given.count > Limits.allCarriedReceipts { conversation.given = [] }
            conversation.given.formUnion(ungiven.map(\.hashValue))
        }
        let next = (receipts: ungiven.hashValue, theirs: conversation.theirs)
        guard conversation.lastGiven.map({ $0 != next }) ?? true else { return [] }
        conversation.lastGiven = next
        return ungiven
    }
}
