package import EarshotModel

/// Messages that wait for their time.
///
/// It decides what is due by the wall clock, which may be set at any time. It sends nothing: what is due goes the way of
/// all messages, and is forgotten here in the commit that gives it its place in a log.
struct Schedule: Sendable {
    private struct Waiting: Sendable {
        let record: ScheduledRecord
        let message: ScheduledMessage
        /// Whether it is due and on its way into a log.
        var isUnderWay = false
        /// Not before this uptime, because the disk did not take it.
        var retryAt = Int64.min
    }

    private var waiting: [EntryKey: Waiting] = [:]
    private var bytes = 0

    init(_ records: [ScheduledRecord] = []) {
        for record in records { add(record) }
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// The first due comes first.
    var all: [ScheduledMessage] {
        waiting.values.map(\.message).sorted {
            ($0.notBefore, $0.createdAt, $0.id) < ($1.notBefore, $1.createdAt, $1.id)
        }
    }

    subscript(scheduledID: EntryKey) -> ScheduledMessage? { waiting[scheduledID]?.message }

    func record(_ scheduledID: EntryKey) -> ScheduledRecord? { waiting[scheduledID]?.record }

    /// - Parameter others: that are to be added before it.
    /// - Throws: `ProtocolError` `overloaded`.
    func checkRoom(for record: ScheduledRecord, after others: [ScheduledRecord] = []) throws(ProtocolError) {
        let (count, bytes) = (waiting.count + others.count, others.reduce(bytes) { $0 + $1.draft.count })
        guard count < Limits.scheduledMessages, bytes + record.draft.count <= Limits.scheduledBytes else {
            throw ProtocolError(
                .overloaded, "\(count) messages wait for their time already; cancel one or wait for one")
        }
    }

    // MARK: - Time

    /// The time until the next is due, in milliseconds; `nil` if none waits.
    /// - Parameter mayGo: whether messages may go there now; others wait until they may.
    func wait(now: Moment, mayGo: (Destination) -> Bool = { _ in true }) -> Int64? {
        waiting.values.filter { !$0.isUnderWay && mayGo($0.message.destination) }
            .map { max(clamped($0.record.notBefore, minus: now.wallClock), clamped($0.retryAt, minus: now.uptime)) }
            .min().map { max(0, $0) }
    }

    private func clamped(_ a: Int64, minus b: Int64) -> Int64 {
        let (difference, overflow) = a.subtractingReportingOverflow(b)
        return overflow ? (a < b ? .min : .max) : difference
    }

    /// Those that are due now, in order. They are on their way until they are gone or `putBack`.
    mutating func takeDue(now: Moment, mayGo: (Destination) -> Bool = { _ in true }) -> [ScheduledRecord] {
        let due = waiting.values.filter {
            !$0.isUnderWay && $0.record.notBefore <= now.wallClock && $0.retryAt <= now.uptime
                && mayGo($0.message.destination)
        }
        for item in due { waiting[item.record.scheduledID]?.isUnderWay = true }
        return due.map(\.record).sorted {
            ($0.notBefore, $0.createdAt, $0.scheduledID) < ($1.notBefore, $1.createdAt, $1.scheduledID)
        }
    }

    /// The disk did not take one that is due.
    mutating func putBack(_ scheduledID: EntryKey, now: Moment) {
        waiting[scheduledID]?.isUnderWay = false
        waiting[scheduledID]?.retryAt = now.uptime + Timing.commitRetry
    }

    // MARK: - Changes

    /// It is on the disk.
    mutating func add(_ record: ScheduledRecord) {
        guard let message = ScheduledMessage(record) else { return }
        remove(record.scheduledID)
        waiting[record.scheduledID] = Waiting(record: record, message: message)
        bytes += record.draft.count
    }

    /// It is gone from the disk.
    mutating func remove(_ scheduledID: EntryKey) {
        guard let removed = waiting.removeValue(forKey: scheduledID) else { return }
        bytes -= removed.record.draft.count
    }
}

extension ScheduledMessage {
    /// - Returns: `nil` if the bytes are not what `ScheduledRecord` has written.
    package init?(_ record: ScheduledRecord) {
        guard let kept = KeptMessage(decoding: record.draft, in: record.conversationID) else { return nil }
        self.init(
            id: ScheduledMessageID(record.scheduledID), destination: kept.destination, draft: kept.draft,
            notBefore: record.notBefore, createdAt: record.createdAt)
    }
}

extension ScheduledRecord {
    init(
        scheduledID: EntryKey, by userID: UserID, to destination: Destination, draft: MessageDraft, notBefore: Int64,
        key: EntryKey?, now: Moment
    ) {
        let conversationID: ConversationID =
            switch destination {
            case .user(let peerID): .direct(userID, peerID)
            case .conversation(let conversationID): conversationID
            }
        self.init(
            scheduledID: scheduledID, conversationID: conversationID, to: destination, draft: draft,
            notBefore: notBefore, key: key, now: now)
    }

    init(
        scheduledID: EntryKey, conversationID: ConversationID, to destination: Destination, draft: MessageDraft,
        notBefore: Int64, key: EntryKey?, now: Moment
    ) {
        self.init(
            scheduledID: scheduledID, conversationID: conversationID, notBefore: notBefore,
            draft: KeptMessage(draft, to: destination).encoded(with: key), key: key, createdAt: now.wallClock)
    }
}
