import Earshot
import EarshotModel
import EarshotProtocol

/// One event of each name, and the sequence that gives it.
struct EventSamples {
    /// Of every name but `eventsLost`, which no node posts.
    let all: [Event]

    init() throws {
        let userID = UserID(Bytes32())
        let record = UserRecord(
            userID: userID, name: try UserName("bob"), trust: .unverified, isPinned: false, firstSeen: 0, lastSeen: 0)
        let user = User(record, conflictingID: nil, isOnline: true)
        let log = LogDescription(conversationID: .direct(userID, userID), deviceID: DeviceID(Bytes32()), epoch: 1).logID
        let messageID = MessageID(log: log, sequence: 1)
        let message = Message(
            MessageContent("hello"), messageID: messageID, conversationID: .direct(userID, userID), senderID: userID,
            recipientIDs: [userID], timestamp: HybridTimestamp(milliseconds: 0), expiry: 0, states: [:])
        let change = MessageStateChange(
            messageID: messageID, conversationID: message.conversationID, recipientID: userID, state: .sent)
        let typing = Typing(conversationID: message.conversationID, userID: userID)
        let draft = DraftChange(
            draftID: DraftID(EntryKey(high: 0, low: 1)), conversationID: message.conversationID, insertedBy: "quotes")
        let notice = CredentialNotice(notBefore: 0, notAfter: 1)
        all = [
            .nodeStateChanged(.open), .messageQueued(message), .messageReceived(message), .messageSent(change),
            .messageDelivered(change), .messageHandled(change), .messageRead(change), .messageFailed(change),
            .messageUpdated(
                MessageUpdate(
                    messageID: messageID, conversationID: message.conversationID, userID: userID, change: .text)),
            .conversationUpdated(
                ConversationUpdate(
                    conversationID: message.conversationID, kind: .open, uniqueName: "ops", status: .joined,
                    changes: [.status])),
            .participantUpdated(
                ParticipantUpdate(
                    conversationID: message.conversationID,
                    participant: Participant(
                        userID: userID, role: .participant, status: .joined, since: message.timestamp))),
            .draftInserted(draft), .draftUpdated(draft), .draftSent(draft), .draftDiscarded(draft),
            .conversationAdvertised(
                AdvertisedConversation(
                    conversationID: message.conversationID, uniqueName: "ops", userIDs: [userID])),
            .typingStarted(typing), .typingEnded(typing), .userDiscovered(user),
            .userUpdated(user, changes: [.name]), .profileUpdated, .userSubscribed(userID), .userUnsubscribed(userID),
            .fileUpdated(FileUpdate(FileID(Bytes32()), byteCount: 0, .held)),
            .identityConflict(IdentityConflict(name: user.name, pinnedID: userID, claimedBy: userID)),
            .deviceRevoked(RevokedDevice(userID: userID, deviceID: DeviceID(userID.bytes32))),
            .linkFailed(LinkFailure(address: "", userID: nil, code: "", message: "")),
            .clockSkewed(ClockSkew(userID: userID, ahead: 0)), .otherNetworkSeen(OtherNetwork(tag: nil)),
            .credentialWillExpire(notice), .credentialExpired(notice), .credentialRenewed(notice),
            .credentialNotYetValid(notice), .storageFailed("full"), .storageRecovered,
            .historyRecovered(HistoryRecovery(userID: userID, count: 0, renamed: [])),
            .discoveryUnavailable(source: "", reason: ""), .discoveryAvailable(source: ""),
        ]
    }

    /// - Returns: a way to count what the sequence of a name has given when it ends.
    func countingSequence(of name: EventName, on bus: EventBus) -> () async -> Int {
        switch name {
        case .nodeStateChanged: counting(bus, .nodeStateChanged)
        case .messageQueued: counting(bus, .messageQueued)
        case .messageReceived: counting(bus, .messageReceived)
        case .messageSent: counting(bus, .messageSent)
        case .messageDelivered: counting(bus, .messageDelivered)
        case .messageHandled: counting(bus, .messageHandled)
        case .messageRead: counting(bus, .messageRead)
        case .messageFailed: counting(bus, .messageFailed)
        case .typingStarted: counting(bus, .typingStarted)
        case .typingEnded: counting(bus, .typingEnded)
        case .messageUpdated: counting(bus, .messageUpdated)
        case .conversationUpdated: counting(bus, .conversationUpdated)
        case .participantUpdated: counting(bus, .participantUpdated)
        case .conversationAdvertised: counting(bus, .conversationAdvertised)
        case .draftInserted: counting(bus, .draftInserted)
        case .draftUpdated: counting(bus, .draftUpdated)
        case .draftSent: counting(bus, .draftSent)
        case .draftDiscarded: counting(bus, .draftDiscarded)
        case .profileUpdated: counting(bus, .profileUpdated)
        case .fileUpdated: counting(bus, .fileUpdated)
        case .userDiscovered: counting(bus, .userDiscovered)
        case .userUpdated: counting(bus, .userUpdated)
        case .userSubscribed: counting(bus, .userSubscribed)
        case .userUnsubscribed: counting(bus, .userUnsubscribed)
        case .identityConflict: counting(bus, .identityConflict)
        case .deviceRevoked: counting(bus, .deviceRevoked)
        case .linkFailed: counting(bus, .linkFailed)
        case .clockSkewed: counting(bus, .clockSkewed)
        case .otherNetworkSeen: counting(bus, .otherNetworkSeen)
        case .credentialWillExpire: counting(bus, .credentialWillExpire)
        case .credentialExpired: counting(bus, .credentialExpired)
        case .credentialRenewed: counting(bus, .credentialRenewed)
        case .credentialNotYetValid: counting(bus, .credentialNotYetValid)
        case .storageFailed: counting(bus, .storageFailed)
        case .storageRecovered: counting(bus, .storageRecovered)
        case .historyRecovered: counting(bus, .historyRecovered)
        case .discoveryUnavailable: counting(bus, .discoveryUnavailable)
        case .discoveryAvailable: counting(bus, .discoveryAvailable)
        case .eventsLost: counting(bus, .eventsLost)
        }
    }

    private func counting<Payload>(_ bus: EventBus, _ kind: EventKind<Payload>) -> () async -> Int {
        let events = bus.events(kind)
        return {
            var count = 0
            for await _ in events { count += 1 }
            return count
        }
    }
}
