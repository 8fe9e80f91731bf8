import EarshotProtocol
import EarshotStore
import Foundation

/// What others have sent to this node, in the order of arrival, for programs that must miss nothing.
///
/// A program reads as a *consumer*, which has a name and a cursor on the disk. It is handed messages again until it
/// acknowledges them. Acknowledging and answering are one commit, so a program that dies between the two answers neither
/// twice nor never:
/// ```swift
/// for try await batch in node.inbox.batches(consumer: "echo") {
///     let replies = batch.messages.map { message in
///         InboxReply(to: message.senderID, MessageDraft(message.text), answering: message.messageID)
///     }
///     try await node.inbox.acknowledge(consumer: "echo", through: batch.cursor, sending: replies)
/// }
/// ```
/// The loop ends when its task is cancelled or the node is to stop. The node waits for the body to end
/// (`NodeConfiguration.endingLimit`), so that what was handed out is acknowledged.
///
/// What a program sends by itself carries the header `auto-submitted` (RFC 3834). Messages that are sent with an
/// acknowledgement get it, with the value `auto-replied`, unless they have one of their own. Those that carry it are left
/// out unless a consumer asks for them, so two programs do not answer each other for ever; `no` stands for a message that
/// a person wrote. Erased messages are left out, too.
///
/// After the home was replaced by an older copy, consumers wait while recipients give back what this node has sent. An
/// answer that comes back is not sent again. What no recipient who was met holds may be answered again.
public struct Inbox: Sendable {
    /// The header that marks what a program has sent by itself.
    public static let automaticHeader = "auto-submitted"
    /// After so many hand-outs in vain a message is set aside, unless a consumer asks for another number.
    public static let defaultAttempts = 5

    static let ending = EarshotError(.stopped, "the node stops: it hands out nothing more")

    let node: Node
    /// The token of the program that uses the inbox, by name: its consumers and keys are its own. `nil` for the owner's own
    /// programs.
    private(set) var token: String?
    /// Whether the program uses no consumers but its own.
    private(set) var isLimited = false

    init(node: Node) { self.node = node }

    /// The same for a program that shows a token.
    /// - Parameters:
    ///   - token: its name; `nil` for the owner's own programs.
    ///   - isLimited: whether it uses no consumers but its own. One that may do everything can name those of other tokens, too.
    package func of(token: String?, isLimited: Bool) -> Inbox {
        var inbox = self
        (inbox.token, inbox.isLimited) = (token, isLimited)
        return inbox
    }

    // MARK: - Consumers

