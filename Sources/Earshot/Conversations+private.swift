import EarshotCrypto
import EarshotProtocol
import Foundation

/// Private conversations: their owner says who belongs to them.
extension Conversations {
    /// Begins a private conversation, which this node's user owns. It returns when that is on the disk; who is invited
    /// hears of it when they are met.
    /// - Throws: `EarshotError` `conversationExists` if this user has begun one of that name and not closed it;
    ///   `invalidName`; `invalidConversation` for too long a friendly name, attributes that are no JSON object or too
    ///   long, or too many participants; `blocked`, `identityConflict`, `notAdmitted` for who is invited;
    ///   `tooManyConversations`, `overloaded`, `storeFull`, `storeUnavailable`, `stopped`.
    @discardableResult
    public func create(_ draft: ConversationDraft) async throws(EarshotError) -> Conversation {
        var draft = draft
        draft.uniqueName = try await open(named: draft.uniqueName).uniqueName ?? draft.uniqueName
        try ConversationDetails.check(attributes: draft.attributes)
        let salt = SecretBytes.random(count: ConversationOrigin.saltBytes).withUnsafeBytes { Array($0) }
        let conversationID = ConversationID.private(ConversationOrigin(creatorID: node.userID, salt: salt))
        let (keeper, deviceID) = (node.keeper, node.deviceID)
        let proof = try await LongWork.run { () throws(EarshotError) in
            try keeper.primaryProof(of: deviceID, in: conversationID)
        }
        do { try await node.shell.create(draft, salt: salt, proof: proof) } catch {
            throw error.named(draft.uniqueName)
        }
        return try await ofMany(conversationID)
    }

    /// The private conversation of a name that this node's user has begun, and else begins now as in `create`.
    ///
    /// One that is there stays as it is, whatever the draft says.
    @discardableResult
    public func getOrCreate(_ draft: ConversationDraft) async throws(EarshotError) -> Conversation {
        let name = try await open(named: draft.uniqueName).uniqueName
        let isMeant = { (record: ConversationOfMany) in
            record.uniqueName == name && record.details?.creatorID == node.userID && record.status != .closed
        }
        if let record = await node.shell.conversationsOfMany.first(where: isMeant) {
            return Conversation(record, node: node)
        }
        return try await create(draft)
    }

    /// Private conversations that this node's user is invited to, by name.
    public var invitations: [Conversation] {
        get async {
            await node.shell.conversationsOfMany.filter { $0.status == .invited }.map { Conversation($0, node: node) }
        }
    }
}

extension Conversation {
    /// What its owner decides about it; `nil` for one that is not private, or that this node does not know.
    public var details: ConversationDetails? {
        get async { await node.shell.conversationOfMany(conversationID)?.details?.counting }
    }

    /// Joins it: an open one, or a private one that this node's user is invited to. Joining twice is joining once.
    /// - Throws: `EarshotError` `notJoined` without an invitation; `conversationClosed`; `unknownConversation`;
    ///   `tooManyConversations`, `overloaded`, `storeFull`, `storeUnavailable`, `stopped`.
    public func join() async throws(EarshotError) {
        switch form {
        case .direct: break
        case .open(let name): try await node.conversations.join(named: name)
        case .private:
            try await request { $0.acceptInvitation(to: $1, requestID: $2, now: $3) }
        }
    }

    /// Invites users to a private conversation of this node's user. Who is in or invited already stays so.
    ///
    /// Before they join they are told who is in, and nothing that is written.
    /// - Throws: `EarshotError` `notOwner`; `decidedElsewhere` if another device of this user decides about it;
    ///   `conversationClosed`; `invalidConversation` beyond 128 participants; `blocked`, `identityConflict`, `notAdmitted`
    ///   for one of them; `unknownConversation`, `overloaded`, `storeFull`, `storeUnavailable`, `stopped`.
    public func invite(_ userIDs: [UserID]) async throws(EarshotError) {
        for userID in userIDs {
            do {
                try await decide { $0.invite(userID, to: $1, takingOver: $2, requestID: $3, now: $4) }
            } catch { throw error.about(userID) }
        }
    }

