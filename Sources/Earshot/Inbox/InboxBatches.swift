extension Inbox {
    /// What is next for a consumer, batch after batch, as it comes: the loop of a program that misses nothing.
    ///
    /// Acknowledge each batch in the body of the loop; a batch of which nothing was acknowledged comes again. If the body
    /// ends its loop, it begins with the next loop where it was.
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

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Leaves the node's workers when the last copy of the iterator is released.
        private final class Presence: Sendable {
            let worker: Worker

            init(_ worker: Worker) { self.worker = worker }

            deinit { worker.leave() }
        }

        private let sequence: InboxBatches
        private var presence: Presence?

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
                    if !batch.messages.isEmpty { return batch }
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
