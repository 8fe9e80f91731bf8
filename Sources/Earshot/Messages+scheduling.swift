import EarshotProtocol
import EarshotStore
public import Foundation

extension Messages {
    /// Has a message sent later. It takes its place in the history when it is due by this machine's clock, also if the
    /// node was stopped meanwhile or the clock was set, and can be cancelled until then. Its time to live begins then.
    ///
    /// - Parameters:
    ///   - draft: the message.
    ///   - recipientID: the recipient.
    ///   - notBefore: when it is due. If that is past, it is due at once.
    ///   - idempotencyKey: names this message. Whoever schedules it again with the same key gets the same answer, also
    ///     when it has been sent since.
    /// - Throws: `EarshotError` like `send`; `overloaded` if `Limits.scheduledMessages` wait already.
    @discardableResult
    public func schedule(
        _ draft: MessageDraft, to recipientID: UserID, notBefore: Date, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> ScheduledMessage {
        do {
            return try await node.shell.schedule(
                draft, to: recipientID, notBefore: notBefore.clampedMilliseconds, key: idempotencyKey)
        } catch { throw error.about(recipientID) }
    }

    /// Who gets the message that was sent or scheduled with a key; `nil` if none was.
    func recipient(idempotencyKey: String) async throws(EarshotError) -> UserID? {
        try await recipients(of: [await node.shell.entryKey(idempotencyKey)])[0]
    }

    /// Who gets the messages that were sent or scheduled with some keys; `nil` for a key with which none was.
    func recipients(of keys: [EntryKey]) async throws(EarshotError) -> [UserID?] {
        let waiting = await node.shell.scheduled
        let store = node.store
        return try await node.readStore { () throws(StoreError) in
            var recipients: [UserID?] = []
            for key in keys {
                let sent = try store.entries(with: [key]).first.flatMap { entry throws(StoreError) in
                    try store.row(of: entry.messageID)?.log.recipientID
                }
                recipients.append(sent ?? waiting.first { $0.id.bytes == key }?.recipientID)
            }
            return recipients
        }
    }

    /// The messages that wait for their time, the first due first.
    public func scheduled() async -> [ScheduledMessage] { await node.shell.scheduled }

    /// Cancels a message that waits for its time.
    /// - Throws: `EarshotError` `unknownMessage` if there is none; it may have been sent.
    public func cancelScheduled(_ id: ScheduledMessageID) async throws(EarshotError) {
        try await node.shell.cancelScheduled(id)
    }
}

extension ScheduledMessage {
    /// When it is due.
    public var notBeforeDate: Date { Date(milliseconds: notBefore) }

    /// When it was scheduled.
    public var scheduledAt: Date { Date(milliseconds: createdAt) }
}

extension Date {
    /// Milliseconds since 1970, not before then, and no more than a clock can count.
    var clampedMilliseconds: Int64 {
        let milliseconds = timeIntervalSince1970 * 1000
        return milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, 0), 9e15))
    }
}
