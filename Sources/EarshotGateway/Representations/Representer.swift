import Earshot

/// Turns the node's values into those of the local API. The names of keys are looked up once for each answer.
struct Representer: Sendable {
    let node: Node

    func message(_ message: Message) async -> GatewayMessage {
        GatewayMessage(message, await names(of: [message]))
    }

    func messages(_ messages: [Message]) async -> [GatewayMessage] {
        let names = await names(of: messages)
        return messages.map { GatewayMessage($0, names) }
    }

    func conversation(_ summary: ConversationSummary) async -> GatewayConversation {
        GatewayConversation(summary, await names(of: summary.userIDs))
    }

    func conversations(_ summaries: [ConversationSummary]) async -> [GatewayConversation] {
        let names = await names(of: summaries.flatMap(\.userIDs))
        return summaries.map { GatewayConversation($0, names) }
    }

    func tokens(_ tokens: [TokenRecord]) async -> [GatewayToken] {
        let names = await names(of: tokens.flatMap { $0.recipients ?? [] })
        return tokens.map { GatewayToken($0, names) }
    }

    /// - Parameter identifiers: those of the token that asks.
    func participants(
        _ participants: [Participant], as identifiers: ParticipantIdentifiers?
    ) async -> [GatewayParticipant] {
        let names = await names(of: participants.map(\.userID))
        return participants.map {
            var participant = GatewayParticipant($0, names)
            participant.applicationIdentifier = identifiers?.identifier(of: $0.userID)
            return participant
        }
    }

    func files(_ files: [SharedFile]) async -> [GatewaySharedFile] {
        let names = await names(of: files.map(\.senderID))
        return files.map { GatewaySharedFile($0, names) }
    }

    func fileRules(_ rules: FileRules) async -> GatewayFileRules {
        GatewayFileRules(rules, await names(of: rules.rules.compactMap(\.sender)))
    }

    func advertised(_ conversations: [AdvertisedConversation]) async -> [GatewayAdvertisedConversation] {
        let names = await names(of: conversations.flatMap(\.userIDs))
        return conversations.map { GatewayAdvertisedConversation($0, names) }
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
        case .messageSent(let change), .messageDelivered(let change), .messageHandled(let change),
            .messageRead(let change), .messageFailed(let change):
            result.stateChange = GatewayStateChange(change, await names(of: [change.recipientID]))
        case .typingStarted(let typing), .typingEnded(let typing):
            result.conversationID = typing.conversationID.description
            result.user = await node.users.other(typing.userID).map { GatewayUser($0) }
        case .messageUpdated(let update):
            result.update = GatewayMessageUpdate(update, await names(of: [update.userID]))
        case .conversationUpdated(let update):
            let names = await names(of: update.ownerID.map { [$0] } ?? [])
            result.conversation = GatewayConversationUpdate(update, names)
        case .participantUpdated(let update):
            let names = await names(of: [.user(update.participant.userID), .conversation(update.conversationID)])
            result.participant = GatewayParticipantUpdate(update, names)
        case .draftInserted(let change), .draftUpdated(let change), .draftSent(let change),
            .draftDiscarded(let change):
            await fill(&result, from: change)
        case .conversationAdvertised(let conversation):
            result.advertised = await advertised([conversation]).first
        case .userDiscovered(let user): result.user = GatewayUser(user)
        case .userUpdated(let user, let changes):
            result.user = GatewayUser(user)
            result.changes = changes.map(\.rawValue).sorted()
        case .userSubscribed(let userID), .userUnsubscribed(let userID):
            result.user = await node.users.other(userID).map { GatewayUser($0) }
        case .identityConflict(let conflict): result.conflict = GatewayConflict(conflict)
        case .linkFailed(let failure): await fill(&result, from: failure)
        case .clockSkewed(let skew):
            result.user = await node.users.other(skew.userID).map { GatewayUser($0) }
            result.aheadMilliseconds = skew.ahead
        case .clockSet(let change): result.forwardMilliseconds = change.forward
        case .deviceRevoked(let device):
            result.user = await node.users.other(device.userID).map { GatewayUser($0) }
            result.userID = device.userID.description
            result.deviceID = device.deviceID.description
        case .otherNetworkSeen(let network): result.networkTag = network.tag
        case .deviceCopied(let copy): result.addresses = copy.addresses.map(\.description)
        case .credentialWillExpire(let notice), .credentialExpired(let notice), .credentialRenewed(let notice),
            .credentialNotYetValid(let notice):
            result.credential = GatewayCredentialNotice(notice)
        case .storageFailed(let reason): result.reason = reason
        case .profileUpdated, .storageRecovered: break
        case .fileUpdated(let update): result.file = GatewayFile(update)
        case .historyRecovered(let recovery):
            result.user = await node.users.other(recovery.userID).map { GatewayUser($0) }
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
        if let userID = failure.userID { event.user = await node.users.other(userID).map { GatewayUser($0) } }
    }

    private func names(of messages: [Message]) async -> PartyNames {
        var names = await names(of: messages.flatMap(\.userIDs))
        names.conversations = await node.conversations.names(of: Set(messages.map(\.conversationID)))
        return names
    }

    func names(of destinations: [Destination]) async -> PartyNames {
        let userIDs = destinations.compactMap { if case .user(let userID) = $0 { userID } else { nil } }
        var names = await names(of: userIDs)
        let conversationIDs = destinations.compactMap { if case .conversation(let id) = $0 { id } else { nil } }
        names.conversations = await node.conversations.names(of: Set(conversationIDs))
        return names
    }

