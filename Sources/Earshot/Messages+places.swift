import EarshotProtocol
import EarshotStore

extension Messages {
    /// Answers a message in a place that a key names: the first call sends the answer, and each later one gives it another
    /// text. So a program shows how far it has come, and one that was started again goes on where it was.
    ///
    /// If the answer was taken back, its place stays empty: a later call does nothing, and returns it as it is.
    /// - Parameters:
    ///   - text: the text that the answer has from now on.
    ///   - headers: see `MessageDraft.headers`; those of the first call stay.
    ///   - messageID: the message that it answers.
    ///   - key: an idempotency key; see `send(_:headers:to:idempotencyKey:)`.
    /// - Returns: the answer as it is now.
    /// - Throws: `EarshotError` like `reply` and `edit`.
    @discardableResult
    public func reply(
        _ text: String, headers: [String: String] = [:], to messageID: MessageID, inPlace key: String
    ) async throws(EarshotError) -> Message {
        try await reply(MessageDraft(text, headers: headers), to: messageID, inPlace: key)
    }

    /// The same with a draft, of which a later call changes nothing but the text.
    @discardableResult
    public func reply(
        _ draft: MessageDraft, to messageID: MessageID, inPlace key: String
    ) async throws(EarshotError) -> Message {
        guard let answer = try await message(idempotencyKey: key) else {
            return try await reply(draft, to: messageID, idempotencyKey: key)
        }
        guard !answer.isRetracted, answer.text != draft.text else { return answer }
        return try await edit(answer.messageID, draft.text)
    }

    /// The message that was sent with a key; `nil` if none was.
    private func message(idempotencyKey key: String) async throws(EarshotError) -> Message? {
        let (store, entryKey) = (node.store, await node.shell.entryKey(self.key(key)))
        let found = try await node.readStore { () throws(StoreError) in try store.entries(with: [entryKey]).first }
        guard let found else { return nil }
        return try await message(found.messageID)
    }
}