    /// All consumers, by name; those of tokens come under the token's name.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    public func consumers() async throws(EarshotError) -> [InboxConsumer] {
        try await shown(await node.shell.consumers.filter { !isLimited || $0.token == token })
    }

    /// - Throws: `EarshotError` `unknownConsumer`, `storeDamaged`, `storeUnavailable`.
    package func consumer(_ name: String) async throws(EarshotError) -> InboxConsumer {
        try await shown([try await known(name)])[0]
    }

    /// The consumer that the program means by a name, among those of all programs: its own. The owner, and who may do
    /// everything, name one of a token as `TOKEN/NAME`.
    private func wholeName(_ name: String) async -> String {
        guard let token else { return name }
        guard !isLimited else { return ConsumerRecord.name(name, of: token) }
        let isCommon = await node.shell.consumers.contains { $0.name == name && ($0.isShared || $0.token != nil) }
        return isCommon ? name : ConsumerRecord.name(name, of: token)
    }

    /// - Throws: `EarshotError` `unknownConsumer`, with those of that name that tokens have.
    private func known(_ name: String) async throws(EarshotError) -> ConsumerRecord {
        let (records, whole) = (await node.shell.consumers, await wholeName(name))
        if let record = records.first(where: { $0.name == whole }) { return record }
        let others = isLimited ? [] : records.filter { $0.plainName == name }.map(\.name)
        let remedy = others.first.map { "; a token has one: \($0)" } ?? ""
        throw EarshotError(
            .unknownConsumer, "there is no consumer \(name)\(remedy)", .init(name: name, suggestions: others))
    }

    private func shown(_ records: [ConsumerRecord]) async throws(EarshotError) -> [InboxConsumer] {
        let (store, userID) = (node.store, node.userID)
        return try await node.readStore { () throws(StoreError) in
            let generation = try store.generation()
            var consumers: [InboxConsumer] = []
            for record in records {
                let lag = try store.arrivedCount(after: record.cursor, for: userID)
                let again =
                    record.again.isEmpty
                    ? [] : try store.setAside(for: record.name).filter(\.reason.isEmpty).map(\.messageID)
                consumers.append(InboxConsumer(record, lag: lag, comingAgain: again, generation: generation))
            }
            return consumers
        }
    }

    /// Makes a consumer.
    /// - Throws: `EarshotError` `consumerExists`, `invalidConsumer`; `tooManyConsumers`.
    public func makeConsumer(_ name: String, from start: InboxStart = .now) async throws(EarshotError) {
        try await make(await wholeName(name), from: start)
    }

    /// - Parameter whole: its name among the consumers of all programs.
    func make(_ whole: String, from start: InboxStart = .now) async throws(EarshotError) {
        var record = ConsumerRecord(
            name: whole, cursor: try await cursor(of: start), createdAt: node.environment.clock.now.wallClock,
            token: token)
        record.isOfMany = !isLimited
        try await node.shell.change(whole, .make(record))
    }

    /// Makes a consumer, unless there is one with this name.
    func prepareConsumer(_ name: String, from start: InboxStart) async throws(EarshotError) {
        do { try await makeConsumer(name, from: start) } catch {
            guard error.code == .consumerExists else { throw error }
        }
    }

    /// Moves a consumer to another place. Messages that are set aside for it stay so, if they came before that place.
    /// Others come again in their turn. Those that were to come once more do so in their turn, or not at all if they came
    /// before that place.
    /// - Throws: `EarshotError` `unknownConsumer`.
    public func moveConsumer(_ name: String, to start: InboxStart) async throws(EarshotError) {
        let whole = try await known(name).name
        try await node.shell.change(whole, .move(to: try await cursor(of: start)))
        node.inboxReaders.forget(whole)
    }

    /// Moves a consumer to a place that it was at before.
    package func moveConsumer(_ name: String, to cursor: InboxCursor) async throws(EarshotError) {
        let whole = try await known(name).name
        try await node.shell.change(whole, .move(to: cursor.number))
        node.inboxReaders.forget(whole)
    }

    /// Removes a consumer, and what is set aside for it.
    /// - Throws: `EarshotError` `unknownConsumer`.
    public func removeConsumer(_ name: String) async throws(EarshotError) {
        let whole = try await known(name).name
        try await node.shell.change(whole, .remove)
        node.inboxReaders.forget(whole)
    }

    private func cursor(of start: InboxStart) async throws(EarshotError) -> Int64 {
        let (store, userID) = (node.store, node.userID)
        return try await node.readStore { () throws(StoreError) in
            switch start {
            case .beginning: return 0
            case .now: return try store.latestCursor()
            case .notOlderThan(let date):
                return try store.cursor(
                    notOlderThan: HybridTimestamp(milliseconds: date.clampedMilliseconds), for: userID)
            }
        }
    }

    // MARK: - Receiving

    /// What is next for a consumer. If it has acknowledged nothing since, it gets the same messages again.
    ///
    /// An unknown consumer is made, and begins now. One that asks again within 30 seconds of uptime gets the same hand-out.
    /// If it asks later without having acknowledged anything, that hand-out was in vain. After two of those a consumer gets
    /// one message at a time; after `attempts` of them that message is set aside.
    /// - Parameters:
    ///   - consumer: its name: letters, digits, `-`, `_` and `.`, at most `Limits.consumerNameBytes`.
    ///   - limit: 1 to `Limits.historyPage` messages.
    ///   - wait: how long to wait for a message if there is none, at most a day.
    ///   - includingAutomatic: whether messages come, too, that programs have sent by themselves.
    ///   - attempts: after so many hand-outs in vain a message is set aside.
    /// - Returns: no messages if none came in time, or when the task is cancelled: a loop around this ends with its task,
    ///   as `batches` does.
    /// - Throws: `EarshotError` `consumerBusy` while somebody else receives for this consumer; `stopped`, also when the node
    ///   is about to stop; `invalidConsumer`, `tooManyConsumers`, `invalidLimit`, `storeFull`, `storeUnavailable`.
    public func receive(
        consumer: String, limit: Int = 100, wait: Duration = .zero, includingAutomatic: Bool = false,
        attempts: Int = Self.defaultAttempts
    ) async throws(EarshotError) -> InboxBatch {
        guard (1...Limits.historyPage).contains(limit) else {
            throw EarshotError(
                .invalidLimit, "a batch has 1 to \(Limits.historyPage) messages, and not \(limit)",
                .init(limit: Limits.historyPage))
        }
        guard !node.workers.areEnding else { throw Self.ending }
        let consumer = await wholeName(consumer)
        try await node.environment.inboxFaults?.willReceive(consumer)
        try node.inboxReaders.begin(consumer)
        defer { node.inboxReaders.end(consumer) }
        let reader = InboxReader(
            inbox: self, consumer: consumer, limit: limit, includesAutomatic: includingAutomatic,
            attempts: max(1, attempts))
        guard wait > .zero else { return try await reader.next() }
        return try await reader.next(wait: wait)
    }

    // MARK: - Acknowledging

    /// A consumer has dealt with everything up to a place, and says something with that, now or later, all in one commit or
    /// not at all. The authors of what it has dealt with are told (`DeliveryState.handled`).
    ///
    /// An acknowledgement that is repeated sends nothing, and is answered as the first time. Acknowledge in the order of
    /// arrival: what is acknowledged already can be answered no more.
    /// - Parameters:
    ///   - consumer: its name.
    ///   - cursor: that of the batch, or of one of its messages.
    ///   - replies: messages to any users and conversations or into the conversations of what they answer, edits of own
    ///     messages, and reactions. What answers a message answers one that is acknowledged with it.
    /// - Returns: the messages, in the order of the replies, without those that go out later (`Messages.scheduled()`).
    /// - Throws: `EarshotError` `unknownConsumer`; `gone` for a place that is not one of this home; `alreadyAcknowledged`
    ///   if everything up to there is acknowledged, and one of the messages was not sent with that; for a message that
    ///   cannot be sent its reason, with `parameters.index`; `keyReused` for a key that belongs to another message; and
    ///   like `Messages.send` and `Messages.schedule`. In each case nothing was accepted.
    @discardableResult
    public func acknowledge(
        consumer: String, through cursor: InboxCursor, sending replies: [InboxReply] = []
    ) async throws(EarshotError) -> [Message] {
        let (plainName, consumer) = (consumer, await wholeName(consumer))
        try await node.environment.inboxFaults?.willAcknowledge(consumer)
        let names = replies.map { ReplyName(answering: $0.answering, idempotencyKey: $0.idempotencyKey) }
        let covered = try await covered(through: cursor, by: names)
        let keys = covered.keys(of: names, by: token, consumer: consumer, through: cursor)
        let written = try await InboxReplies(node: node).written(replies) { $0.answering ?? covered.last }
        let sends = replies.indices.map { index in
            ProgramReply(
                to: written[index].destination, draft: written[index].draft, key: keys[index],
                // There is no place 0, so no acknowledgement covers it.
                answering: replies[index].answering.map { covered.places[$0] ?? 0 },
                notBefore: replies[index].notBefore?.clampedMilliseconds,
                draftedBy: replies[index].isDraft ? token ?? plainName : nil)
        }
        do {
            return try await node.shell.acknowledge(
                consumer, through: cursor.number, handled: try await handled(by: consumer, through: cursor),
                sending: sends)
        } catch {
            throw error.parameters.index.map { error.about(written[$0].destination) } ?? error
        }
    }

    /// The last message of each log that an acknowledgement is the first to cover. If the consumer has another
    /// acknowledgement under way, that one's are among them.
    private func handled(by consumer: String, through cursor: InboxCursor) async throws(EarshotError) -> [MessageID] {
        let (store, userID) = (node.store, node.userID)
        guard let start = await node.shell.consumers.first(where: { $0.name == consumer })?.cursor else { return [] }
        return try await node.readStore { () throws(StoreError) in
            try store.lastArrived(after: start, through: cursor.number, for: userID)
        }
    }

    /// What tells one message of an acknowledgement from the others, when the acknowledgement is repeated.
    package struct ReplyName: Sendable {
        let answering: MessageID?
        let idempotencyKey: String?

        package init(answering: MessageID?, idempotencyKey: String?) {
            self.answering = answering
            self.idempotencyKey = idempotencyKey
        }
    }

    /// Where the messages of an acknowledgement went, if it was committed before: in their order, and `nil` for one that
    /// was neither sent nor scheduled.
    /// - Throws: `EarshotError` `gone`, `storeDamaged`, `storeUnavailable`.
    package func destinations(
        of names: [ReplyName], consumer: String, through cursor: InboxCursor
    ) async throws(EarshotError) -> [Destination?] {
        let consumer = await wholeName(consumer)
        let keys = try await covered(through: cursor, by: names)
            .keys(of: names, by: token, consumer: consumer, through: cursor)
        return try await node.messages.destinations(of: await node.shell.entryKeys(keys, of: consumer))
    }

    private func covered(
        through cursor: InboxCursor, by names: [ReplyName]
    ) async throws(EarshotError) -> Covered {
        let (store, userID) = (node.store, node.userID)
        let needsLast = names.contains { $0.answering == nil }
        let answered = Set(names.compactMap(\.answering))
        let covered = try await node.readStore { () throws(StoreError) in
            let isKnown = try UInt64(bitPattern: store.generation()) == cursor.generation
            guard isKnown, try cursor.number <= store.latestCursor() else { return nil as Covered? }
            var covered = Covered()
            if needsLast { covered.last = try store.lastArrived(through: cursor.number, for: userID) }
            for messageID in answered { covered.places[messageID] = try store.arrival(of: messageID, for: userID) }
            return covered
        }
        guard let covered else {
            throw EarshotError(
                .gone, "\(cursor) is no place in this home's inbox: the home was restored since, or is another one")
        }
        return covered
    }

    private struct Covered: Sendable {
        /// The last message that is acknowledged.
        var last: MessageID?
        /// The places of the messages that are answered.
        var places: [MessageID: Int64] = [:]

        /// The keys of the messages that go with the acknowledgement, in their order.
        func keys(
            of names: [ReplyName], by token: String?, consumer: String, through cursor: InboxCursor
        ) -> [ProgramReply.Key] {
            var counts: [MessageID: Int] = [:]
            return names.map { name in
                let messageID = name.answering ?? last
                let number = messageID.map { counts[$0, default: 0] } ?? 0
                if let key = name.idempotencyKey { return .named(IdempotencyKey(key, of: token)) }
                guard let messageID else {
                    return .named(IdempotencyKey("\(consumer) \(cursor) \(number)", of: token))
                }
                counts[messageID] = number + 1
                return .answer(number, to: messageID)
            }
        }
    }

    // MARK: - Failing

    /// A consumer can do nothing with a message now: the first that it was handed and has not acknowledged.
    ///
    /// The hand-out is over, and counts as one in vain at once. The message comes again, until it is set aside with the
    /// reason of the last failure. A consumer that says nothing and asks again after 30 seconds fails, too, but nobody
    /// learns why.
    /// - Parameters:
    ///   - messageID: the first message of the hand-out that is not acknowledged.
    ///   - consumer: who was handed it.
    ///   - reason: for people; the first `Limits.failureReason` Unicode scalars of it are kept.
    /// - Returns: whether the message is set aside now.
    /// - Throws: `EarshotError` `unknownConsumer`; `notHandedOut` for any other message, and after the node has begun anew;
    ///   `storeFull`, `storeUnavailable`, `stopped`.
    @discardableResult
    public func fail(
        consumer: String, _ messageID: MessageID, reason: String
    ) async throws(EarshotError) -> Bool {
        let consumer = await wholeName(consumer)
        let store = node.store
        let place = try await node.readStore { () throws(StoreError) in try store.cursor(of: messageID) }
        do {
            // There is no place 0.
            return try await node.shell.fail(consumer, place ?? 0, reason: Self.kept(reason))
        } catch { throw error.about(messageID) }
    }

    private static func kept(_ reason: String) -> String {
        guard !reason.isEmpty else { return "it failed and gave no reason" }
        // Not characters: one may have any length.
        let scalars = reason.unicodeScalars
        guard scalars.count > Limits.failureReason else { return reason }
        return String(String.UnicodeScalarView(scalars.prefix(Limits.failureReason))) + "…"
    }

    // MARK: - Set aside

    /// The messages that are set aside for a consumer, in the order of arrival. Erased ones are left out.
    /// - Throws: `EarshotError` `unknownConsumer`.
    public func setAside(consumer: String) async throws(EarshotError) -> [SetAsideMessage] {
        let consumer = try await known(consumer).name
        let (store, userID) = (node.store, node.userID)
        return try await node.readStore { () throws(StoreError) in
            var found: [SetAsideMessage] = []
            for row in try store.setAside(for: consumer) where !row.reason.isEmpty {
                guard let message = try store.row(of: row.messageID).flatMap({ Message($0, for: userID) }) else {
                    continue
                }
                found.append(
                    SetAsideMessage(message: message, reason: row.reason, date: Date(milliseconds: row.time)))
            }
            return found
        }
    }

    /// Has a message handed out once more that is set aside. It comes alone, before all others.
    /// - Throws: `EarshotError` `unknownConsumer`; `unknownMessage` for one that is not set aside.
    public func handOutAgain(consumer: String, _ messageID: MessageID) async throws(EarshotError) {
        let consumer = try await known(consumer).name
        let store = node.store
        let row = try await node.readStore { () throws(StoreError) in
            try store.setAside(for: consumer).first { $0.messageID == messageID && !$0.reason.isEmpty }
        }
        guard let row else {
            throw EarshotError(
                .unknownMessage, "the message \(messageID) is not set aside for \(consumer)",
                .init(messageID: messageID))
        }
        try await node.shell.change(consumer, .handOutAgain(row.cursor))
        node.events.arrivals.signal()
    }
}

extension InboxConsumer {
    fileprivate init(_ record: ConsumerRecord, lag: Int, comingAgain: [MessageID], generation: Int64) {
        name = record.plainName
        cursor = InboxCursor(generation: generation, number: record.cursor)
        self.lag = lag
        token = record.token
        createdAt = Date(milliseconds: record.createdAt)
        acknowledgedAt = record.acknowledgedAt.map { Date(milliseconds: $0) }
        fruitless = record.fruitless
        setAsideCount = record.setAside.count
        self.comingAgain = comingAgain
        lastFailure = record.failure.map { InboxFailure(reason: $0.reason, date: Date(milliseconds: $0.time)) }
    }
}
