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
    /// Messages that were not taken, by their places.
    private var attempts = Attempts<Int64>(.notifications)
    /// Places past the cursor of which the target was notified, or that were left out: something before them is still tried.
    private var done: Set<Int64> = []
    /// Whether all that waits was tried in vain and may be at fault itself: then what arrives is tried before it.
    private var isSeeking = false

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
        let turn = pace.turn(at: clock.now.uptime, seeks: isSeeking)
        guard turn != .wait else { return }
        do {
            try await leaveOutExcess()
            while try await round(turn) { await write() }
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
    private mutating func round(_ turn: NotificationPace.Turn) async throws -> Bool {
        let (found, through, isComplete) = try await read()
        let line = NotificationChoice.grouped(found, for: record.target)
        forget(allBut: line)
        var failures = 0
        let waiting = line.filter { !done.contains($0.through) }
        for news in attempts.order(waiting, by: \.through) {
            guard turn == .all || attempts.count(news.through) == 0, !done.contains(news.through) else { continue }
            try Task.checkCancellation()
            let outcome = await node.environment.notifier.notify(record, of: await notification(of: news))
            try Task.checkCancellation()
            let isAnswered = take(outcome, of: news, in: line)
            advance(in: line, through: through)
            if isAnswered {
                failures = 0
                if clock.now.uptime - writtenAt >= Self.writingInterval { await write() }
            } else {
                failures += 1
                guard attempts.givesWay(line.first { !done.contains($0.through) }?.through ?? news.through),
                    failures <= RetryPolicy.notifications.probes
                else { break }
            }
        }
        return isOver(line, through: through, isComplete: isComplete, turn: turn, failures: failures)
    }

    /// A round is over.
    /// - Parameter failures: how many were not taken since the last that was.
    /// - Returns: whether there may be more.
    private mutating func isOver(
        _ line: [NotificationNews], through: Int64, isComplete: Bool, turn: NotificationPace.Turn, failures: Int
    ) -> Bool {
        let waiting = line.filter { !done.contains($0.through) }
        guard waiting.isEmpty else {
            // What is new is tried at once only where everything else was, and none of that shows that the target is at fault.
            isSeeking =
                isComplete && waiting.allSatisfy { attempts.count($0.through) > 0 }
                && waiting.first.map { attempts.givesWay($0.through) } == true && (turn == .all || failures == 0)
            if turn == .all || failures > 0 { pace.failed(at: clock.now.uptime) }
            return false
        }
        progress.cursor = max(progress.cursor, through)
        done = []
        isSeeking = false
        if isComplete { pace.rest() }
        return !isComplete
    }

    /// What was read, erased or left out meanwhile does not wait any more.
    private mutating func forget(allBut line: [NotificationNews]) {
        let places = Set(line.map(\.through))
        attempts.forget { !places.contains($0) }
        done.formIntersection(places)
    }

    /// Of which messages the target was notified is one place, so what was taken early waits for what is before it. Groups of a
    /// desktop overlap: they are done when all of them are.
    private mutating func advance(in line: [NotificationNews], through: Int64) {
        guard record.target != .desktop else { return }
        for news in line.prefix(while: { done.contains($0.through) }) {
            progress.cursor = max(progress.cursor, news.through)
        }
    }

    /// - Returns: whether the target has answered: has taken it, or refused it for good.
    private mutating func take(
        _ outcome: NotificationOutcome, of news: NotificationNews, in line: [NotificationNews]
    ) -> Bool {
        let now = clock.now
        if let reason = outcome.reason {
            let since = progress.failure?.since ?? now.wallClock
            progress.failure = NotificationFailure(
                Excerpt.of(reason, longest: NotificationFailure.reasonLength), since: since)
        } else {
            progress.failure = nil
            progress.deliveredAt = now.wallClock
        }
        switch outcome {
        case .taken: done.insert(news.through)
        case .refused: leaveOut(news)
        case .failed:
            node.configuration.logger.info("a notification was not taken", metadata: ["target": "\(record.name)"])
            if attempts.failed(news.through) { leaveOut(news) }
            return false
        }
        pace.answered()
        // Others were tried often enough, and the target takes what it is given.
        let atFault = Set(attempts.answered(news.through))
        for other in line where atFault.contains(other.through) { leaveOut(other) }
        return true
    }

    private mutating func leaveOut(_ news: NotificationNews) {
        progress.lostCount += news.count
        done.insert(news.through)
        // The reason may quote the message, which the target gets. The owner is shown it, and the log is not.
        node.configuration.logger.info(
            "a notification was left out: its target does not take it", metadata: ["target": "\(record.name)"])
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
