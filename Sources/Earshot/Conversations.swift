import EarshotProtocol
import EarshotStore
import Logging

/// The conversations of a node's user.
public struct Conversations: Sendable {
    let node: Node

    /// The conversation with one other user.
    public func direct(with userID: UserID) -> Conversation {
        Conversation(conversationID: .direct(node.userID, userID), form: .direct(with: userID), node: node)
    }
}

/// A conversation of two users, or of many.
public struct Conversation: Sendable, Identifiable {
    enum Form: Hashable, Sendable {
        case direct(with: UserID)
        case open(uniqueName: String)
        case `private`(uniqueName: String)
    }

    public let conversationID: ConversationID
    let form: Form
    let node: Node

    public var id: ConversationID { conversationID }

    /// How it gets its participants.
    public var kind: ConversationKind {
        switch form {
        case .direct: .direct
        case .open: .open
        case .private: .private
        }
    }

    /// The other user of a direct conversation; this node's own user where it is the one with themselves.
    public var peerID: UserID? { if case .direct(let userID) = form { userID } else { nil } }

    /// What a conversation of many is found by, without the `#`; `nil` for a direct one.
    public var uniqueName: String? {
        switch form {
        case .direct: nil
        case .open(let name), .private(let name): name
        }
    }

    /// Whether the conversation's name means the same one on every other network without a network key.
    public var isNameShared: Bool { kind == .open && node.networkTag == nil }

    package var destination: Destination {
        switch form {
        case .direct(let userID): .user(userID)
        case .open, .private: .conversation(conversationID)
        }
    }

    /// A part of a history.
    public enum Page: Sendable, Hashable {
        /// The first messages.
        case first
        /// The last messages.
        case latest
        /// The messages just before this one.
        case before(MessageID)
        /// The messages just after this one.
        case after(MessageID)

        fileprivate var messageID: MessageID? {
            switch self {
            case .first, .latest: nil
            case .before(let messageID), .after(let messageID): messageID
            }
        }
    }

    /// The order in which a history is read.
    public enum Order: Sendable, Hashable {
        /// The time of writing, by the authors' clocks. Two users who hold the same messages see the same order. A
        /// message that was long on its way stands among those of its time.
        case time
        /// The order in which messages reached this node's disk. A message that was long on its way comes last, so a
        /// reader who continues after the last one that they got in this order misses none.
        case arrival
    }

    /// Reads a page of the history, ascending and without duplicates.
    ///
    /// Whoever goes from page to page keeps to one order: in the other one the next page may repeat messages and leave
    /// others out. `messages(_:)` goes through all of them, and `feed(after:)` goes on with those that come.
    ///
    /// - Parameters:
    ///   - page: the part to read; by default the last messages.
    ///   - order: the order of the whole history, from which the page is a part.
    ///   - limit: 1 to `Limits.historyPage`.
    ///   - includingBlocked: what blocked users wrote in a group, too, which is hidden elsewhere.
    /// - Throws: `EarshotError` `unknownMessage` if the page names a message that is not in this conversation;
    ///   `invalidLimit` if the limit is out of range; `storeDamaged`, `storeUnavailable`.
    public func history(
        _ page: Page = .latest, order: Order = .time, limit: Int = 50, includingBlocked: Bool = false
    ) async throws(EarshotError) -> [Message] {
        try Self.checkPage(limit)
        let (store, conversationID) = (node.store, self.conversationID)
        let (bound, order) = (HistoryBound(page), HistoryOrder(order))
        let rows = try await node.readStore { () throws(StoreError) in
            try store.history(
                of: conversationID, bound, order: order, limit: limit, includingHidden: includingBlocked)
        }
        guard let rows else {
            throw EarshotError(
                .unknownMessage, "the message that the page begins or ends at is not in this conversation",
                .init(messageID: page.messageID))
        }
        return rows.compactMap { Message($0, for: node.userID) }
    }

    /// - Throws: `EarshotError` `invalidLimit`.
    static func checkPage(_ limit: Int) throws(EarshotError) {
        guard (1...Limits.historyPage).contains(limit) else {
            throw EarshotError(
                .invalidLimit, "a page of history has 1 to \(Limits.historyPage) messages, and not \(limit)",
                .init(limit: Limits.historyPage))
        }
    }

    /// Sends a text to the other participants; see `Messages.send`.
    @discardableResult
    public func send(_ text: String, headers: [String: String] = [:]) async throws(EarshotError) -> Message {
        try await node.messages.send(text, headers: headers, to: self)
    }

    /// Tells the linked participants that this node's user types, or has stopped (`Event.typingStarted`). It may be called
    /// at each key.
    ///
    /// They show it for 10 s: while the user goes on, say it again at least every 5 s. A message that is sent ends it.
    /// Nothing of it is stored, and nobody who is away hears of it later.
    /// - Throws: `EarshotError` `stopped`; for a direct conversation `blocked`, `identityConflict`, `notAdmitted`, and
    ///   `invalidMessage` if it is the one with oneself; for a conversation of many `notJoined`.
    public func setTyping(_ isTyping: Bool = true) async throws(EarshotError) {
        do { try await node.shell.setTyping(isTyping, in: conversationID, with: peerID) } catch {
            throw error.about(destination)
        }
    }

    /// Says that this node's user types, for as long as some work takes.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws. Whether somebody could be told makes no difference to it.
    public func typing<Result: Sendable>(
        while work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                while true {
                    do { try await setTyping() } catch {
                        node.configuration.logger.debug("nobody is told who types", metadata: ["error": "\(error)"])
                    }
                    do {
                        try await node.environment.clock.sleep(milliseconds: Timing.typingRepeat)
                    } catch { return nil }
                }
            }
            group.addTask { try await work() }
            defer { group.cancelAll() }
            while let next = try await group.next() {
                if let result = next { return result }
            }
            throw CancellationError()
        }
    }
}

extension HistoryBound {
    fileprivate init(_ page: Conversation.Page) {
        self =
            switch page {
            case .first: .first
            case .latest: .latest
            case .before(let messageID): .before(messageID)
            case .after(let messageID): .after(messageID)
            }
    }
}

extension HistoryOrder {
    fileprivate init(_ order: Conversation.Order) {
        self =
            switch order {
            case .time: .time
            case .arrival: .arrival
            }
    }
}
