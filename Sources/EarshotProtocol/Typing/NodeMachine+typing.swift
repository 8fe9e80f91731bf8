package import EarshotModel

/// Who types, on its way between programs, peers and `TypingMachine`.
extension NodeMachine {
    /// A program says that this node's user types in a conversation, or has stopped. Linked participants are told at
    /// once; others never are.
    /// - Parameter peerID: the other user of a direct conversation, who need not be known.
    package mutating func setTyping(
        _ isTyping: Bool, in conversationID: ConversationID, with peerID: UserID? = nil, requestID: RequestID,
        now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            guard !node.isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
            let conversation =
                if let peerID { node.conversation(with: peerID) } else { try node.conversation(conversationID) }
            var others = conversation.recipientIDs(of: node.local.userID)
            switch conversation.kind {
            case .direct: for userID in others { try node.trust.checkRecipient(userID) }
            case .open:
                try node.replication.conversations.checkJoined(conversationID)
                others.removeAll { node.trust.bar(to: $0) != nil }
            case .private:
                _ = try node.replication.conversations.privates.check(conversationID)
                others.removeAll { node.trust.bar(to: $0) != nil }
            }
            let links = others.flatMap { node.peers.links.connections(to: $0) }
            node.run(node.typing.set(isTyping, in: conversationID, over: links, now: now.uptime))
            // Whoever types is about to send something.
            if isTyping, conversation.kind == .direct { node.reach(others, now: now) }
            node.emit(.complete(requestID, .success(.told)))
        }
    }

    /// A linked peer says that its user types, or has stopped. What it says of a conversation that it does not share with
    /// this node's user is skipped.
    mutating func heardTyping(_ isTyping: Bool, in conversationID: ConversationID, from peer: LinkPeer, now: Moment) {
        guard shares(conversationID, with: peer.userID) else { return }
        run(typing.heard(isTyping, in: conversationID, from: peer.userID, on: peer.deviceID, now: now.uptime))
        clocks.wake(by: typing.deadline)
    }

    /// Whether both this node's user and the other one take part in a conversation.
    func shares(_ conversationID: ConversationID, with userID: UserID) -> Bool {
        if let membership = membership(conversationID) {
            return membership.hasJoined(local.userID) && membership.hasJoined(userID)
        }
        if let conversation = replication.conversations[conversationID] {
            return conversation.isJoined && conversation.participants[userID]?.status == .joined
        }
        return conversationID == .direct(local.userID, userID)
    }

    /// Who has written types no longer.
    mutating func endTyping(by run: EventRun) -> [TypingMachine.Action] {
        switch run {
        case .queued(let messages):
            if let first = messages.first { typing.wrote(in: first.conversationID) }
            return []
        case .received(let messages):
            return messages.first.map { typing.wrote($0.senderID, in: $0.conversationID) } ?? []
        case .progress: return []
        }
    }

    mutating func run(_ output: [TypingMachine.Action]) {
        for action in output {
            switch action {
            case .send(let frame, let connectionID): send(frame, on: connectionID)
            case .post(let event): post(event)
            }
        }
    }
}
