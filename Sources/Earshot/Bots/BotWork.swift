import Logging
import NIOCore

/// The loop of a bot: it asks the inbox, runs handlers, and acknowledges what they have done, with their answers.
///
/// When the bot's task is cancelled or its node is to end, no handler begins any more, but for messages that came before one
/// that was begun: what is answered is acknowledged in order. Handlers that run have the time that the node's configuration
/// gives them (`NodeConfiguration.endingLimit`), and what they answer is committed. Those that are not done then are
/// cancelled. That is no failure: their messages come again.
///
/// So nothing here runs in the task of the caller, whose cancellation would reach the handlers at once. `run` returns when
/// all of it has ended, or when the time is up: it does not wait for what a handler does about its cancellation.
actor BotWork {
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
    private var retries = RetryPolicy.messages.backOff
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

    /// Returns when the node has stopped or is to stop, or the task is cancelled.
    func run() async throws(EarshotError) {
        guard let worker = node.workers.enter() else { return }
        let work = Task { () -> Result<Void, EarshotError> in
            do throws(EarshotError) { return .success(try await handleAll(as: worker)) } catch {
                return .failure(error)
            }
        }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            worker.finish()
        }
        worker.leave()
        try result.get()
    }

    private func handleAll(as worker: Worker) async throws(EarshotError) {
        while case .working = worker.phase {
            do {
                try await prepare()
                let batch = try await receive(as: worker)
                waits.reset()
                try await work(through: batch, as: worker)
                let failure = handOut.failure
                handOut.end()
                guard let failure else {
                    retries.reset()
                    continue
                }
                // A message that is set aside holds up nobody.
                let failed = batch.messages[failure.index].messageID
                if try await !isSetAside(failed, failure.reason) { await worker.pause(retries.wait()) }
            } catch {
                switch error.code {
                case .stopped: return
                case let code where Self.voids.contains(code):
                    handOut.end()
                    isPrepared = false
                case let code where Self.troubles.contains(code): await worker.pause(waits.wait())
                default: throw error
                }
            }
        }
        // What it was given last was not in vain, only because the bot ends.
        if head != nil { await node.shell.handBack(consumer) }
    }

    /// The bot's place in the inbox, before it receives for the first time.
    private func prepare() async throws(EarshotError) {
        guard !isPrepared else { return }
        try await node.inbox.prepareConsumer(consumer, from: start)
        isPrepared = true
    }

    private func receive(as worker: Worker) async throws(EarshotError) -> InboxBatch {
        try await worker.whileWorking { [node, consumer, takesAutomatic, attempts] () throws(EarshotError) in
            try await node.inbox.receive(
                consumer: consumer, limit: Limits.botMessages, wait: Self.patience,
                includingAutomatic: takesAutomatic, attempts: attempts)
        }
    }

    // MARK: - Handling

    /// What a hand-out waits for.
    private enum Step: Sendable {
        case handled(Handled)
        /// The bot is to finish, or its time is up.
        case ending
    }

    /// What became of a message.
    private struct Handled: Sendable {
        let index: Int
        let result: Result<[InboxReply], any Error>
    }

    /// The handlers that run, and what they tell when they have ended.
    private struct Handlers {
        var running: [Int: Task<Void, Never>] = [:]
        let step: AsyncStream<Step>.Continuation
        var steps: AsyncStream<Step>.Iterator

        init() {
            // At most a step for each message, and two for the end.
            let (stream, step) = AsyncStream.makeStream(of: Step.self)
            self.step = step
            steps = stream.makeAsyncIterator()
        }
    }

    private func work(through batch: InboxBatch, as worker: Worker) async throws(EarshotError) {
        if batch.messages.first?.messageID != head { retries.reset() }
        head = batch.messages.first?.messageID
        handOut.begin(
            batch.messages.map { HandOut.Item(id: $0.messageID.description, sender: $0.senderID.description) })
        var handlers = Handlers()
        let observation = worker.observe { [step = handlers.step] in step.yield(.ending) }
        defer { worker.stopObserving(observation) }
        do {
            try await work(through: batch, &handlers, as: worker)
        } catch {
            await breakOff(&handlers, as: worker)
            throw error
        }
        guard !handlers.running.isEmpty else { return }
        node.configuration.logger.warning(
            "handlers of a bot were not done in time: their messages come again",
            metadata: ["bot": "\(consumer)", "handlers": "\(handlers.running.count)"])
        await breakOff(&handlers, as: worker)
    }

    private func work(
        through batch: InboxBatch, _ handlers: inout Handlers, as worker: Worker
    ) async throws(EarshotError) {
        while true {
            switch worker.phase {
            case .working: begin(batch, &handlers, through: nil)
            case .finishing: begin(batch, &handlers, through: handOut.lastBegun)
            case .over: break
            }
            if try await acknowledge(batch, as: worker) { continue }
            guard !handlers.running.isEmpty, worker.phase != .over,
                let step = await handlers.steps.next(isolation: self)
            else { return }
            guard case .handled(let handled) = step else { continue }
            handlers.running[handled.index] = nil
            switch handled.result {
            case .success(let answers): handOut.finish(handled.index, answers)
            case .failure(let error): fail(batch.messages[handled.index], handled.index, error)
            }
        }
    }

    /// - Parameter last: the place of the last message whose handler may begin; `nil` for all.
    private func begin(_ batch: InboxBatch, _ handlers: inout Handlers, through last: Int?) {
        for index in handOut.start(limit: Limits.botHandlers, through: last) {
            handlers.running[index] = Task { [handle, step = handlers.step, handling = Handling(among: node.workers)] in
                let result: Result<[InboxReply], any Error>
                do {
                    let answers = try await Handling.$current.withValue(handling) {
                        try await handle(batch.messages[index])
                    }
                    result = .success(answers)
                } catch { result = .failure(error) }
                handling.end()
                step.yield(.handled(Handled(index: index, result: result)))
            }
        }
    }

    /// Cancels the handlers that run, and waits until they have ended: their messages may be handed out again, and no
    /// message is handled twice at once. If the bot's time is up it waits for nobody.
    private func breakOff(_ handlers: inout Handlers, as worker: Worker) async {
        for handler in handlers.running.values { handler.cancel() }
        while !handlers.running.isEmpty, worker.phase != .over,
            let step = await handlers.steps.next(isolation: self)
        {
            if case .handled(let handled) = step { handlers.running[handled.index] = nil }
        }
    }

    private func isSetAside(_ messageID: MessageID, _ reason: String) async throws(EarshotError) -> Bool {
        do { return try await node.inbox.fail(consumer: consumer, messageID, reason: reason) } catch {
            // A message before it that was not begun comes first.
            guard error.code == .notHandedOut else { throw error }
            return false
        }
    }

    private func fail(_ message: Message, _ index: Int, _ error: any Error) {
        handOut.fail(index, "\(error)")
        node.configuration.logger.warning(
            "a bot has failed",
            metadata: ["bot": "\(consumer)", "message": "\(message.messageID)", "error": "\(error)"])
    }

    // MARK: - Acknowledging

    /// - Returns: whether there was something to acknowledge.
    private func acknowledge(_ batch: InboxBatch, as worker: Worker) async throws(EarshotError) -> Bool {
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
                guard worker.phase != .over else { throw error }
                await worker.pause(waits.wait(), alsoFinishing: true)
            default: refused(done, error, batch)
            }
        }
        return true
    }

    private func refused(
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
}
