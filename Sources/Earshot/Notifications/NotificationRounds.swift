import EarshotModel
import EarshotStore
import Logging

/// Notifies one target of what has arrived since it was notified last, some messages at a time.
struct NotificationRounds: Sendable {
    /// Messages that are read at once, and their bytes. A desktop has few notifications for many of them.
    private static let messages = 64
    private static let desktopMessages = 1024
    private static let bytes = 4 * 1024 * 1024
    /// How often it is noted what a target was notified of, in milliseconds: a crash repeats no more.
    private static let writingInterval: Int64 = 1_000

    private let record: NotificationTargetRecord
    private let keeper: NotificationKeeper
    private let node: Node
    private var progress: NotificationProgress
    /// What of it is on the disk, and since what uptime.
    private var written: NotificationProgress
    private var writtenAt: Int64 = 0
    private(set) var pace = NotificationPace()

    init(record: NotificationTargetRecord, keeper: NotificationKeeper, node: Node) {
        self.record = record
        self.keeper = keeper
        self.node = node
        progress = record.progress
        written = record.progress
    }

    private var clock: any NodeClock { node.environment.clock }

    /// Notifies of what is there, if it is time.
    mutating func look() async {
        guard pace.isDue(at: clock.now.uptime) else { return }
        do {
            try await leaveOutExcess()
            while try await round() { await write() }
        } catch is CancellationError {
        } catch {
            // The disk has failed. What has arrived is still there when it works again.
            pace.wait(at: clock.now.uptime)
            node.configuration.logger.info(
                "nobody was notified", metadata: ["target": "\(record.name)", "error": "\(error)"])
        }
        await write()
    }

    /// - Returns: whether there may be more.
    private mutating func round() async throws -> Bool {
        let (found, through, isComplete) = try await read()
        for news in NotificationChoice.grouped(found, for: record.target) {
            try Task.checkCancellation()
            let outcome = await node.environment.notifier.notify(record, of: await notification(of: news))
            try Task.checkCancellation()
            guard take(outcome, of: news) else { return false }
            if clock.now.uptime - writtenAt >= Self.writingInterval { await write() }
        }
        progress.cursor = through
        if isComplete { pace.rest() }
        return !isComplete
    }

    /// - Returns: whether to go on.
    private mutating func take(_ outcome: NotificationOutcome, of news: NotificationNews) -> Bool {
        let now = clock.now
        guard let reason = outcome.reason else {
            progress.failure = nil
            progress.deliveredAt = now.wallClock
            pace.answered()
            // Groups of a desktop overlap: they are done when all of them are.
            if record.target != .desktop { progress.cursor = max(progress.cursor, news.through) }
            return true
        }
        let since = progress.failure?.since ?? now.wallClock
        progress.failure = NotificationFailure(
            Excerpt.of(reason, longest: NotificationFailure.reasonLength), since: since)
        // The reason may quote the message, which the target gets. The owner is shown it, and the log is not.
        node.configuration.logger.info("a notification was not taken", metadata: ["target": "\(record.name)"])
        if case .refused = outcome {
            leaveOut(news)
            pace.answered()
            return true
        }
        if pace.failed(at: now.uptime) { leaveOut(news) }
        return false
    }

    private mutating func leaveOut(_ news: NotificationNews) {
        progress.lostCount += news.count
        progress.cursor = max(progress.cursor, news.through)
    }

    /// A target that takes nothing for long is notified of the last messages only.
    private mutating func leaveOutExcess() async throws(EarshotError) {
        guard progress.failure != nil else { return }
        let (store, userID, cursor) = (node.store, node.userID, progress.cursor)
        let (place, count) = try await node.readStore { () throws(StoreError) in
            let place = try store.arrivalPlace(last: Limits.waitingNotifications, for: userID)
            guard place > cursor else { return (cursor, 0) }
            let excess =
                try store.arrivedCount(after: cursor, for: userID) - store.arrivedCount(after: place, for: userID)
            return (place, excess)
        }
        progress.cursor = place
        progress.lostCount += count
    }

    private func read() async throws(EarshotError) -> (news: [NotificationNews], through: Int64, isComplete: Bool) {
        let (store, userID, cursor) = (node.store, node.userID, progress.cursor)
        let limit = record.target == .desktop ? Self.desktopMessages : Self.messages
        let (messages, through, isComplete) = try await node.readStore { () throws(StoreError) in
            let found = try store.arrived(
                after: cursor, for: userID, countLimit: limit, byteLimit: Self.bytes)
            var messages: [(message: Message, cursor: Int64, isMention: Bool)] = []
            for row in found.rows {
                guard let message = Message(row, for: userID) else { continue }
                messages.append((message, row.cursor, try NotificationChoice.isMention(message, of: userID, in: store)))
            }
            return (messages, found.through, found.isComplete)
        }
        let news = messages.filter { found in
            NotificationChoice.isNews(found.message, to: userID)
                && keeper.level(of: found.message.conversationID).includes(isMention: found.isMention)
        }
        return (
            news.map { NotificationNews(message: $0.message, through: $0.cursor, isMention: $0.isMention) }, through,
            isComplete
        )
    }

    private func notification(of news: NotificationNews) async -> MessageNotification {
        let message = news.message
        let sender = await node.shell.names(of: [message.senderID])[message.senderID]
        let name = await node.shell.names(of: [message.conversationID])[message.conversationID]
        return MessageNotification(
            message, index: news.through, isMention: news.isMention, count: news.count, senderName: sender?.text,
            conversationName: name)
    }

    private mutating func write() async {
        guard progress != written else { return }
        let (store, record, progress) = (node.store, record, progress)
        keeper.note(progress, of: record)
        do {
            try await node.writingHome { () throws(EarshotError) in
                do throws(StoreError) { try store.note(progress, of: record) } catch { throw EarshotError(error) }
            }
            (written, writtenAt) = (progress, clock.now.uptime)
        } catch {
            // After a restart the target is notified again of what it was notified of.
            node.configuration.logger.info(
                "it was not noted what somebody was notified of",
                metadata: ["target": "\(record.name)", "error": "\(error)"])
        }
    }
}