    private func names(of userIDs: [UserID]) async -> PartyNames {
        var names = await node.users.names(of: Set(userIDs))
        names[node.userID] = node.name
        return PartyNames(names: names, ownID: node.userID)
    }
}

/// The names of the users and conversations in one answer, as they were when it was made.
struct PartyNames {
    let names: [UserID: UserName]
    /// Of conversations of many, without the `#`.
    var conversations: [ConversationID: String] = [:]
    /// This node's user.
    let ownID: UserID

    func party(_ userID: UserID) -> GatewayParty {
        GatewayParty(id: userID.description, name: names[userID]?.text)
    }

    /// The name of a conversation begins with `#`, which that of no user does.
    func party(_ destination: Destination) -> GatewayParty {
        switch destination {
        case .user(let userID): party(userID)
        case .conversation(let conversationID):
            GatewayParty(id: conversationID.description, name: conversations[conversationID].map { "#\($0)" })
        }
    }
}

extension ConversationSummary {
    fileprivate var userIDs: [UserID] {
        let messages = [lastMessage, firstUnread].compactMap(\.self)
        return participantIDs + messages.flatMap(\.userIDs) + (details.map { [$0.creatorID, $0.ownerID] } ?? [])
    }
}

extension Message {
    fileprivate var userIDs: [UserID] { recipientIDs + [senderID] + mentions + reactions.flatMap(\.userIDs) }
}

extension GatewayMessage {
    fileprivate init(_ message: Message, _ names: PartyNames) {
        id = message.messageID.description
        conversationID = message.conversationID.description
        conversationName = names.conversations[message.conversationID]
        sender = names.party(message.senderID)
        counts = message.senderID == names.ownID ? GatewayDeliveryCounts(message.deliveryCounts) : nil
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
        mentions = message.mentions.map { names.party($0) }
        session = message.session.map { GatewaySession($0) }
        layout = message.layout.map { GatewayLayout($0) }
        (isEdited, isRetracted) = (message.isEdited, message.isRetracted)
        attachments = message.attachments.map { GatewayAttachment($0) }
        reactions = message.reactions.map {
            GatewayReaction(emoji: $0.emoji, users: $0.userIDs.map { names.party($0) })
        }
    }
}

extension GatewayDelivery {
    fileprivate init(_ party: GatewayParty, _ state: DeliveryState, _ times: MessageTimes = MessageTimes()) {
        id = party.id
        name = party.name
        self.state = state.name
        (sentAt, sentAtMilliseconds) = (times.sent.map(Timestamp.text), times.sent)
        (deliveredAt, deliveredAtMilliseconds) = (times.delivered.map(Timestamp.text), times.delivered)
        (handledAt, handledAtMilliseconds) = (times.handled.map(Timestamp.text), times.handled)
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
        let conversation = summary.conversation
        var names = names
        if let name = conversation.uniqueName { names.conversations[summary.id] = name }
        id = summary.id.description
        (kind, uniqueName) = (conversation.kind.rawValue, conversation.uniqueName)
        status = summary.status.rawValue
        isAdvertised = conversation.kind == .open ? summary.isAdvertised : nil
        isNameShared = conversation.kind == .open ? conversation.isNameShared : nil
        let details = summary.details
        friendlyName = details.flatMap { $0.friendlyName.isEmpty ? nil : $0.friendlyName }
        attributes = details.flatMap { $0.attributes.isEmpty ? nil : $0.attributes }
        (creator, owner) = (details.map { names.party($0.creatorID) }, details.map { names.party($0.ownerID) })
        givesHistory = details?.givesHistory
        participants = summary.participantIDs.map { names.party($0) }
        peer = conversation.peerID.map { names.party($0) }
        notificationLevel = conversation.notificationLevel.rawValue
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
        to = token.recipients.map { recipients in
            recipients.map { names.party($0) }.sorted { ($0.name ?? "", $0.id) < ($1.name ?? "", $1.id) }
        }
        createdAt = Timestamp.text(token.createdAt)
        expiresAt = token.expiresAt.map(Timestamp.text)
        usedAt = token.usedAt.map(Timestamp.text)
    }
}

extension GatewayParticipant {
    fileprivate init(_ participant: Participant, _ names: PartyNames) {
        let party = names.party(participant.userID)
        (id, name) = (party.id, party.name)
        (role, status) = (participant.role.rawValue, participant.status.rawValue)
        let milliseconds = participant.sinceMilliseconds
        (since, sinceMilliseconds) = (milliseconds.map(Timestamp.text), milliseconds)
    }
}

extension GatewayAdvertisedConversation {
    fileprivate init(_ conversation: AdvertisedConversation, _ names: PartyNames) {
        (id, uniqueName) = (conversation.conversationID.description, conversation.uniqueName)
        users = conversation.userIDs.map { names.party($0) }
    }
}

extension GatewayConversationUpdate {
    fileprivate init(_ update: ConversationUpdate, _ names: PartyNames) {
        (conversationID, kind) = (update.conversationID.description, update.kind.rawValue)
        (uniqueName, status) = (update.uniqueName, update.status.rawValue)
        owner = update.ownerID.map { names.party($0) }
        changes = update.changes.map(\.rawValue).sorted()
    }
}

extension GatewayParticipantUpdate {
    fileprivate init(_ update: ParticipantUpdate, _ names: PartyNames) {
        conversationID = update.conversationID.description
        conversationName = names.conversations[update.conversationID]
        participant = GatewayParticipant(update.participant, names)
    }
}

extension GatewayConflict {
    fileprivate init(_ conflict: IdentityConflict) {
        name = conflict.name.text
        pinnedID = conflict.pinnedID.description
        claimedBy = conflict.claimedBy.description
    }
}
