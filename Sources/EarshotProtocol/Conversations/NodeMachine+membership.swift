import EarshotCrypto
package import EarshotModel

/// Inputs that concern who belongs to private conversations.
extension NodeMachine {
    /// The private conversations that this node's user belongs to, was invited to or has belonged to, ascending by id.
    package var privateConversations: [Membership] {
        replication.conversations.privates.all.compactMap(\.membership)
    }

    package func membership(_ conversationID: ConversationID) -> Membership? {
        replication.conversations.privates[conversationID]?.membership
    }

    /// Who a message is for: the participants that its author knew, without the author.
    /// - Returns: `nil` if it is of no private conversation, or its author did not belong to it.
    package func recipients(
        of messageID: MessageID, by authorID: UserID, in conversationID: ConversationID
    ) -> Set<UserID>? {
        guard let conversation = replication.conversations.privates[conversationID],
            let version = conversation.version(of: messageID.log, at: messageID.sequence)
        else { return nil }
        return conversation.membership?.recipients(of: authorID, at: version)
    }

    /// Creates a private conversation, of which this node's user is the owner.
    /// - Parameters:
    ///   - salt: 16 bytes, drawn at random: with the user they give the conversation's id, `ConversationID.private`.
    ///   - proof: the word of the user's identity key that this device holds it (`PrimaryProof`): only with it can the
    ///     conversation be handed over.
    package mutating func createConversation(
        _ draft: ConversationDraft, salt: [UInt8], proof: Signature?, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            guard !node.isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
            try Self.check(uniqueName: draft.uniqueName)
            try Self.check(friendlyName: draft.friendlyName, json: draft.attributes)
            guard draft.invited.count < Limits.participants else {
                throw ProtocolError(
                    .invalidConversation, "a conversation has at most \(Limits.participants) participants")
            }
            try node.checkIsNew(uniqueName: draft.uniqueName)
            for userID in draft.invited where userID != node.userID { try node.trust.checkRecipient(userID) }
            let origin = ConversationOrigin(creatorID: node.userID, salt: salt)
            let conversationID = ConversationID.private(origin)
            let creation = Creation(
                conversationID: conversationID, uniqueName: draft.uniqueName,
                attributes: ConversationAttributes(friendlyName: draft.friendlyName, json: draft.attributes),
                givesHistory: draft.givesHistory, continues: draft.continues)
            let conversation = ConversationRecord(
                conversationID: conversationID, kind: .private, participantIDs: [node.userID],
                uniqueName: draft.uniqueName)
            let invited = draft.invited.filter { $0 != node.userID }.map { EntryDraft.control(ControlBody(.add($0))) }
            try node.replication.found(
                conversation, creation, origin, proof: proof, invited, requestID: requestID)
        }
    }

    /// A name is unique among what one user has created and not closed.
    private func checkIsNew(uniqueName: String) throws(ProtocolError) {
        let isTaken = privateConversations.contains {
            $0.creatorID == userID && $0.uniqueName == uniqueName && !$0.isClosed
        }
        guard !isTaken else {
            throw ProtocolError(.conversationExists, "you have created a conversation #\(uniqueName) already")
        }
    }

    private static func check(uniqueName: String) throws(ProtocolError) {
        let name: UserName
        do { name = try UserName(uniqueName) } catch {
            throw ProtocolError(.invalidName, "the name of the conversation is not valid: \(error)")
        }
        try name.checkIsOfConversation()
    }

    private static func check(friendlyName: String, json: String) throws(ProtocolError) {
        guard friendlyName.utf8.count <= Limits.friendlyNameBytes else {
            throw ProtocolError(
                .invalidConversation, "a friendly name has at most \(Limits.friendlyNameBytes) bytes")
        }
        guard json.utf8.count <= Limits.attributesBytes else {
            throw ProtocolError(.invalidConversation, "attributes have at most \(Limits.attributesBytes) bytes")
        }
    }

    /// Invites a user to a conversation of this node's user.
    package mutating func invite(
        _ invitedID: UserID, to conversationID: ConversationID, takingOver proof: Signature? = nil,
        requestID: RequestID,
        now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.trust.checkRecipient(invitedID)
            try node.change(conversationID, takingOver: proof, requestID: requestID) {
                membership throws(ProtocolError) in
                switch membership.status(of: invitedID) {
                case .invited, .joined: return []
                default: break
                }
                guard membership.participants.count < Limits.participants else {
                    throw ProtocolError(
                        .invalidConversation,
                        "#\(membership.uniqueName) has \(Limits.participants) participants already")
                }
                return [.add(invitedID, returnsAfter: membership.lateRemoval(of: invitedID))]
            }
        }
    }

    /// Removes a user from a conversation of this node's user: what they write from then on counts for nobody.
    package mutating func remove(
        _ removedID: UserID, from conversationID: ConversationID, takingOver proof: Signature? = nil,
        requestID: RequestID,
        now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.change(conversationID, takingOver: proof, requestID: requestID) {
                membership throws(ProtocolError) in
                guard removedID != membership.ownerID else {
                    throw ProtocolError(
                        .notOwner, "an owner leaves #\(membership.uniqueName) only by handing it over or closing it")
                }
                guard membership.status(of: removedID).map({ $0 != .removed }) == true else {
                    throw ProtocolError(.notParticipant, "the user does not belong to #\(membership.uniqueName)")
                }
                return [.remove(removedID)]
            }
        }
    }

    /// Gives a conversation of this node's user another friendly name or other attributes.
    package mutating func updateConversation(
        _ conversationID: ConversationID, friendlyName: String?, attributes: String?,
        takingOver proof: Signature? = nil,
        requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.change(conversationID, takingOver: proof, requestID: requestID) {
                membership throws(ProtocolError) in
                let old = membership.attributes
                let new = ConversationAttributes(
                    friendlyName: friendlyName ?? old.friendlyName, json: attributes ?? old.json,
                    counter: old.counter.nextCounter)
                try Self.check(friendlyName: new.friendlyName, json: new.json)
                return [.update(new)]
            }
        }
    }

    /// Offers a conversation of this node's user to another participant, who owns it as soon as a device of theirs hears.
    package mutating func handOver(
        _ conversationID: ConversationID, to newOwnerID: UserID, takingOver proof: Signature? = nil,
        requestID: RequestID,
        now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            let isTakenOver = node.needsTakeover(conversationID)
            try node.change(conversationID, takingOver: proof, requestID: requestID) {
                membership throws(ProtocolError) in
                guard membership.hasJoined(newOwnerID) else {
                    throw ProtocolError(
                        .notParticipant, "only who has joined #\(membership.uniqueName) can become its owner")
                }
                guard membership.isWriterPrimary || isTakenOver else {
                    throw ProtocolError(
                        .needsPrimary,
                        "#\(membership.uniqueName) was begun on a device without the identity, and stays yours")
                }
                return [.handOver(to: newOwnerID)]
            }
        }
    }

    /// Closes a conversation of this node's user: nothing more can be written to it, and what is there stays.
    package mutating func closeConversation(
        _ conversationID: ConversationID, takingOver proof: Signature? = nil, requestID: RequestID,
        now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.change(conversationID, takingOver: proof, requestID: requestID) { _ throws(ProtocolError) in
                [.closed]
            }
        }
    }

    /// Whether a conversation of this node's user was decided about on a device that is revoked: then the identity key's word
    /// for this device (`PrimaryProof`) is needed to decide about it, and makes this device the one that decides.
    package func needsTakeover(_ conversationID: ConversationID) -> Bool {
        membership(conversationID).map(needsTakeover) ?? false
    }

    private func needsTakeover(of membership: Membership) -> Bool {
        membership.ownerID == userID && !membership.isClosed && membership.writer != local.deviceID
            && isRevoked(membership.writer, of: userID)
    }

    /// This device decides about a conversation of this node's user from now on, as the one that did is revoked.
    package mutating func takeOver(
        _ conversationID: ConversationID, proof: Signature, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            guard node.needsTakeover(conversationID), let membership = node.membership(conversationID) else {
                node.replication.answer(requestID, .conversation(conversationID))
                return
            }
            try node.write([], of: membership, conversationID, takingOver: proof, requestID: requestID)
        }
    }

    private mutating func change(
        _ conversationID: ConversationID, takingOver proof: Signature?, requestID: RequestID,
        _ entries: (Membership) throws(ProtocolError) -> [ControlEntry]
    ) throws(ProtocolError) {
        guard !isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
        let membership = try replication.conversations.privates.check(conversationID)
        guard membership.ownerID == userID else {
            let owner = trust.directory.users[membership.ownerID]?.name.description
            throw ProtocolError(
                .notOwner, "only the owner of #\(membership.uniqueName)\(owner.map { ", \($0)," } ?? "") can do that")
        }
        guard membership.writer == local.deviceID || needsTakeover(of: membership) else {
            throw ProtocolError(.decidedElsewhere, "another device of yours decides about #\(membership.uniqueName)")
        }
        let wanted = try entries(membership)
        guard !wanted.isEmpty else {
            replication.answer(requestID, .conversation(conversationID))
            return
        }
        try write(wanted, of: membership, conversationID, takingOver: proof, requestID: requestID)
    }

    private mutating func write(
        _ entries: [ControlEntry], of membership: Membership, _ conversationID: ConversationID,
        takingOver proof: Signature?, requestID: RequestID
    ) throws(ProtocolError) {
        var bodies = entries.map { ControlBody($0) }
        if membership.writer != local.deviceID {
            guard let proof else {
                throw ProtocolError(
                    .needsPrimary,
                    "the device that decided about #\(membership.uniqueName) is revoked, and only one with the identity goes on"
                )
            }
            guard let takeover = membership.takeover else {
                throw ProtocolError(
                    .invalidConversation,
                    "#\(membership.uniqueName) has changed hands \(Limits.controlTerms) times, and can do so no more")
            }
            bodies.insert(ControlBody(takeover, proof: proof), at: 0)
        } else if let continuation = membership.continuation {
            bodies.insert(ControlBody(continuation), at: 0)
        }
        try replication.control(
            bodies.map { .control($0) }, of: try conversation(conversationID), requestID: requestID)
    }

    /// Answers an invitation: this node's user belongs to the conversation from now on.
    package mutating func acceptInvitation(
        to conversationID: ConversationID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.answerInvitation(to: conversationID, isJoining: true, requestID: requestID)
        }
    }

    /// Declines an invitation, or leaves: this node's user belongs to the conversation no longer.
    package mutating func leavePrivate(
        _ conversationID: ConversationID, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            try node.answerInvitation(to: conversationID, isJoining: false, requestID: requestID)
        }
    }

    mutating func answerInvitation(
        to conversationID: ConversationID, isJoining: Bool, requestID: RequestID
    ) throws(ProtocolError) {
        guard !isStopping else { throw ProtocolError(.stopped, "the node is stopping") }
        guard let membership = membership(conversationID) else {
            throw ProtocolError(.unknownConversation, "this node knows no such conversation")
        }
        let name = membership.uniqueName
        guard isJoining || membership.ownerID != userID else {
            throw ProtocolError(.notOwner, "an owner leaves #\(name) only by handing it over or closing it")
        }
        guard !membership.isClosed else { throw ProtocolError(.conversationClosed, "#\(name) is closed") }
        switch membership.status(of: userID) {
        // What is so already is not said again.
        case .joined where isJoining, .left where !isJoining:
            replication.answer(requestID, .conversation(conversationID))
            return
        case .left: throw ProtocolError(.notJoined, "you have left #\(name): ask its owner to invite you again")
        case .removed:
            throw ProtocolError(.notJoined, "you were removed from #\(name): ask its owner to invite you again")
        case .invited, .joined, .closed, nil: break
        }
        guard let addition = membership.addition(of: userID) else {
            throw ProtocolError(.notJoined, "you are not invited to #\(name)")
        }
        let answer: EntryDraft = isJoining ? .accept(addition) : .decline(addition)
        try replication.send(
            PendingSend(
                requestID: requestID, parts: [.init(conversation: try conversation(conversationID), drafts: [answer])]),
            name: nil)
    }
}