    /// Removes a user from a private conversation of this node's user. What they had not sent by then counts for nobody
    /// who hears of it; what they have, they keep.
    /// - Throws: `EarshotError` `notParticipant`; as `invite(_:)`.
    public func remove(_ userID: UserID) async throws(EarshotError) {
        do {
            try await decide { $0.remove(userID, from: $1, takingOver: $2, requestID: $3, now: $4) }
        } catch { throw error.about(userID) }
    }

    /// Offers a private conversation of this node's user to another participant, who owns it as soon as a device of theirs
    /// hears of it. It cannot be taken back.
    /// - Throws: `EarshotError` `notParticipant` for somebody who has not joined; `needsPrimary` if it was created by a
    ///   device without the identity; as `invite(_:)`.
    public func handOver(to userID: UserID) async throws(EarshotError) {
        do {
            try await decide { $0.handOver($1, to: userID, takingOver: $2, requestID: $3, now: $4) }
        } catch { throw error.about(userID) }
    }

    /// Ends a private conversation of this node's user for all: nothing more can be written, and what is there stays.
    /// - Throws: `EarshotError` as `invite(_:)`.
    public func close() async throws(EarshotError) {
        try await decide { $0.closeConversation($1, takingOver: $2, requestID: $3, now: $4) }
    }

    /// Gives a private conversation of this node's user another friendly name or other attributes.
    /// - Parameters:
    ///   - friendlyName: at most `Limits.friendlyNameBytes` of UTF-8; `nil` leaves it.
    ///   - attributes: a JSON object of at most `Limits.attributesBytes`, or an empty text; `nil` leaves them.
    /// - Throws: `EarshotError` `invalidConversation`; as `invite(_:)`.
    public func update(friendlyName: String? = nil, attributes: String? = nil) async throws(EarshotError) {
        try ConversationDetails.check(attributes: attributes ?? "")
        try await decide {
            $0.updateConversation(
                $1, friendlyName: friendlyName, attributes: attributes, takingOver: $2, requestID: $3, now: $4)
        }
    }

    /// Decides about it as its owner. Where the device that decided is revoked, this one does from now on.
    private func decide(
        _ body: @escaping @Sendable (inout NodeMachine, ConversationID, Signature?, RequestID, Moment) -> [NodeAction]
    ) async throws(EarshotError) {
        let proof = try await takeoverProof
        try await request { body(&$0, $1, proof, $2, $3) }
    }

    /// The identity key's word for this device, where it is needed and at hand.
    private var takeoverProof: Signature? {
        get async throws(EarshotError) {
            guard await node.shell.needsTakeover(conversationID) else { return nil }
            let (keeper, deviceID, conversationID) = (node.keeper, node.deviceID, conversationID)
            return try await LongWork.run { () throws(EarshotError) in
                try keeper.primaryProof(of: deviceID, in: conversationID)
            }
        }
    }

    /// This device decides about it from now on, if the one that did is revoked.
    func takeOver() async throws(EarshotError) {
        guard let proof = try await takeoverProof else { return }
        try await request { $0.takeOver($1, proof: proof, requestID: $2, now: $3) }
    }

    private func request(
        _ body: @escaping @Sendable (inout NodeMachine, ConversationID, RequestID, Moment) -> [NodeAction]
    ) async throws(EarshotError) {
        let conversationID = conversationID
        do {
            _ = try await node.shell.request { machine, requestID, now in
                body(&machine, conversationID, requestID, now)
            }
        } catch { throw error.about(self) }
    }
}

extension ConversationDetails {
    /// - Throws: `EarshotError` `invalidConversation`.
    fileprivate static func check(attributes: String) throws(EarshotError) {
        guard ProgramAttributes.isValid(attributes) else {
            throw EarshotError(.invalidConversation, "the attributes of a conversation are a JSON object")
        }
    }
}
