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
        try await schedule(draft, to: .user(recipientID), notBefore: notBefore, idempotencyKey: idempotencyKey)
    }

    /// Has a message sent later to the other participants of a conversation. If this node's user has left it by then, the
    /// message waits until they join it again.
    @discardableResult
    public func schedule(
        _ draft: MessageDraft, to conversation: Conversation, notBefore: Date, idempotencyKey: String? = nil
    ) async throws(EarshotError) -> ScheduledMessage {
        do {
            return try await schedule(
                draft, to: conversation.destination, notBefore: notBefore, idempotencyKey: idempotencyKey)
        } catch { throw error.about(conversation) }
    }

    package func schedule(
        _ draft: MessageDraft, to destination: Destination, notBefore: Date, idempotencyKey: String?
    ) async throws(EarshotError) -> ScheduledMessage {
        try await node.files.check([draft])
        do {
            return try await node.shell.schedule(
                draft, to: destination, notBefore: notBefore.clampedMilliseconds, key: idempotencyKey.map(key))
        } catch { throw error.about(destination) }
    }

    /// Where the message went, or will go, that was sent or scheduled with a key; `nil` if none was.
    /// - Parameter place: which of several recipients of one call, from 0; `nil` if there was only one.
    package func destination(idempotencyKey: String, at place: Int? = nil) async throws(EarshotError) -> Destination? {
        try await destinations(of: [await node.shell.entryKey(key(idempotencyKey), at: place)])[0]
    }

    /// Where a message goes that somebody sends to a text, as in `Conversations.recipient(named:)`, by a call that may repeat
    /// an earlier one. If a message has its key already, and the text names nobody or several users by now, it goes where that
    /// message went.
    /// - Parameter place: which of several recipients of the call, from 0; `nil` if it has only one.
    package func destination(
        _ text: String, at place: Int? = nil, idempotencyKey: String?
    ) async throws(EarshotError) -> Destination {
        do { return try await node.conversations.destination(text) } catch {
            guard let idempotencyKey, Conversations.unresolved.contains(error.code),
                let known = try await destination(idempotencyKey: idempotencyKey, at: place)
            else { throw error }
            return known
        }
    }

    /// The same for several keys.
    func destinations(of keys: [EntryKey]) async throws(EarshotError) -> [Destination?] {
        let waiting = await node.shell.scheduled
        let store = node.store
        return try await node.readStore { () throws(StoreError) in
            var destinations: [Destination?] = []
            for key in keys {
                let sent = try store.entries(with: [key]).first.flatMap { entry throws(StoreError) in
                    try store.row(of: entry.messageID).map { Destination(of: $0.log) }
                }
                destinations.append(sent ?? waiting.first { $0.id.bytes == key }?.destination)
            }
            return destinations
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

extension Destination {
    /// Where the entries of an own log go.
    fileprivate init(of log: LogRecord) {
        self =
            log.conversation.kind == .direct
            ? .user(log.recipientID) : .conversation(log.conversation.conversationID)
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
    package var clampedMilliseconds: Int64 {
        let milliseconds = timeIntervalSince1970 * 1000
        return milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, 0), 9e15))
    }
}
