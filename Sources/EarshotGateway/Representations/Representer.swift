import Earshot

/// Turns the node's values into those of the local API. The names of keys are looked up once for each answer.
struct Representer: Sendable {
    let node: Node

    func message(_ message: Message) async -> GatewayMessage {
        GatewayMessage(message, await names(of: message.userIDs))
    }

    func messages(_ messages: [Message]) async -> [GatewayMessage] {
        let names = await names(of: messages.flatMap(\.userIDs))
        return messages.map { GatewayMessage($0, names) }
    }

    func conversation(_ summary: ConversationSummary) async -> GatewayConversation {
        GatewayConversation(summary, await names(of: summary.participantIDs))
    }

    func conversations(_ summaries: [ConversationSummary]) async -> [GatewayConversation] {
        let names = await names(of: summaries.flatMap(\.participantIDs))
        return summaries.map { GatewayConversation($0, names) }
    }

    func tokens(_ tokens: [TokenRecord]) async -> [GatewayToken] {
        let names = await names(of: tokens.flatMap { $0.recipients ?? [] })
        return tokens.map { GatewayToken($0, names) }
    }

    func event(_ event: Event, id: EventID? = nil) async -> GatewayEvent {
        var result = GatewayEvent(name: event.name.rawValue)
        result.id = id?.description
        switch event {
        case .nodeStateChanged(let state):
            result.nodeState = state.name
            result.port = state.port
        case .messageQueued(let message), .messageReceived(let message):
            result.message = await self.message(message)
        case .messageSent(let change), .messageDelivered(let change), .messageRead(let change),
            .messageFailed(let change):
            result.stateChange = GatewayStateChange(change, await names(of: [change.recipientID]))
        case .typingStarted(let typing), .typingEnded(let typing):
            result.conversationID = typing.conversationID.description
            result.user = await node.users.user(typing.userID).map { GatewayUser($0) }
        case .messageUpdated(let update):
            result.update = GatewayMessageUpdate(update, await names(of: [update.userID]))
        case .userDiscovered(let user): result.user = GatewayUser(user)
        case .userUpdated(let user, let changes):
            result.user = GatewayUser(user)
            result.changes = changes.map(\.rawValue).sorted()
        case .userSubscribed(let userID), .userUnsubscribed(let userID):
            result.user = await node.users.user(userID).map { GatewayUser($0) }
        case .identityConflict(let conflict): result.conflict = GatewayConflict(conflict)
        case .linkFailed(let failure): await fill(&result, from: failure)
        case .clockSkewed(let skew):
            result.user = await node.users.user(skew.userID).map { GatewayUser($0) }
            result.aheadMilliseconds = skew.ahead
        case .otherNetworkSeen(let network): result.networkTag = network.tag
        case .credentialWillExpire(let notice), .credentialExpired(let notice), .credentialRenewed(let notice),
            .credentialNotYetValid(let notice):
            result.credential = GatewayCredentialNotice(notice)
        case .storageFailed(let reason): result.reason = reason
        case .storageRecovered: break
        case .historyRecovered(let recovery):
            result.user = await node.users.user(recovery.userID).map { GatewayUser($0) }
            result.count = recovery.count
            result.renamed = recovery.renamed.map(GatewayRenaming.init)
        case .discoveryUnavailable(let source, let reason):
            result.source = source
            result.reason = reason
        case .discoveryAvailable(let source): result.source = source
        case .eventsLost(let count): result.count = count
        }
        return result
    }

    private func fill(_ event: inout GatewayEvent, from failure: LinkFailure) async {
        event.address = failure.address
        event.code = failure.code
        event.closeReason = failure.closeReason
        event.reason = failure.message
        if let userID = failure.userID { event.user = await node.users.user(userID).map { GatewayUser($0) } }
    }

    private func names(of userIDs: [UserID]) async -> PartyNames {
        var names = await node.users.names(of: Set(userIDs))
        names[node.userID] = node.name
        return PartyNames(names: names, ownID: node.userID)
    }
}

