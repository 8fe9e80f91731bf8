import NIOCore

/// What becomes of a message.
extension Messages {
    /// The states of a message of this node's user: what is so for each recipient, and then each change.
    ///
    /// It does not matter when it is asked for: a state that was reached before comes first, and none comes twice. The
    /// sequence ends when nothing more can follow for any recipient (it was read, or will not be delivered), or when the
    /// node has stopped. Where the node takes back its log from a peer and the message has a new id, the sequence goes on
    /// with that, which the changes name. A note to oneself has no recipients: its sequence ends at once.
    /// - Parameter messageID: the message.
    public func states(of messageID: MessageID) -> DeliveryStates {
        DeliveryStates(messages: self, messageID: messageID)
    }

    /// Waits until a message has reached a state for all of its recipients.
    ///
    /// - Parameters:
    ///   - state: `sent`, `delivered`, `handled` or `read`. A later state includes the earlier ones, but for these: a message
    ///     that was read need not have been handled, nor the other way about.
    ///   - messageID: a message of this node's user. One without recipients, a note to oneself, has reached every state.
    ///   - timeout: by the node's clock; without it, as long as it takes.
    /// - Returns: the message as it is then.
    /// - Throws: `EarshotError` `timedOut`; `notDelivered` if the message will not be delivered to one of its recipients,
    ///   with `parameters.userID`; `stopped` if the node stopped first; `cancelled` if the task was; `unknownMessage`,
    ///   `notAuthor` for a message of somebody else; `storeDamaged`, `storeUnavailable`.
    @discardableResult
    public func wait(
        for state: DeliveryState, of messageID: MessageID, timeout: Duration? = nil
    ) async throws(EarshotError) -> Message {
        let states = states(of: messageID).makeStates()
        let timer = timeout.map { timeout in
            let clock = node.environment.clock
            return clock.schedule(at: clock.uptime(after: timeout), on: node.shell.loop) { states.end() }
        }
        defer { timer?.cancel() }
        while true {
            let message = try await message(states.messageID)
            if try Self.hasReached(state, message) { return message }
            guard try await states.next() != nil else { break }
        }
        // It may have reached it with the last word.
        let message = try await message(states.messageID)
        if try Self.hasReached(state, message) { return message }
        if Task.isCancelled { throw EarshotError(.cancelled, "the wait was cancelled", .init(messageID: messageID)) }
        guard node.state != .stopped else {
            let failure = await node.shell.failure
            let reason = failure.map { ": \($0.message)" } ?? ""
            throw EarshotError(
                .stopped, "the node stopped before the message was \(state.name)\(reason)", .init(messageID: messageID),
                cause: failure)
        }
        let isDelivered = message.states.values.allSatisfy(\.isDelivered)
        throw EarshotError(
            .timedOut, "the message was not \(state.name) in time; it \(isDelivered ? "is delivered" : "stays queued")",
            .init(messageID: messageID))
    }

    /// - Throws: `EarshotError` `notDelivered` if it never will.
    private static func hasReached(_ goal: DeliveryState, _ message: Message) throws(EarshotError) -> Bool {
        try checkAuthor(message)
        for (recipientID, state) in message.states {
            guard case .failed(let reason) = state, state != goal else { continue }
            throw EarshotError(
                .notDelivered, "the message will not be delivered: \(reason.rawValue)",
                .init(userID: recipientID, messageID: message.messageID))
        }
        return message.states.allSatisfy { recipientID, state in
            state.hasReached(goal) || goal == .handled && message.times(for: recipientID).handled != nil
        }
    }
}

extension Messages {
    /// - Throws: `EarshotError` `notAuthor` for a message of somebody else: nobody tells this node what becomes of it.
    fileprivate static func checkAuthor(_ message: Message) throws(EarshotError) {
        guard !message.isOwn else { return }
        throw EarshotError(
            .notAuthor, "the message \(message.messageID) was written by somebody else, who alone hears of its states",
            .init(messageID: message.messageID))
    }
}

extension DeliveryState {
    /// Whether a message in this state has been in another one.
    fileprivate func hasReached(_ goal: DeliveryState) -> Bool {
        switch goal {
        case .queued: true
        case .sent: self == .sent || isDelivered
        case .delivered: isDelivered
        case .handled: self == .handled
        case .read: self == .read
        case .failed: self == goal
        }
    }

