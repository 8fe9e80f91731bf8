import Logging
import NIOCore

/// The loop of a bot: it asks the inbox, runs handlers, and acknowledges what they have done, with their answers.
struct BotWork: Sendable {
    /// How long one question to the inbox waits for messages.
    private static let patience = Duration.seconds(600)
    /// What passes by itself, or when somebody makes room on the disk.
    private static let troubles: Set<EarshotError.Code> = [.overloaded, .storeFull, .storeUnavailable]
    /// What was handed out before is void: the home was restored, or somebody has moved or removed the consumer.
    private static let voids: Set<EarshotError.Code> = [.gone, .alreadyAcknowledged, .unknownConsumer]

    private let node: Node
    private let consumer: String
    private let start: InboxStart
    private let attempts: Int
    private let takesAutomatic: Bool
    private let handle: @Sendable (Message) async throws -> [InboxReply]
    private var handOut = HandOut<InboxReply>()
    private var isPrepared = false
    /// The first message of the last hand-out.
    private var head: MessageID?
    private var retries = BackOff.forMessages
    private var waits = BackOff(longest: .seconds(5))
    /// Whether messages are acknowledged one by one, because an acknowledgement of several was refused.
    private var isCareful = false

    init(
        node: Node, consumer: String, start: InboxStart, attempts: Int, takesAutomatic: Bool,
        handle: @escaping @Sendable (Message) async throws -> [InboxReply]
    ) {
        self.node = node
        self.consumer = consumer
        self.start = start
        self.attempts = attempts
        self.takesAutomatic = takesAutomatic
        self.handle = handle
    }

    /// Returns when the node has stopped, or the task is cancelled.
    mutating func run() async throws(EarshotError) {
        while !Task.isCancelled {
            do {
                try await prepare()
                let batch = try await node.inbox.receive(
                    consumer: consumer, limit: Limits.botMessages, wait: Self.patience,
                    includingAutomatic: takesAutomatic, attempts: attempts)
                waits.reset()
                try await work(through: batch)
                let failure = handOut.failure
                handOut.end()
                guard let failure else {
                    retries.reset()
                    continue
                }
                // A message that is set aside holds up nobody.
                let failed = batch.messages[failure.index].messageID
                if try await !isSetAside(failed, failure.reason) { await pause(retries.wait()) }
            } catch {
                switch error.code {
                case .stopped: return
                case let code where Self.voids.contains(code):
                    handOut.end()
                    isPrepared = false
                case let code where Self.troubles.contains(code): await pause(waits.wait())
                default: throw error
                }
            }
        }
    }

    /// The bot's place in the inbox, before it receives for the first time.
    private mutating func prepare() async throws(EarshotError) {
        guard !isPrepared else { return }
        try await node.inbox.prepareConsumer(consumer, from: start)
        isPrepared = true
    }

    private mutating func work(through batch: InboxBatch) async throws(EarshotError) {
        if batch.messages.first?.messageID != head { retries.reset() }
        head = batch.messages.first?.messageID
        handOut.begin(
            batch.messages.map { HandOut.Item(id: $0.messageID.description, sender: $0.senderID.description) })
        var fault: EarshotError?
        await withTaskGroup(of: (index: Int, result: Result<[InboxReply], any Error>).self) { group in
            while fault == nil {
                for index in handOut.start(limit: Limits.botHandlers) {
                    group.addTask { [handle] in
                        do { return (index, .success(try await handle(batch.messages[index]))) } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                do throws(EarshotError) {
                    if try await acknowledge(batch) { continue }
                } catch {
                    fault = error
                    break
                }
                guard let (index, result) = await group.next() else { break }
                switch result {
                case .success(let answers): handOut.finish(index, answers)
                case .failure(let error): fail(batch.messages[index], index, error)
                }
            }
        }
        if let fault { throw fault }
    }

    private func isSetAside(_ messageID: MessageID, _ reason: String) async throws(EarshotError) -> Bool {
        do { return try await node.inbox.fail(consumer: consumer, messageID, reason: reason) } catch {
            // A message before it that was not begun comes first.
            guard error.code == .notHandedOut else { throw error }
            return false
        }
    }

    private mutating func fail(_ message: Message, _ index: Int, _ error: any Error) {
        handOut.fail(index, "\(error)")
        node.configuration.logger.warning(
            "a bot has failed",
            metadata: ["bot": "\(consumer)", "message": "\(message.messageID)", "error": "\(error)"])
    }

    // MARK: - Acknowledging

    /// - Returns: whether there was something to acknowledge.
    private mutating func acknowledge(_ batch: InboxBatch) async throws(EarshotError) -> Bool {
        guard
            let done = handOut.acknowledgement(
                replyLimit: Limits.messagesPerSend, messageLimit: isCareful ? 1 : .max)
        else { return false }
        do {
            try await commit(done, batch)
            handOut.acknowledged(through: done.through)
            isCareful = false
            retries.reset()
        } catch {
            switch error.code {
            case .stopped: throw error
            case let code where Self.voids.contains(code): throw error
            case let code where Self.troubles.contains(code):
                await pause(waits.wait())
                if Task.isCancelled { throw error }
            default: refused(done, error, batch)
            }
        }
        return true
    }

    private mutating func refused(
        _ done: HandOut<InboxReply>.Acknowledgement, _ error: EarshotError, _ batch: InboxBatch
    ) {
        guard done.count == 1 else {
            isCareful = true
            return
        }
        fail(batch.messages[done.through], done.through, error)
    }

    private func commit(
        _ done: HandOut<InboxReply>.Acknowledgement, _ batch: InboxBatch
    ) async throws(EarshotError) {
        try await node.inbox.acknowledge(
            consumer: consumer, through: batch.cursors[done.through], sending: done.replies.map(\.reply))
    }

    // MARK: - Waiting

    /// Waits by the node's clock, and no longer than the node or this task lives.
    private func pause(_ duration: Duration) async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let clock = node.environment.clock
        let timer = clock.schedule(
            at: clock.now.uptime + duration.milliseconds, on: node.configuration.eventLoopGroup.next()
        ) { continuation.finish() }
        let states = node.events.events(.nodeStateChanged)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in stream {} }
            // Ends with the node.
            group.addTask { for await _ in states {} }
            await group.next()
            group.cancelAll()
        }
        timer.cancel()
    }
}
