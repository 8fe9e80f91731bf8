import Earshot

/// Turns the node's values into those of the local API, and looks up the names of keys.
struct Representer: Sendable {
    let node: Node

    func message(_ message: Message) async -> GatewayMessage {
        var recipients: [GatewayDelivery] = []
        for userID in message.recipientIDs {
            recipients.append(delivery(await party(userID), message.states[userID] ?? .queued))
        }
        return GatewayMessage(
            id: message.messageID.description, conversationID: message.conversationID.description,
            sender: await party(message.senderID), recipients: recipients, text: message.text,
            isDeleted: message.isDeleted, headers: message.headers,
            timestamp: Timestamp.text(message.timestamp.milliseconds),
            timestampMilliseconds: message.timestamp.milliseconds, expiry: Timestamp.text(message.expiry),
            expiryMilliseconds: message.expiry)
    }

    func messages(_ messages: [Message]) async -> [GatewayMessage] {
        var result: [GatewayMessage] = []
        for message in messages { result.append(await self.message(message)) }
        return result
    }

    func event(_ event: Event) async -> GatewayEvent {
        var result = GatewayEvent(name: event.name.rawValue)
        switch event {
        case .nodeStateChanged(let state):
            result.nodeState = state.name
            result.port = state.port
        case .messageQueued(let message), .messageReceived(let message):
            result.message = await self.message(message)
        case .messageSent(let change), .messageDelivered(let change), .messageRead(let change),
            .messageFailed(let change):
            result.stateChange = await stateChange(change)
        case .userDiscovered(let user): result.user = GatewayUser(user)
        case .userUpdated(let user, let changes):
            result.user = GatewayUser(user)
            result.changes = changes.map(\.rawValue).sorted()
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

    private func stateChange(_ change: MessageStateChange) async -> GatewayStateChange {
        GatewayStateChange(
            messageID: change.messageID.description, conversationID: change.conversationID.description,
            recipient: delivery(await party(change.recipientID), change.state))
    }

    private func delivery(_ party: GatewayParty, _ state: DeliveryState) -> GatewayDelivery {
        let reason: FailureReason? = if case .failed(let reason) = state { reason } else { nil }
        return GatewayDelivery(id: party.id, name: party.name, state: state.name, reason: reason?.rawValue)
    }

    private func party(_ userID: UserID) async -> GatewayParty {
        let name = userID == node.userID ? node.name : await node.users.user(userID)?.name
        return GatewayParty(id: userID.description, name: name?.text)
    }
}

extension GatewayConflict {
    fileprivate init(_ conflict: IdentityConflict) {
        name = conflict.name.text
        pinnedID = conflict.pinnedID.description
        claimedBy = conflict.claimedBy.description
    }
}