/// The names of the users in one answer, as they were when it was made.
private struct PartyNames {
    let names: [UserID: UserName]
    /// This node's user.
    let ownID: UserID

    func party(_ userID: UserID) -> GatewayParty {
        GatewayParty(id: userID.description, name: names[userID]?.text)
    }
}

extension Message {
    fileprivate var userIDs: [UserID] { recipientIDs + [senderID] + mentions + reactions.flatMap(\.userIDs) }
}

extension GatewayMessage {
    fileprivate init(_ message: Message, _ names: PartyNames) {
        id = message.messageID.description
        conversationID = message.conversationID.description
        sender = names.party(message.senderID)
        recipients = message.recipientIDs.map {
            GatewayDelivery(
                names.party($0), message.states[$0] ?? .queued,
                message.senderID == names.ownID ? message.times(for: $0) : MessageTimes())
        }
        let received = message.senderID == names.ownID ? nil : message.times(for: names.ownID).delivered
        (receivedAt, receivedAtMilliseconds) = (received.map(Timestamp.text), received)
        text = message.text
        isDeleted = message.isDeleted
        headers = message.headers
        timestamp = Timestamp.text(message.timestamp.milliseconds)
        timestampMilliseconds = message.timestamp.milliseconds
        expiry = Timestamp.text(message.expiry)
        expiryMilliseconds = message.expiry
        index = message.index
        replyTo = message.replyTo?.description
        mentions = message.mentions.map(names.party)
        session = message.session.map { GatewaySession($0) }
        (isEdited, isRetracted) = (message.isEdited, message.isRetracted)
        reactions = message.reactions.map { GatewayReaction(emoji: $0.emoji, users: $0.userIDs.map(names.party)) }
    }
}

extension GatewayDelivery {
    fileprivate init(_ party: GatewayParty, _ state: DeliveryState, _ times: MessageTimes = MessageTimes()) {
        id = party.id
        name = party.name
        self.state = state.name
        (sentAt, sentAtMilliseconds) = (times.sent.map(Timestamp.text), times.sent)
        (deliveredAt, deliveredAtMilliseconds) = (times.delivered.map(Timestamp.text), times.delivered)
        (readAt, readAtMilliseconds) = (times.read.map(Timestamp.text), times.read)
        reason = if case .failed(let reason) = state { reason.rawValue } else { nil }
    }
}

extension GatewayStateChange {
    fileprivate init(_ change: MessageStateChange, _ names: PartyNames) {
        messageID = change.messageID.description
        conversationID = change.conversationID.description
        recipient = GatewayDelivery(names.party(change.recipientID), change.state)
    }
}

extension GatewayMessageUpdate {
    fileprivate init(_ update: MessageUpdate, _ names: PartyNames) {
        (messageID, conversationID) = (update.messageID.description, update.conversationID.description)
        (user, change) = (names.party(update.userID), update.change.rawValue)
    }
}

extension GatewayConversation {
    fileprivate init(_ summary: ConversationSummary, _ names: PartyNames) {
        id = summary.id.description
        kind = "direct"
        participants = summary.participantIDs.map(names.party)
        peer = names.party(summary.conversation.peerID)
        lastMessage = summary.lastMessage.map { GatewayMessage($0, names) }
        unreadCount = summary.unreadCount
        firstUnread = summary.firstUnread.map { GatewayMessage($0, names) }
    }
}

extension GatewayToken {
    fileprivate init(_ token: TokenRecord, _ names: PartyNames) {
        id = token.tokenID
        name = token.name
        scopes = token.scopes
        to = token.recipients.map { $0.sorted().map(names.party) }
        createdAt = Timestamp.text(token.createdAt)
        expiresAt = token.expiresAt.map(Timestamp.text)
        usedAt = token.usedAt.map(Timestamp.text)
    }
}

extension GatewayConflict {
    fileprivate init(_ conflict: IdentityConflict) {
        name = conflict.name.text
        pinnedID = conflict.pinnedID.description
        claimedBy = conflict.claimedBy.description
    }
}
