package import EarshotModel

/// Inputs that concern conversations of many.
extension NodeMachine {
    /// The conversations of many that this node's user belongs to, was invited to or has belonged to, ascending by name.
    package var conversationsOfMany: [ConversationOfMany] {
        replication.conversations.known.filter { !trust.isHidden($0) }
    }

    package func openConversation(_ conversationID: ConversationID) -> OpenConversationRecord? {
        replication.conversations[conversationID]
    }

    package func conversationOfMany(_ conversationID: ConversationID) -> ConversationOfMany? {
        replication.conversations.known(conversationID)
    }

    /// The names of those of the conversations that have one.
    package func names(of conversationIDs: Set<ConversationID>) -> [ConversationID: String] {
        conversationIDs.reduce(into: [:]) { $0[$1] = replication.conversations.record($1)?.uniqueName }
    }

    /// Open conversations whose names linked users tell, and which this node's user does not belong to, ascending by name.
    package var advertisedConversations: [AdvertisedConversation] { replication.advertised }

    /// A digest without its name, if that is not the conversation's.
    func withProvedName(_ digest: ConversationDigest) -> ConversationDigest {
        guard !digest.uniqueName.isEmpty else { return digest }
        var digest = digest
        do throws(ProtocolError) {
            if try openConversationID(digest.uniqueName) != digest.conversationID { digest.uniqueName = "" }
        } catch { digest.uniqueName = "" }
        return digest
    }

    /// Where messages to a destination go.
    /// - Throws: `ProtocolError`: the reason for which nothing is sent there now.
    package func checkDestination(_ destination: Destination) throws(ProtocolError) {
        switch destination {
        case .user(let userID):
            // A note to oneself waits for nobody.
            guard userID != local.userID else { return }
            try trust.checkRecipient(userID)
        case .conversation(let conversationID): try replication.conversations.checkJoined(conversationID)
        }
    }

    /// - Returns: `nil` for a conversation of many that this node does not know.
    func conversation(of destination: Destination) -> ConversationRecord? {
        switch destination {
        case .user(let userID): .direct(local.userID, userID)
        case .conversation(let conversationID): replication.conversations.record(conversationID)
        }
    }

    /// The id of the open conversation with a name, on this node's network.
    /// - Throws: `ProtocolError` `invalidName`.
    package func openConversationID(_ uniqueName: String) throws(ProtocolError) -> ConversationID {
        let name: UserName
        // The same rules as for a user's name: both stand in the same places.
        do { name = try UserName(uniqueName) } catch {
            throw ProtocolError(.invalidName, "the name of the conversation is not valid: \(error)")
        }
        try name.checkIsOfConversation()
        return .open(name.text, networkTag: local.link.networkTag)
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

    /// This node's user belongs to a conversation no longer, or declines an invitation. What is here of it stays.
    package mutating func leave(
        _ conversationID: ConversationID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            guard !node.isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
            guard !node.replication.conversations.privates.contains(conversationID) else {
                return try node.answerInvitation(to: conversationID, isJoining: false, requestID: requestID)
            }
            try node.replication.leave(conversationID, requestID: requestID)
        }
    }
}

extension UserName {
    /// - Throws: `ProtocolError` `invalidName`.
    func checkIsOfConversation() throws(ProtocolError) {
        guard !hasReservedCharacter else {
            throw ProtocolError(
                .invalidName, "the name of a conversation has none of \(UserName.reservedCharacters)")
        }
        // What combines with the character before it would combine with the `#`.
        guard "#\(text)".first == "#" else {
            throw ProtocolError(.invalidName, "the name of a conversation does not begin with a combining mark")
        }
    }
}
