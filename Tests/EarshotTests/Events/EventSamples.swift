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
            recipientIDs: [userID], timestamp: HybridTimestamp(milliseconds: 0), expiry: 0, states: [:],
            notes: LocalNotes(isOwn: true))
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
            .clockSkewed(ClockSkew(userID: userID, ahead: 0)), .clockSet(ClockChange(forward: 0)),
            .otherNetworkSeen(OtherNetwork(tag: nil)),
            .deviceCopied(DeviceCopy(addresses: [])),
            .credentialWillExpire(notice), .credentialExpired(notice), .credentialRenewed(notice),
            .credentialNotYetValid(notice), .storageFailed("full"), .storageRecovered,
            .historyRecovered(HistoryRecovery(userID: userID, count: 0, renamed: [])),
            .discoveryUnavailable(source: "", reason: ""), .discoveryAvailable(source: ""),
        ]
    }

    /// - Returns: a way to count what the sequence of a name has given when it ends.
    func countingSequence(
        of name: EventName, on bus: EventBus, bufferLimit limit: Int = 64
    ) -> () async throws -> Int {
        switch name {
        case .nodeStateChanged: counting(bus, limit, .nodeStateChanged)
        case .messageQueued: counting(bus, limit, .messageQueued)
        case .messageReceived: counting(bus, limit, .messageReceived)
        case .messageSent: counting(bus, limit, .messageSent)
        case .messageDelivered: counting(bus, limit, .messageDelivered)
        case .messageHandled: counting(bus, limit, .messageHandled)
        case .messageRead: counting(bus, limit, .messageRead)
        case .messageFailed: counting(bus, limit, .messageFailed)
        case .typingStarted: counting(bus, limit, .typingStarted)
        case .typingEnded: counting(bus, limit, .typingEnded)
        case .messageUpdated: counting(bus, limit, .messageUpdated)
        case .conversationUpdated: counting(bus, limit, .conversationUpdated)
        case .participantUpdated: counting(bus, limit, .participantUpdated)
        case .conversationAdvertised: counting(bus, limit, .conversationAdvertised)
        case .draftInserted: counting(bus, limit, .draftInserted)
        case .draftUpdated: counting(bus, limit, .draftUpdated)
        case .draftSent: counting(bus, limit, .draftSent)
        case .draftDiscarded: counting(bus, limit, .draftDiscarded)
        case .profileUpdated: counting(bus, limit, .profileUpdated)
        case .fileUpdated: counting(bus, limit, .fileUpdated)
        case .userDiscovered: counting(bus, limit, .userDiscovered)
        case .userUpdated: counting(bus, limit, .userUpdated)
        case .userSubscribed: counting(bus, limit, .userSubscribed)
        case .userUnsubscribed: counting(bus, limit, .userUnsubscribed)
        case .identityConflict: counting(bus, limit, .identityConflict)
        case .deviceRevoked: counting(bus, limit, .deviceRevoked)
        case .linkFailed: counting(bus, limit, .linkFailed)
        case .clockSkewed: counting(bus, limit, .clockSkewed)
        case .clockSet: counting(bus, limit, .clockSet)
        case .otherNetworkSeen: counting(bus, limit, .otherNetworkSeen)
        case .deviceCopied: counting(bus, limit, .deviceCopied)
        case .credentialWillExpire: counting(bus, limit, .credentialWillExpire)
        case .credentialExpired: counting(bus, limit, .credentialExpired)
        case .credentialRenewed: counting(bus, limit, .credentialRenewed)
        case .credentialNotYetValid: counting(bus, limit, .credentialNotYetValid)
        case .storageFailed: counting(bus, limit, .storageFailed)
        case .storageRecovered: counting(bus, limit, .storageRecovered)
        case .historyRecovered: counting(bus, limit, .historyRecovered)
        case .discoveryUnavailable: counting(bus, limit, .discoveryUnavailable)
        case .discoveryAvailable: counting(bus, limit, .discoveryAvailable)
        case .eventsLost: counting(bus, limit, .eventsLost)
        }
    }

    private func counting<Payload>(
        _ bus: EventBus, _ limit: Int, _ kind: EventKind<Payload>
    ) -> () async throws -> Int {
        let events = bus.events(kind, bufferLimit: limit)
        return {
            var count = 0
            for try await _ in events { count += 1 }
            return count
        }
    }
}
