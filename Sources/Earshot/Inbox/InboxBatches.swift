extension Inbox {
    /// What is next for a consumer, batch after batch, as it comes: the loop of a program that misses nothing.
    ///
    /// Acknowledge each batch in the body of the loop. A batch of which nothing was acknowledged was handed out in vain: it
    /// comes again after a while, longer each time, until its first message is set aside. If the body ends its loop, it
    /// begins with the next loop where it was.
    /// - Parameters:
    ///   - consumer: its name; see `receive`.
    ///   - limit: 1 to `Limits.historyPage` messages in a batch.
    ///   - includingAutomatic: whether messages come, too, that programs have sent by themselves.
    ///   - attempts: after so many hand-outs in vain a message is set aside.
    public func batches(
        consumer: String, limit: Int = 100, includingAutomatic: Bool = false, attempts: Int = Self.defaultAttempts
    ) -> InboxBatches {
        InboxBatches(
            inbox: self, consumer: consumer, limit: limit, includesAutomatic: includingAutomatic, attempts: attempts)
    }
}

/// The batches of a consumer, for one task to iterate.
///
/// Iterating throws `EarshotError` as `Inbox.receive` does, but for `stopped`: it ends when its task is cancelled or the
/// node is to stop. A batch is never empty.
public struct InboxBatches: AsyncSequence, Sendable {
    public typealias Element = InboxBatch
    public typealias Failure = EarshotError

    /// How long one question to the inbox waits for messages.
    private static let patience = Duration.seconds(600)

    let inbox: Inbox
    let consumer: String
    let limit: Int
    let includesAutomatic: Bool
    let attempts: Int

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Counts a hand-out in vain.
    private func isSetAside(_ messageID: MessageID) async throws(EarshotError) -> Bool {
        do throws(EarshotError) {
            return try await inbox.fail(
                consumer: consumer, messageID, reason: "the program has acknowledged nothing")
        } catch {
            // Somebody has moved the consumer meanwhile, or the home was restored.
            guard error.code == .notHandedOut else { throw error }
            return false
        }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Leaves the node's workers when the last copy of the iterator is released.
        private final class Presence: Sendable {
            let worker: Worker

            init(_ worker: Worker) { self.worker = worker }

            deinit { worker.leave() }
        }

        private let sequence: InboxBatches
        private var presence: Presence?
        /// The first message of the last batch.
        private var head: MessageID?
        /// Whether that was handed out in vain, and is due again.
        private var hasPaused = false
        private var retries = RetryPolicy.messages.backOff

        init(_ sequence: InboxBatches) {
            self.sequence = sequence
            presence = sequence.inbox.node.workers.enter().map(Presence.init)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(EarshotError) -> InboxBatch? {
            while let presence, !Task.isCancelled, case .working = presence.worker.phase {
                do throws(EarshotError) {
                    let batch = try await presence.worker.whileWorking { [sequence] () throws(EarshotError) in
                        try await sequence.inbox.receive(
                            consumer: sequence.consumer, limit: sequence.limit, wait: InboxBatches.patience,
                            includingAutomatic: sequence.includesAutomatic, attempts: sequence.attempts)
                    }
                    guard let first = batch.messages.first?.messageID else { continue }
                    if first != head { retries.reset() }
                    guard first == head, !hasPaused else {
                        (head, hasPaused) = (first, false)
                        return batch
                    }
                    hasPaused = true
                    if try await !sequence.isSetAside(first) { await presence.worker.pause(retries.wait()) }
                } catch {
                    guard error.code != .stopped else { break }
                    throw error
                }
            }
            presence = nil
            return nil
        }

        public mutating func next() async throws(EarshotError) -> InboxBatch? { try await next(isolation: nil) }
    }
}
