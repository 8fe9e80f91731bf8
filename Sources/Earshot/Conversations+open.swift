import EarshotProtocol
public import Foundation

/// Open conversations: found by their names, and open to everybody on the network.
extension Conversations {
    /// Joins the open conversation with a name. If nobody has it yet, it begins with that: its id follows from the name and
    /// the network, so it does not matter who is first, or whether two begin it apart.
    ///
    /// Whoever joins gets the whole history from the participants. Joining twice is joining once.
    /// - Parameters:
    ///   - uniqueName: 1 to `Limits.nameBytes` of UTF-8, under the rules of `UserName`, with or without a `#` before it.
    ///   - isAdvertised: whether linked users who have not joined it are told its name.
    /// - Throws: `EarshotError` `invalidName`; `tooManyConversations`, `overloaded`, `storeFull`, `storeUnavailable`,
    ///   `stopped`.
    @discardableResult
    public func join(named uniqueName: String, isAdvertised: Bool = true) async throws(EarshotError) -> Conversation {
        let conversation = try await open(named: uniqueName)
        guard let name = conversation.uniqueName else { return conversation }
        try await node.shell.join(name, isAdvertised: isAdvertised)
        return conversation
    }

    /// The open conversation with a name, whether or not this node's user belongs to it, or anybody.
    /// - Parameter uniqueName: with or without a `#` before it.
    /// - Throws: `EarshotError` `invalidName`.
    public func open(named uniqueName: String) async throws(EarshotError) -> Conversation {
        let text = uniqueName.hasPrefix("#") ? String(uniqueName.dropFirst()) : uniqueName
        let name: String
        do { name = try UserName(typed: text).text } catch {
            throw EarshotError(
                .invalidName, "the name of the conversation is not valid: \(error)", .init(name: Excerpt.of(text)),
                cause: error)
        }
        let conversationID: ConversationID
        do { conversationID = try await node.shell.openConversationID(name) } catch {
            throw EarshotError(.invalidName, error.message, .init(name: Excerpt.of(text)), cause: error)
        }
        return Conversation(conversationID: conversationID, form: .open(uniqueName: name), node: node)
    }

    /// The open conversations whose names linked users tell, and which this node's user has not joined, by name.
    public var advertised: [AdvertisedConversation] {
        get async { await node.shell.advertisedConversations }
    }

    /// The conversation of a message.
    /// - Throws: `EarshotError` `unknownConversation`.
    public func conversation(of message: Message) async throws(EarshotError) -> Conversation {
        try await conversation(at: node.destination(answering: message))
    }

    /// - Throws: `EarshotError` `unknownConversation`.
    package func conversation(at destination: Destination) async throws(EarshotError) -> Conversation {
        switch destination {
        case .user(let userID): direct(with: userID)
        case .conversation(let conversationID): try await ofMany(conversationID)
        }
    }

    /// Where a message goes that somebody sends to a name, as the command `earshot send NAME` and the local API have it: to
    /// `#` and the name of a conversation of many, or its id; to a user as in `Users.named`, whose key need not have been
    /// met; to oneself with `me`.
    /// - Throws: `EarshotError` `unknownConversation`, `ambiguousConversation`, `notJoined`; `unknownUser`, `ambiguousUser`.
    public func recipient(named text: String) async throws(EarshotError) -> Conversation {
        try await conversation(at: destination(text))
    }

    /// Where a message goes: to a user, as in `Users.recipient`, or to a conversation of many, by its id or by `#` and its
    /// name.
    /// - Throws: `EarshotError` `unknownConversation`, `ambiguousConversation`, `notJoined`; `unknownUser`,
    ///   `ambiguousUser`.
    package func destination(_ text: String) async throws(EarshotError) -> Destination {
        if text.hasPrefix("#") { return .conversation(try await known(named: text).conversationID) }
        if let conversationID = ConversationID(text), await node.shell.conversationOfMany(conversationID) != nil {
            return .conversation(conversationID)
        }
        return .user(try await node.users.recipient(text))
    }

    /// What is wrong with a text that names nobody, or several.
    package static let unresolved: Set<EarshotError.Code> = [
        .unknownUser, .ambiguousUser, .unknownConversation, .ambiguousConversation, .notJoined,
    ]

