import EarshotModel

/// Which conversations of many the two ends of a link have in common, and whether they hold the same of them.
///
/// Each end sends a digest of what it holds. Where the two differ, both say what exactly they hold, and each asks for what
/// it lacks. This decides when a digest leads to heads, and when entries may go over the link.
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
        /// Two digests that differed, and for which heads went out already.
        var compared: (mine: HeadsHash, theirs: HeadsHash)?
        /// Whether this end has asked for heads, and they have not come.
        var isAsking = false
        /// Whether it is known what the peer holds: entries may go out.
        var isReady = false
    }

    /// What the peer belongs to, whether or not this node does.
    private var conversations: [ConversationID: Conversation] = [:]

    /// Whether the peer belongs to a conversation.
    func contains(_ conversationID: ConversationID) -> Bool { conversations[conversationID] != nil }

    func isReady(_ conversationID: ConversationID) -> Bool { conversations[conversationID]?.isReady == true }

    /// The peer has said what it holds.
    /// - Returns: whether there was room to note it.
    mutating func heard(_ digest: ConversationDigest) -> Bool {
        guard conversations[digest.conversationID] == nil else {
            conversations[digest.conversationID]?.theirs = digest.heads
            return true
        }
        guard conversations.count < Limits.sharedConversations else { return false }
        conversations[digest.conversationID] = Conversation(theirs: digest.heads)
        return true
    }

    /// The peer's user has left: what is to be said again if they come back.
    mutating func drop(_ conversationID: ConversationID) { conversations[conversationID] = nil }

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
        guard var conversation = conversations[conversationID] else { return false }
        defer { conversations[conversationID] = conversation }
        conversation.isReady = true
        // Where both have asked, each question is the answer to the other.
        defer { conversation.isAsking = false }
        return asks && !conversation.isAsking
    }
}
