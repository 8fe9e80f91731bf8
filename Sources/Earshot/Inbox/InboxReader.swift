import EarshotProtocol
import EarshotStore

/// One call of `Inbox.receive`.
struct InboxReader: Sendable {
    let inbox: Inbox
    /// Its name among the consumers of all programs.
    let consumer: String
    let limit: Int
    let includesAutomatic: Bool
    let attempts: Int

    private var node: Node { inbox.node }

    private static let bytesPerRead = 4 * 1024 * 1024
    /// A day, in milliseconds.
    private static let longestWait: Int64 = 24 * 3600 * 1000

    /// Messages for the consumer, with their places.
    private struct Found: Sendable {
        var messages: [(cursor: Int64, message: Message)] = []
        /// Up to here there is nothing else.
        var through: Int64
        let generation: Int64
    }

    /// What is there now.
    func next() async throws(EarshotError) -> InboxBatch {
        while true {
            let plan = try await plan()
            let found = try await read(plan)
            guard let last = found.messages.last else {
                switch plan {
                case .after(let cursor, _): return batch(found, cursor: cursor)
                case .again(let cursor):
                    // Its content was erased since.
                    _ = try await node.shell.acknowledge(consumer, through: cursor, handled: [], sending: [])
                    continue
                }
            }
            await node.shell.handedOut(found.messages.map(\.cursor), attempts: attempts, to: consumer)
            return batch(found, cursor: last.cursor)
        }
    }

    /// What is there, or arrives in time. Commits wake it; it never looks without a reason.
    func next(wait: Duration) async throws(EarshotError) -> InboxBatch {
        let (arrivals, end) = node.events.arrivals.waiter()
        defer { end.finish() }
        let clock = node.environment.clock
        let endTime = clock.now.uptime + min(wait.milliseconds, Self.longestWait)
        let timer = clock.schedule(at: endTime, on: node.shell.loop) { end.finish() }
        defer { timer.cancel() }
        return try await next(after: arrivals)
    }

    private func next(after arrivals: AsyncStream<Void>) async throws(EarshotError) -> InboxBatch {
        var batch = try await next()
        guard batch.messages.isEmpty else { return batch }
        for await _ in arrivals {
            guard !node.workers.areEnding else { throw Inbox.ending }
            batch = try await next()
            guard batch.messages.isEmpty else { return batch }
        }
        return batch
    }

    private func plan() async throws(EarshotError) -> HandOutPlan {
        do { return try await node.shell.receive(consumer, limit: limit, attempts: attempts) } catch {
            guard error.code == .unknownConsumer else { throw error }
        }
        do { try await inbox.make(consumer) } catch {
            guard error.code == .consumerExists else { throw error }
        }
        return try await node.shell.receive(consumer, limit: limit, attempts: attempts)
    }

    private func read(_ plan: HandOutPlan) async throws(EarshotError) -> Found {
        let (store, userID, readers) = (node.store, node.userID, node.inboxReaders)
        let lateContents = node.events.lateContents.signalCount
        return try await node.readStore { () throws(StoreError) in
            switch plan {
            case .again(let cursor):
                var found = Found(through: cursor, generation: try store.generation())
                if let message = try store.arrived(at: cursor, for: userID).flatMap({ Message($0, for: userID) }) {
                    found.messages = [(cursor, message)]
                }
                return found
            case .after(let cursor, let limit):
                // The question was withdrawn: nothing was looked through.
                guard limit > 0 else { return Found(through: cursor, generation: try store.generation()) }
                let part = InboxReaders.Searched.Part(
                    cursor: cursor, includesAutomatic: includesAutomatic, lateContents: lateContents)
                let start = readers.start(consumer, in: part)
                var found = Found(through: start, generation: try store.generation())
                try search(&found, limit: limit, in: store, for: userID)
                if found.messages.isEmpty {
                    readers.note(.init(part: part, through: found.through), for: consumer)
                }
                return found
            }
        }
    }

    private func search(
        _ found: inout Found, limit: Int, in store: Store, for userID: UserID
    ) throws(StoreError) {
        var (count, isComplete) = (limit, false)
        while found.messages.isEmpty, !isComplete {
            let arrived = try store.arrived(
                after: found.through, for: userID, countLimit: count, byteLimit: Self.bytesPerRead)
            for row in arrived.rows where found.messages.count < limit {
                guard let message = Message(row, for: userID), includesAutomatic || !message.isAutomatic else {
                    continue
                }
                found.messages.append((row.cursor, message))
            }
            (found.through, isComplete) = (arrived.through, arrived.isComplete)
            // Where one is skipped, many may be.
            count = Limits.historyPage
        }
    }

    private func batch(_ found: Found, cursor: Int64) -> InboxBatch {
        InboxBatch(
            messages: found.messages.map(\.message), cursor: InboxCursor(generation: found.generation, number: cursor),
            cursors: found.messages.map { InboxCursor(generation: found.generation, number: $0.cursor) })
    }
}

extension Message {
    /// Whether a program has sent it by itself (RFC 3834).
    var isAutomatic: Bool { headers[Inbox.automaticHeader].map { $0 != "no" } ?? false }
}