    /// Whether a message goes from another state to this one.
    fileprivate func follows(_ other: DeliveryState) -> Bool {
        switch (other, self) {
        // A late receipt is proof.
        case (.failed, _): isDelivered
        case (_, .failed): !other.isDelivered
        default: rank > other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .queued: 0
        case .sent: 1
        case .delivered: 2
        case .handled: 3
        case .read: 4
        case .failed: 5
        }
    }

    /// Whether another state may follow.
    fileprivate var isFinal: Bool {
        switch self {
        case .read: true
        case .failed(let reason): reason != .expired
        case .queued, .sent, .delivered, .handled: false
        }
    }
}

/// The states of a message. Each iterator goes through all of them.
///
/// Iterating throws `EarshotError` `unknownMessage`, `notAuthor` for a message of somebody else, `sequenceBusy`,
/// `storeDamaged` or `storeUnavailable`. It loses no state: where events were lost, it looks at the message again.
public struct DeliveryStates: AsyncSequence, Sendable {
    public typealias Element = MessageStateChange
    public typealias Failure = EarshotError

    let messages: Messages
    let messageID: MessageID

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Observes the message from now on.
    func makeStates() -> StateSignal {
        let message = FollowedMessage(messageID)
        return StateSignal(message: message, events: messages.node.events.states(of: message))
    }

    /// Says when there may be news of a message.
    struct StateSignal: Sendable {
        enum News {
            case change(MessageStateChange)
            /// There may have been changes.
            case lost
        }

        let message: FollowedMessage
        let events: EventSequence<Event>

        /// The id that the message has now.
        var messageID: MessageID { message.id }

        /// Waits for what may be news.
        /// - Returns: `nil` at the end.
        /// - Throws: `EarshotError` `sequenceBusy`.
        func next() async throws(EarshotError) -> News? {
            var iterator = events.makeAsyncIterator()
            guard let event = try await iterator.next() else { return nil }
            return event.stateChange.map(News.change) ?? .lost
        }

        /// There is no more news.
        func end() { events.token.remove() }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Stage {
            /// Nobody has looked at the message yet.
            case new
            case following
            /// Nothing more follows.
            case over
        }

        private let sequence: DeliveryStates
        private let signal: StateSignal
        private var told: [UserID: DeliveryState] = [:]
        private var changes: ArraySlice<MessageStateChange> = []
        private var stage = Stage.new

        init(_ sequence: DeliveryStates) {
            self.sequence = sequence
            signal = sequence.makeStates()
        }

        /// - Throws: `EarshotError`; see `DeliveryStates`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(EarshotError) -> MessageStateChange? {
            while !Task.isCancelled {
                if let change = changes.popFirst() { return change }
                switch stage {
                case .new:
                    stage = .following
                    try await look(actor)
                case .following:
                    switch try await signal.next() {
                    case .change(let change): tell(change)
                    case .lost: try await look(actor)
                    case nil:
                        stage = .over
                        try await look(actor)
                    }
                case .over: return nil
                }
                if told.values.allSatisfy(\.isFinal) {
                    stage = .over
                    signal.end()
                }
            }
            return nil
        }

        /// - Throws: `EarshotError`; see `DeliveryStates`.
        public mutating func next() async throws(EarshotError) -> MessageStateChange? {
            try await next(isolation: nil)
        }

        /// Notes what is so for each recipient.
        private mutating func look(_ actor: isolated (any Actor)?) async throws(EarshotError) {
            let message = try await sequence.messages.message(signal.messageID)
            try Messages.checkAuthor(message)
            for recipientID in message.recipientIDs {
                guard let state = message.states[recipientID] else { continue }
                tell(
                    MessageStateChange(
                        messageID: message.messageID, conversationID: message.conversationID,
                        recipientID: recipientID, state: state))
            }
        }

        private mutating func tell(_ change: MessageStateChange) {
            if let last = told[change.recipientID], !change.state.follows(last) { return }
            told[change.recipientID] = change.state
            changes.append(change)
        }
    }
}
