/// The events that a sequence gives, and the payload of each. There is a kind for every `EventName`, and some kinds for
/// several.
///
/// Where events were lost because nobody took them in time, a sequence of `.all` or `.named` gives `Event.eventsLost` in
/// their place, and one of any other kind throws (`EventSequence`).
public struct EventKind<Payload: Sendable>: Sendable {
    let names: Set<EventName>
    let extract: @Sendable (Event) -> Payload?

    init(_ names: Set<EventName>, extract: @escaping @Sendable (Event) -> Payload?) {
        self.names = names
        self.extract = extract
    }
}

extension EventKind where Payload == Event {
    /// All events.
    public static var all: Self { .named(Set(EventName.allCases)) }

    /// The events of these names, and reports of lost ones.
    public static func named(_ names: Set<EventName>) -> Self { Self(names.union([.eventsLost])) { $0 } }
}

extension EventKind where Payload == NodeState {
    public static var nodeStateChanged: Self {
        Self([.nodeStateChanged]) { if case .nodeStateChanged(let state) = $0 { state } else { nil } }
    }
}

extension EventKind where Payload == Message {
    public static var messageQueued: Self {
        Self([.messageQueued]) { if case .messageQueued(let message) = $0 { message } else { nil } }
    }

    public static var messageReceived: Self {
        Self([.messageReceived]) { if case .messageReceived(let message) = $0 { message } else { nil } }
    }
}

extension EventKind where Payload == MessageStateChange {
    public static var messageSent: Self { states([.messageSent]) }
    public static var messageDelivered: Self { states([.messageDelivered]) }
    public static var messageHandled: Self { states([.messageHandled]) }
    public static var messageRead: Self { states([.messageRead]) }
    public static var messageFailed: Self { states([.messageFailed]) }

    /// Every change of state of this node's own messages.
    public static var messageState: Self {
        states([.messageSent, .messageDelivered, .messageHandled, .messageRead, .messageFailed])
    }

    private static func states(_ names: Set<EventName>) -> Self {
        Self(names) { $0.stateChange }
    }
}

extension Event {
    /// A change of state of one of this node's own messages.
    var stateChange: MessageStateChange? {
        switch self {
        case .messageSent(let change), .messageDelivered(let change), .messageHandled(let change),
            .messageRead(let change), .messageFailed(let change):
            change
        default: nil
        }
    }
}

extension EventKind where Payload == Typing {
    public static var typingStarted: Self {
        Self([.typingStarted]) { if case .typingStarted(let typing) = $0 { typing } else { nil } }
    }

    public static var typingEnded: Self {
        Self([.typingEnded]) { if case .typingEnded(let typing) = $0 { typing } else { nil } }
    }
}

extension EventKind where Payload == MessageUpdate {
    public static var messageUpdated: Self {
        Self([.messageUpdated]) { if case .messageUpdated(let update) = $0 { update } else { nil } }
    }
}

extension EventKind where Payload == ConversationUpdate {
    public static var conversationUpdated: Self {
        Self([.conversationUpdated]) { if case .conversationUpdated(let update) = $0 { update } else { nil } }
    }
}

extension EventKind where Payload == ParticipantUpdate {
    public static var participantUpdated: Self {
        Self([.participantUpdated]) { if case .participantUpdated(let update) = $0 { update } else { nil } }
    }
}

extension EventKind where Payload == DraftChange {
    public static var draftInserted: Self {
        Self([.draftInserted]) { if case .draftInserted(let change) = $0 { change } else { nil } }
    }

    public static var draftUpdated: Self {
        Self([.draftUpdated]) { if case .draftUpdated(let change) = $0 { change } else { nil } }
    }

    public static var draftSent: Self {
        Self([.draftSent]) { if case .draftSent(let change) = $0 { change } else { nil } }
    }

    public static var draftDiscarded: Self {
        Self([.draftDiscarded]) { if case .draftDiscarded(let change) = $0 { change } else { nil } }
    }
}

extension EventKind where Payload == AdvertisedConversation {
    public static var conversationAdvertised: Self {
        Self([.conversationAdvertised]) {
            if case .conversationAdvertised(let conversation) = $0 { conversation } else { nil }
        }
    }
}

extension EventKind where Payload == FileUpdate {
    public static var fileUpdated: Self {
        Self([.fileUpdated]) { if case .fileUpdated(let update) = $0 { update } else { nil } }
    }
}

extension EventKind where Payload == User {
    public static var userDiscovered: Self {
        Self([.userDiscovered]) { if case .userDiscovered(let user) = $0 { user } else { nil } }
    }
}

extension EventKind where Payload == UserID {
    public static var userSubscribed: Self {
        Self([.userSubscribed]) { if case .userSubscribed(let userID) = $0 { userID } else { nil } }
    }

    public static var userUnsubscribed: Self {
        Self([.userUnsubscribed]) { if case .userUnsubscribed(let userID) = $0 { userID } else { nil } }
    }
}

