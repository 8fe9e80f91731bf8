import EarshotProtocol

/// What became of a message for one of several recipients.
public struct SendResult: Sendable {
    /// The recipient.
    public let recipientID: UserID
    /// Their message, or why nothing was accepted for them; the error is one of those of `Messages.send`.
    public let result: Result<Message, EarshotError>
}

extension Messages {
    /// Sends a text to each of several users, in their direct conversations: nobody sees who else got it.
    ///
    /// Each recipient has a message and a result of their own. Where one is refused, the others get theirs.
    /// - Parameters:
    ///   - text: the text.
    ///   - headers: see `MessageDraft.headers`.
    ///   - recipientIDs: 1 to `Limits.recipientsPerSend`. Somebody who is named twice gets the message once.
    ///   - idempotencyKey: names the messages together with the places of their recipients: whoever repeats the call sends
    ///     only what was not accepted before. At most `Limits.idempotencyKeyBytes` of UTF-8.
    /// - Returns: a result for each recipient, in their order.
    /// - Throws: `EarshotError` `invalidMessage` for a number of recipients that is not allowed. Then nothing was accepted.
    @discardableResult
    public func send(
        _ text: String, headers: [String: String] = [:], to recipientIDs: [UserID], idempotencyKey: String? = nil
    ) async throws(EarshotError) -> [SendResult] {
        try await send(MessageDraft(text, headers: headers), to: recipientIDs, idempotencyKey: idempotencyKey)
    }

    /// Sends a draft to each of several users.
    @discardableResult
    public func send(
        _ draft: MessageDraft, to recipientIDs: [UserID], idempotencyKey: String? = nil
    ) async throws(EarshotError) -> [SendResult] {
        try Self.check(recipientCount: recipientIDs.count)
        let recipients = Dictionary(
            uniqueKeysWithValues: recipientIDs.enumerated().map { ($0, Destination.user($1)) })
        let results = await send(draft, to: recipients, idempotencyKey: idempotencyKey)
        return recipientIDs.enumerated().compactMap { place, recipientID in
            results[place].map { SendResult(recipientID: recipientID, result: $0) }
        }
    }

    /// - Parameter recipients: by their places in the call, which belong to the key. One at several places gets the message
    ///   once, under the first.
    package func send(
        _ draft: MessageDraft, to recipients: [Int: Destination], idempotencyKey: String?
    ) async -> [Int: Result<Message, EarshotError>] {
        let first = Dictionary(recipients.map { ($1, $0) }, uniquingKeysWith: min)
        let results = await withTaskGroup(of: Sent.self) { group in
            for (destination, place) in first {
                group.addTask {
                    Sent(
                        destination: destination,
                        result: await result(draft, to: destination, at: place, idempotencyKey))
                }
            }
            return await group.reduce(into: [:]) { $0[$1.destination] = $1.result }
        }
        return recipients.compactMapValues { results[$0] }
    }

    private struct Sent {
        let destination: Destination
        let result: Result<Message, EarshotError>
    }

    /// - Throws: `EarshotError` `invalidMessage`.
    package static func check(recipientCount count: Int) throws(EarshotError) {
        guard (1...Limits.recipientsPerSend).contains(count) else {
            throw EarshotError(
                .invalidMessage, "one call sends to 1 to \(Limits.recipientsPerSend) recipients, not to \(count)",
                .init(limit: Limits.recipientsPerSend))
        }
    }

    /// - Parameter place: which of the recipients it is, from 0.
    private func result(
        _ draft: MessageDraft, to destination: Destination, at place: Int, _ idempotencyKey: String?
    ) async -> Result<Message, EarshotError> {
        do throws(EarshotError) {
            guard let idempotencyKey else { return .success(try await send(draft, to: destination)) }
            do {
                let messages = try await node.shell.send(
                    [draft], to: destination, at: place, key: key(idempotencyKey))
                return .success(messages[0])
            } catch { throw error.about(destination) }
        } catch { return .failure(error) }
    }
}
