extension Messages {
    /// Sends a text to whomever a name means, as `Conversations.recipient(named:)` finds them.
    /// - Parameters:
    ///   - text: the text.
    ///   - headers: see `MessageDraft.headers`.
    ///   - name: `bob`, `#ops`, `me`, a key or the id of a conversation.
    ///   - idempotencyKey: see `send(_:headers:to:idempotencyKey:)`. If a message has the key already, and the name means
    ///     nobody or several by now, it is the message that was sent before.
    /// - Throws: `EarshotError`, as `Conversations.recipient(named:)` and `send(_:headers:to:idempotencyKey:)` do.
    @discardableResult
    public func send(
        _ text: String, headers: [String: String] = [:], toNamed name: String, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        try await send(MessageDraft(text, headers: headers), toNamed: name, idempotencyKey: idempotencyKey)
    }

    /// Sends a draft to whomever a name means.
    @discardableResult
    public func send(
        _ draft: MessageDraft, toNamed name: String, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> Message {
        let destination = try await self.destination(name, idempotencyKey: idempotencyKey)
        return try await send(draft, to: destination, idempotencyKey: idempotencyKey)
    }
}
