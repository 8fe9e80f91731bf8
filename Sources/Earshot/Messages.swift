import EarshotProtocol
import EarshotStore

/// Sends messages, and reports their states.
public struct Messages: Sendable {
    let node: Node
    /// The token of the program that sends, by name: its keys are its own. `nil` for the owner's own programs.
    private(set) var token: String?

    init(node: Node) { self.node = node }

    /// The same for a program that shows a token.
    /// - Parameter token: its name; `nil` for the owner's own programs.
    package func of(token: String?) -> Messages {
        var messages = self
        messages.token = token
        return messages
    }

    /// A key that the program gives.
    func key(_ text: String) -> IdempotencyKey { IdempotencyKey(text, of: token) }

    /// Sends a text. It returns when the message is on this node's disk; from then on it is never lost.
    ///
    /// The recipient need not have been met: a message to a key waits until its user is here.
    /// - Parameters:
    ///   - text: the text.
    ///   - headers: see `MessageDraft.headers`.
    ///   - recipientID: the recipient.
    ///   - idempotencyKey: names this message, for as long as the message is kept: whoever sends it again with the same
    ///     key gets the same answer, and nothing is sent. At most `Limits.idempotencyKeyBytes` of UTF-8.
    /// - Throws: `EarshotError`: `invalidMessage`, `identityConflict`, `notAdmitted`, `blocked`, `overloaded`, `storeFull`,
    ///   `storeUnavailable`, `stopped`; `deviceRevoked` on a device that its user has revoked; `keyReused` if the key belongs
    ///   to another message. In each case nothing was accepted.
    @discardableResult
    public func send(
        _ text: String, headers: [String: String] = [:], to recipientID: UserID, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        try await send(MessageDraft(text, headers: headers), to: recipientID, idempotencyKey: idempotencyKey)
    }

    /// Sends a draft, which may set a time to live.
    @discardableResult
    public func send(
        _ draft: MessageDraft, to recipientID: UserID, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        try await send([draft], to: recipientID, idempotencyKey: idempotencyKey)[0]
    }

    /// Sends a text to the other participants of a conversation; see `send(_:headers:to:idempotencyKey:)`.
    /// - Throws: also `EarshotError` `notJoined`, `unknownConversation`.
    @discardableResult
    public func send(
        _ text: String, headers: [String: String] = [:], to conversation: Conversation, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        try await send(MessageDraft(text, headers: headers), to: conversation, idempotencyKey: idempotencyKey)
    }

    /// Sends a draft to the other participants of a conversation.
    @discardableResult
    public func send(
        _ draft: MessageDraft, to conversation: Conversation, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        try await send([draft], to: conversation, idempotencyKey: idempotencyKey)[0]
    }

    /// Sends several messages to the other participants of a conversation.
    @discardableResult
    public func send(
        _ drafts: [MessageDraft], to conversation: Conversation, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> [Message] {
        do { return try await send(drafts, to: conversation.destination, idempotencyKey: idempotencyKey) } catch {
            throw error.about(conversation)
        }
    }

    /// Finds the one message whose id a text is or abbreviates: `3fk9qbmj-12` is message 12 of the log whose id begins so.
    ///
    /// The beginning has at least four characters.
    /// - Throws: `EarshotError` `unknownMessage`, also for text that is no id; `ambiguousMessage`, with the whole ids.
    package func id(_ text: String) async throws(EarshotError) -> MessageID {
        if let messageID = MessageID(text) { return messageID }
        guard let short = ShortMessageID(text) else {
            throw EarshotError(.unknownMessage, "there is no message \"\(Excerpt.of(text))\"")
        }
        let store = node.store
        return try short.whole(
            among: try await node.readStore { () throws(StoreError) in try store.logs(through: short.sequence) })
    }

    /// Sends several messages. They are accepted together or not at all, and delivered in this order.
    ///
    /// - Parameters:
    ///   - drafts: 1 to `Limits.messagesPerSend`.
    ///   - recipientID: the recipient.
    ///   - idempotencyKey: names all of them together; see `send(_:headers:to:idempotencyKey:)`.
    @discardableResult
    public func send(
        _ drafts: [MessageDraft], to recipientID: UserID, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> [Message] {
        try await send(drafts, to: .user(recipientID), idempotencyKey: idempotencyKey)
    }

    package func send(
        _ draft: MessageDraft, to destination: Destination, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        try await send([draft], to: destination, idempotencyKey: idempotencyKey)[0]
    }

    package func send(
        _ drafts: [MessageDraft], to destination: Destination, idempotencyKey: String?
    ) async throws(EarshotError) -> [Message] {
        if drafts.contains(where: { !$0.attachments.isEmpty }) { try await node.files.check(drafts) }
        do {
            guard let idempotencyKey else {
                return try await node.shell.send(drafts.map(EntryDraft.message), to: destination)
            }
            return try await node.shell.send(drafts, to: destination, key: key(idempotencyKey))
        } catch { throw await node.conversations.naming(destination, in: error) }
    }

    /// Takes back a message that has not left this machine.
    ///
    /// In a home that was restored from an older copy, the recipient may hold a message that the copy calls queued.
    /// While the recipient gives back earlier messages, the answer waits until that is known. If no device of the
    /// recipient is linked, the message fails as cancelled; if it turns out on the next link that it was delivered,
    /// `messageDelivered` says so.
    /// - Throws: `EarshotError` `unknownMessage`, `alreadySent`, or `overloaded` where too many such requests wait.
    public func cancel(_ messageID: MessageID) async throws(EarshotError) {
        do { try await node.shell.cancel(messageID) } catch { throw error.about(messageID) }
    }

    /// Tells the other participants that this node's user has seen a message, and all messages of others in the conversation
    /// that had arrived before it. The message may be the user's own, from whichever of their devices.
    /// - Throws: `EarshotError` `unknownMessage`.
    public func markRead(_ messageID: MessageID) async throws(EarshotError) {
        let (store, readerID) = (node.store, node.userID)
        let found = try await node.readStore { () throws(StoreError) in
            try store.unmarked(through: messageID, by: readerID)
        }
        guard let found else {
            throw EarshotError(.unknownMessage, "there is no message \(messageID)", .init(messageID: messageID))
        }
        // A peer whose home was restored has several logs, each with a receipt of its own.
        for other in found.messages where other.log != messageID.log { try await node.shell.markRead(other) }
        guard found.isToBeTold else { return }
        do { try await node.shell.markRead(messageID) } catch { throw error.about(messageID) }
    }

    /// A message with its current state.
    /// - Throws: `EarshotError` `unknownMessage`.
    public func message(_ messageID: MessageID) async throws(EarshotError) -> Message {
        let store = node.store
        let row = try await node.readStore { () throws(StoreError) in try store.row(of: messageID) }
        guard let row, let message = Message(row, for: node.userID) else {
            throw EarshotError(.unknownMessage, "there is no message \(messageID)", .init(messageID: messageID))
        }
        return message
    }
}