    /// An error, about where messages go.
    func naming(_ destination: Destination, in error: EarshotError) async -> EarshotError {
        guard case .conversation(let conversationID) = destination,
            let record = await node.shell.conversationOfMany(conversationID)
        else { return error.about(destination) }
        return error.about(Conversation(record, node: node))
    }

    /// The names of those of the conversations that have one, without the `#`.
    package func names(of conversationIDs: Set<ConversationID>) async -> [ConversationID: String] {
        await node.shell.names(of: conversationIDs)
    }

    /// - Throws: `EarshotError` `unknownConversation`.
    func ofMany(_ conversationID: ConversationID) async throws(EarshotError) -> Conversation {
        guard let record = await node.shell.conversationOfMany(conversationID) else {
            throw EarshotError(.unknownConversation, "there is no conversation \(conversationID)")
        }
        return Conversation(record, node: node)
    }
}

extension Conversation {
    init(_ record: ConversationOfMany, node: Node) {
        let form: Form =
            record.kind == .private
            ? .private(uniqueName: record.uniqueName) : .open(uniqueName: record.uniqueName)
        self.init(conversationID: record.conversationID, form: form, node: node)
    }

    /// Leaves a conversation of many, or declines the invitation to a private one: nothing more comes or goes. What is here
    /// of it stays, and can be read.
    /// - Throws: `EarshotError` `unknownConversation`, `notJoined`; `notOwner` for its owner, who hands it over or closes
    ///   it; `invalidMessage` for a direct conversation; `overloaded`, `storeFull`, `storeUnavailable`, `stopped`.
    public func leave() async throws(EarshotError) {
        guard kind != .direct else {
            throw EarshotError(.invalidMessage, "nobody leaves a direct conversation: block the user instead")
        }
        do { try await node.shell.leave(conversationID) } catch { throw error.about(self) }
    }

    /// Whether this node's user belongs to it; `nil` for one that they never joined and are not invited to.
    public var status: Participant.Status? {
        get async {
            guard kind != .direct else { return .joined }
            return await node.shell.conversationOfMany(conversationID)?.status
        }
    }

    /// A page of the participants, this node's own user among them, ascending by key.
    ///
    /// Of an open conversation everybody is known who has said that they join: at most 256. Of a private one those are,
    /// too, whom its owner has invited.
    /// - Parameters:
    ///   - after: the page begins after this user; without it, at the first.
    ///   - limit: 1 to `Limits.historyPage`.
    ///   - includingFormer: whether those come, too, who have left or were removed.
    /// - Throws: `EarshotError` `invalidLimit`; `unknownConversation` for one of many that this node does not know.
    public func participants(
        after: UserID? = nil, limit: Int = 50, includingFormer: Bool = false
    ) async throws(EarshotError) -> [Participant] {
        guard (1...Limits.historyPage).contains(limit) else {
            throw EarshotError(
                .invalidLimit, "a page has 1 to \(Limits.historyPage) participants, and not \(limit)",
                .init(limit: Limits.historyPage))
        }
        let all = try await allParticipants().filter { participant in
            guard after.map({ $0 < participant.userID }) ?? true else { return false }
            return includingFormer || [.joined, .invited, .closed].contains(participant.status)
        }
        return Array(all.sorted { $0.userID < $1.userID }.prefix(limit))
    }

    private func allParticipants() async throws(EarshotError) -> [Participant] {
        switch form {
        case .direct(let userID):
            return Set([node.userID, userID]).map {
                Participant(userID: $0, role: .participant, status: .joined, since: HybridTimestamp(rawValue: 0))
            }
        case .open(let name), .private(let name):
            guard let record = await node.shell.conversationOfMany(conversationID) else {
                throw EarshotError(.unknownConversation, "there is no conversation #\(name)", .init(name: name))
            }
            return record.participants
        }
    }
}

extension Participant {
    /// When the user got the status, by their own clock; `nil` in a direct conversation, whose participants are fixed.
    public var sinceDate: Date? { sinceMilliseconds.map { Date(milliseconds: $0) } }

    package var sinceMilliseconds: Int64? { since.rawValue == 0 ? nil : since.milliseconds }
}

extension Node {
    /// Where an answer to a message goes: to its conversation.
    package func destination(answering message: Message) -> Destination {
        let peerID = message.senderID == userID ? message.recipientIDs.first ?? userID : message.senderID
        return message.conversationID == .direct(userID, peerID)
            ? .user(peerID) : .conversation(message.conversationID)
    }
}
