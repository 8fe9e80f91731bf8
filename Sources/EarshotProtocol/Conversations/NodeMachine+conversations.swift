package import EarshotModel

/// Inputs that concern conversations of many.
extension NodeMachine {
    /// The conversations of many that this node's user belongs to, or has belonged to, ascending by name.
    package var openConversations: [OpenConversationRecord] { replication.conversations.all }

    package func openConversation(_ conversationID: ConversationID) -> OpenConversationRecord? {
        replication.conversations[conversationID]
    }

    /// The id of the open conversation with a name, on this node's network.
    /// - Throws: `ProtocolError` `invalidConversation`.
    package func openConversationID(_ uniqueName: String) throws(ProtocolError) -> ConversationID {
        do {
            // The same rules as for a user's name: both stand in the same places.
            return .open(try UserName(uniqueName).text, networkTag: local.link.networkTag)
        } catch {
            throw ProtocolError(.invalidConversation, "the name of the conversation is not valid: \(error)")
        }
    }

    /// This node's user belongs to an open conversation from now on, whoever was first.
    /// - Parameter isAdvertised: whether linked peers are told its name.
    package mutating func join(
        _ uniqueName: String, isAdvertised: Bool, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            guard !node.isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
            let conversationID = try node.openConversationID(uniqueName)
            try node.replication.join(
                uniqueName, conversationID, isAdvertised: isAdvertised, requestID: requestID, now: now)
        }
    }

    /// This node's user belongs to a conversation no longer. What is here of it stays.
    package mutating func leave(
        _ conversationID: ConversationID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            guard !node.isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
            try node.replication.leave(conversationID, requestID: requestID)
        }
    }
}