extension EventKind where Payload == IdentityConflict {
    public static var identityConflict: Self {
        Self([.identityConflict]) { if case .identityConflict(let conflict) = $0 { conflict } else { nil } }
    }
}

extension EventKind where Payload == LinkFailure {
    public static var linkFailed: Self {
        Self([.linkFailed]) { if case .linkFailed(let failure) = $0 { failure } else { nil } }
    }
}

extension EventKind where Payload == ClockSkew {
    public static var clockSkewed: Self {
        Self([.clockSkewed]) { if case .clockSkewed(let skew) = $0 { skew } else { nil } }
    }
}

extension EventKind where Payload == ClockChange {
    public static var clockSet: Self {
        Self([.clockSet]) { if case .clockSet(let change) = $0 { change } else { nil } }
    }
}

extension EventKind where Payload == CredentialNotice {
    public static var credentialWillExpire: Self { notices([.credentialWillExpire]) }
    public static var credentialExpired: Self { notices([.credentialExpired]) }
    public static var credentialRenewed: Self { notices([.credentialRenewed]) }
    public static var credentialNotYetValid: Self { notices([.credentialNotYetValid]) }

    private static func notices(_ names: Set<EventName>) -> Self {
        Self(names) { event in
            switch event {
            case .credentialWillExpire(let notice), .credentialExpired(let notice), .credentialRenewed(let notice),
                .credentialNotYetValid(let notice):
                notice
            default: nil
            }
        }
    }
}

extension EventKind where Payload == RevokedDevice {
    public static var deviceRevoked: Self {
        Self([.deviceRevoked]) { if case .deviceRevoked(let device) = $0 { device } else { nil } }
    }
}

extension EventKind where Payload == DeviceCopy {
    public static var deviceCopied: Self {
        Self([.deviceCopied]) { if case .deviceCopied(let copy) = $0 { copy } else { nil } }
    }
}

extension EventKind where Payload == OtherNetwork {
    public static var otherNetworkSeen: Self {
        Self([.otherNetworkSeen]) { if case .otherNetworkSeen(let network) = $0 { network } else { nil } }
    }
}

extension EventKind where Payload == String {
    /// Gives the reason.
    public static var storageFailed: Self {
        Self([.storageFailed]) { if case .storageFailed(let reason) = $0 { reason } else { nil } }
    }

    /// Gives the discovery source that now works.
    public static var discoveryAvailable: Self {
        Self([.discoveryAvailable]) { if case .discoveryAvailable(let source) = $0 { source } else { nil } }
    }
}

extension EventKind where Payload == Void {
    public static var profileUpdated: Self {
        Self([.profileUpdated]) { if case .profileUpdated = $0 { () } else { nil } }
    }

    public static var storageRecovered: Self {
        Self([.storageRecovered]) { if case .storageRecovered = $0 { () } else { nil } }
    }
}

extension EventKind where Payload == (source: String, reason: String) {
    public static var discoveryUnavailable: Self {
        Self([.discoveryUnavailable]) {
            if case .discoveryUnavailable(let source, let reason) = $0 { (source, reason) } else { nil }
        }
    }
}

extension EventKind where Payload == Int {
    /// Gives how many events an observer of the node has lost, whichever observer it was.
    public static var eventsLost: Self {
        Self([.eventsLost]) { if case .eventsLost(let count) = $0 { count } else { nil } }
    }
}

extension EventKind where Payload == HistoryRecovery {
    public static var historyRecovered: Self {
        Self([.historyRecovered]) { if case .historyRecovered(let recovery) = $0 { recovery } else { nil } }
    }
}

extension EventKind where Payload == (User, changes: Set<UserChange>) {
    public static var userUpdated: Self {
        Self([.userUpdated]) { if case .userUpdated(let user, let changes) = $0 { (user, changes) } else { nil } }
    }
}

/// The events of one kind, in the order in which they were posted. The sequence ends when the node stops, or when the task
/// that iterates it is cancelled.
///
/// Nothing is missing without a word. If its buffer had no room for some events, iterating throws `EarshotError`
/// `eventsLost` in their place; whoever goes on, with the same iterator or another, gets those that followed. A second
/// task that iterates while another waits gets `sequenceBusy`.
public struct EventSequence<Payload: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Payload
    public typealias Failure = EarshotError

    let mailbox: EventMailbox
    /// Takes the mailbox off the bus when the last copy of the sequence is released.
    let token: EventObserverToken
    let extract: @Sendable (Event) -> Payload?

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let sequence: EventSequence

        /// - Throws: `EarshotError` `eventsLost`, `sequenceBusy`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(EarshotError) -> Payload? {
            while let event = try await sequence.mailbox.next() {
                if let payload = sequence.extract(event) { return payload }
                if case .eventsLost(let count) = event {
                    throw EarshotError(
                        .eventsLost, "\(count) events were lost, because they were not taken in time")
                }
            }
            return nil
        }

        /// - Throws: `EarshotError` `eventsLost`, `sequenceBusy`.
        public mutating func next() async throws(EarshotError) -> Payload? { try await next(isolation: nil) }
    }
}
