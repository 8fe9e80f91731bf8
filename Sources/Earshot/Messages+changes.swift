import EarshotProtocol
import EarshotStore

/// What can be said about a message that is there already.
extension Messages {
    /// Answers a message, of this node's own user or of another one, in its conversation.
    /// - Throws: `EarshotError` `unknownMessage`; `retracted` for a message that its author took back; and like `send`.
    @discardableResult
    public func reply(
        _ text: String, headers: [String: String] = [:], to messageID: MessageID, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        try await reply(MessageDraft(text, headers: headers), to: messageID, idempotencyKey: idempotencyKey)
    }

    /// Answers a message with a draft.
    @discardableResult
    public func reply(
        _ draft: MessageDraft, to messageID: MessageID, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        let target = try await target(messageID)
        var draft = draft
        draft.replyTo = target.place
        let message = try await send([draft], to: destination(of: target), idempotencyKey: idempotencyKey)
        return message[0]
    }

    /// Gives a message of this node's user another text. Whoever has the message sees the new text; its headers stay.
    /// - Returns: the message as it is now.
    /// - Throws: `EarshotError` `unknownMessage`; `notAuthor` for a message of somebody else; `retracted` for one that was
    ///   taken back; `invalidMessage` for a text that no message can have; and like `send`.
    @discardableResult
    public func edit(_ messageID: MessageID, _ text: String) async throws(EarshotError) -> Message {
        let target = try await ownTarget(messageID)
        try await amend(target, .edit(text: text, counter: target.changes.nextEdit), messageID)
        return try await message(messageID)
    }

    /// Takes a message of this node's user back, which may have been delivered: whoever has it shows that, and its texts
    /// are erased from their disks and from this one. Whoever is never reached again keeps what they have.
    ///
    /// A message that has not left this machine is better taken back with `cancel`: then nobody ever gets it. One that is
    /// on its way keeps its text here until it is delivered. Taking back twice is taking back once.
    /// - Returns: the message as it is now.
    /// - Throws: `EarshotError` `unknownMessage`; `notAuthor` for a message of somebody else; and like `send`.
    @discardableResult
    public func retract(_ messageID: MessageID) async throws(EarshotError) -> Message {
        let target = try await ownTarget(messageID, orRetracted: true)
        if !target.changes.isRetracted { try await amend(target, .retract, messageID) }
        let (store, deviceID, shell) = (node.store, node.deviceID, node.shell)
        try await node.writingHome { () throws(EarshotError) in
            do throws(StoreError) {
                // What has failed is not waited for.
                _ = try store.deleteContents(
                    of: [messageID], deviceID: deviceID, withheld: { shell.withholdDeleted($0) })
                _ = try store.overwriteDeleted()
            } catch { throw EarshotError(error) }
        }
        return try await message(messageID)
    }

    /// Reacts to a message with an emoji: at most `Limits.emojiBytes` of UTF-8. Each user reacts once with each emoji.
    /// - Returns: the message as it is now.
    /// - Throws: `EarshotError` `unknownMessage`; `retracted`; `invalidMessage` for an emoji that is empty or too long; and
    ///   like `send`.
    @discardableResult
    public func react(_ emoji: String, to messageID: MessageID) async throws(EarshotError) -> Message {
        try await react(emoji, to: messageID, isRemoved: false)
    }

    /// Takes a reaction of this node's user back. It does nothing if there is none.
    /// - Returns: the message as it is now.
    /// - Throws: `EarshotError` like `react`.
    @discardableResult
    public func unreact(_ emoji: String, to messageID: MessageID) async throws(EarshotError) -> Message {
        try await react(emoji, to: messageID, isRemoved: true)
    }

    private func react(
        _ emoji: String, to messageID: MessageID, isRemoved: Bool
    ) async throws(EarshotError) -> Message {
        let target = try await target(messageID)
        let counter = target.changes.nextReaction(emoji, by: node.userID)
        let reaction = Amendment(
            target: target.place, .reaction(emoji: emoji, counter: counter, isRemoved: isRemoved))
        do { try reaction.validate() } catch { throw EarshotError(.invalidMessage, error.description, cause: error) }
        if target.changes.reacts(node.userID, with: emoji) == isRemoved {
            try await amend(target, reaction.content, messageID)
        }
        return try await message(messageID)
    }

    /// Sends the next message of a session, which takes the place of the one before: that is shown by its summary from
    /// then on. Any participant of the conversation may continue a session.
    /// - Parameters:
    ///   - draft: the message.
    ///   - session: the session; `SessionID.random()` begins one.
    ///   - summary: what is left of this message when the next one has come: 1 byte to `Limits.summaryBytes` of UTF-8.
    ///   - recipientID: the recipient.
    ///   - idempotencyKey: see `send(_:headers:to:idempotencyKey:)`.
    /// - Throws: `EarshotError` like `send`.
    @discardableResult
    public func send(
        _ draft: MessageDraft, in session: SessionID, summary: String, to recipientID: UserID,
        idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        try await send(
            draft, in: session, summary: summary, to: node.conversations.direct(with: recipientID),
            idempotencyKey: idempotencyKey)
    }

    /// Sends the next message of a session to the other participants of a conversation; see
    /// `send(_:in:summary:to:idempotencyKey:)`.
    @discardableResult
    public func send(
        _ draft: MessageDraft, in session: SessionID, summary: String, to conversation: Conversation,
        idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        let (store, conversationID) = (node.store, conversation.conversationID)
        let counter = try await node.readStore { () throws(StoreError) in
            try store.nextStep(of: session, in: conversationID)
        }
        var draft = draft
        draft.session = MessageSession(id: session, counter: counter, summary: summary)
        return try await send(draft, to: conversation, idempotencyKey: idempotencyKey)
    }

    // MARK: - Targets

    /// A message that another one can be about.
    /// - Throws: `EarshotError` `unknownMessage`, `retracted`.
    private func target(_ messageID: MessageID, orRetracted: Bool = false) async throws(EarshotError) -> MessageTarget {
        let store = node.store
        let target = try await node.readStore { () throws(StoreError) in try store.target(messageID) }
        guard let target else {
            throw EarshotError(.unknownMessage, "there is no message \(messageID)", .init(messageID: messageID))
        }
        guard orRetracted || !target.changes.isRetracted else {
            throw EarshotError(
                .retracted, "the message \(messageID) was taken back by its author", .init(messageID: messageID))
        }
        return target
    }

    private func ownTarget(
        _ messageID: MessageID, orRetracted: Bool = false
    ) async throws(EarshotError) -> MessageTarget {
        let target = try await target(messageID, orRetracted: orRetracted)
        guard target.authorID == node.userID else {
            throw EarshotError(
                .notAuthor, "the message \(messageID) was written by somebody else", .init(messageID: messageID))
        }
        return target
    }

    /// Where what is said about the message goes.
    private func destination(of target: MessageTarget) -> Destination {
        guard target.conversation.kind == .direct else { return .conversation(target.conversation.conversationID) }
        return .user(target.conversation.peerID(of: node.userID) ?? node.userID)
    }

    private func amend(
        _ target: MessageTarget, _ content: Amendment.Content, _ messageID: MessageID
    ) async throws(EarshotError) {
        let destination = destination(of: target)
        do {
            _ = try await node.shell.send(
                [.amendment(Amendment(target: target.place, content))], to: destination)
        } catch { throw error.about(destination).about(messageID) }
    }
}
