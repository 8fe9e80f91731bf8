/// Walks through a conversation's history, message by message.
extension Conversation {
    /// All messages of the history, each once, page after page.
    ///
    /// What comes while the history is being read is given too if it stands after the message that was given last: in
    /// the order of arrival, that is everything.
    /// - Parameter order: by default the time of writing.
    public func messages(_ order: Order = .time) -> ConversationMessages {
        ConversationMessages(conversation: self, order: order, start: nil, isLive: false)
    }

    /// The history in the order of arrival, and then each message as it comes, one's own among them, until the node has
    /// stopped.
    ///
    /// A message whose content comes later than its place (in a group, from a participant who had it without) is given
    /// only if its place is after the one that was given last.
    public func feed() -> ConversationMessages {
        ConversationMessages(conversation: self, order: .arrival, start: nil, isLive: true)
    }

    /// What reached this node's disk after a message, and then each message as it comes: a program that remembers the last
    /// message that it has dealt with misses none and gets none twice, however long it was away.
    /// - Parameter messageID: the last message that the program knows, from a feed or from a page in the order of arrival.
    ///   Read one that was stored as a text with `MessageID(parsing:)`, which throws where it was damaged.
    public func feed(after messageID: MessageID) -> ConversationMessages {
        ConversationMessages(conversation: self, order: .arrival, start: messageID, isLive: true)
    }
}

/// Messages of a conversation. Each iterator goes through all of them.
///
/// Iterating throws `EarshotError` `unknownMessage` if the message that it begins after is not in the conversation,
/// `storeDamaged` or `storeUnavailable`. It ends when the task is cancelled, and a feed when the node has stopped.
public struct ConversationMessages: AsyncSequence, Sendable {
    public typealias Element = Message
    public typealias Failure = EarshotError

    let conversation: Conversation
    let order: Conversation.Order
    let start: MessageID?
    let isLive: Bool

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private let sequence: ConversationMessages
        private var last: MessageID?
        private var page: ArraySlice<Message> = []
        /// Observed since before the first read, so that nothing comes unnoticed between a read and the wait; `nil` where
        /// nothing is waited for.
        private var growth: AsyncStream<Void>.AsyncIterator?

        init(_ sequence: ConversationMessages) {
            self.sequence = sequence
            last = sequence.start
            guard sequence.isLive else { return }
            growth = sequence.conversation.node.events.contents.waiter().signals.makeAsyncIterator()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(EarshotError) -> Message? {
            while !Task.isCancelled {
                if let message = page.popFirst() {
                    last = message.messageID
                    return message
                }
                page = try await sequence.conversation.history(
                    last.map(Conversation.Page.after) ?? .first, order: sequence.order, limit: Limits.walkedPage)[...]
                if page.isEmpty, await growth?.next(isolation: actor) == nil {
                    // What was written before the node stopped is there, too.
                    guard growth != nil else { return nil }
                    growth = nil
                }
            }
            return nil
        }

        public mutating func next() async throws(EarshotError) -> Message? { try await next(isolation: nil) }
    }
}

extension Limits {
    /// Messages that a walk through a history reads at once.
    static let walkedPage = 200
}
