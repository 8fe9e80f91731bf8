import Earshot
import EarshotGateway
import Foundation
import Logging

/// Runs a program as a bot: the shell of `ExecBot`.
///
/// Where its node goes away, it waits for it to come back.
actor BotRunner {
    /// What takes time, and is done beside everything else. `ExecBot` asks for one of each kind at a time.
    private enum Work: Sendable {
        case runProgram
        case receive(limit: Int)
        case acknowledge(through: String, [ProgramAnswer])
        case fail(String, reason: String)
        case wake(Int64)
    }

    private let inbox: BotInbox
    private let path: String
    private let arguments: [String]
    private let environment: [String: String]
    private let logger: Logger
    private var bot: ExecBot
    private var child: BotChild?
    /// The answers that the program shows while it works, by the messages that it has.
    private var shown: [String: String] = [:]
    private var isEnding = false
    /// Ends with the program that runs when the bot is to end.
    private let isGone: AsyncStream<Never>
    private let gone: AsyncStream<Never>.Continuation
    private let work: AsyncStream<Work>
    private let queue: AsyncStream<Work>.Continuation

    /// - Parameter environment: what the program has beside this process's own.
    init(
        _ bot: ExecBot, program path: String, _ arguments: [String], environment: [String: String], inbox: BotInbox,
        logger: Logger
    ) {
        self.bot = bot
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.inbox = inbox
        self.logger = logger
        (isGone, gone) = AsyncStream.makeStream()
        (work, queue) = AsyncStream.makeStream()
    }

    /// Runs until the task is cancelled, or the node refuses the consumer for good.
    func run() async throws {
        perform(bot.advance(now: Self.now))
        try await withThrowingDiscardingTaskGroup { group in
            for await work in work { group.addTask { try await self.run(work) } }
            group.cancelAll()
        }
    }

    /// Tells the program to end, and kills it if it does not.
    func end() async {
        isEnding = true
        guard let child else { return }
        child.terminate()
        child.input.stop()
        let isOver: Void?
        do { isOver = try await within(BotChild.grace) { [isGone] in for await _ in isGone {} } } catch { isOver = nil }
        if isOver == nil { self.child?.kill() }
    }

    /// The time for which the machine sleeps does not count.
    private static var now: Int64 { (SuspendingClock.now - begin).milliseconds }

    private static let begin = SuspendingClock.now

    // MARK: - Actions

    private func perform(_ actions: [ExecBot.Action]) {
        for action in actions {
            switch action {
            case .start: if !isEnding { queue.yield(.runProgram) }
            case .kill: child?.kill()
            case .give(let message, let attempt): tell(.message(message, attempt: attempt))
            case .complain(let reason, let id): tell(.error(reason, failing: id))
            case .receive(let limit): queue.yield(.receive(limit: limit))
            case .acknowledge(let cursor, let answers): queue.yield(.acknowledge(through: cursor, answers))
            case .fail(let id, let reason): queue.yield(.fail(id, reason: reason))
            case .send, .typing, .act: preconditionFailure("only a line of the program makes the bot act unasked")
            case .note(let text): note(text)
            case .noteFailure(let message, let reason, let isSetAside):
                note(failureNote(message, reason, isSetAside: isSetAside))
            case .wake(let time): queue.yield(.wake(time))
            }
        }
    }

    private func failureNote(_ message: HandedMessage, _ reason: String, isSetAside: Bool) -> String {
        let id = ShortMessageID.shown(message.id)
        guard isSetAside else { return "the message \(id) comes again after a failure: \(reason)" }
        let count = Counted.text(inbox.attempts, "failure", "failures")
        return "the message \(id) is set aside after \(count): \(reason); "
            + "to have it again: earshot bot retry \(inbox.bot) \(id)"
    }

    /// A program that is told to end ends, and so does what is asked of the node: that is no news.
    private func note(_ text: String) {
        guard !isEnding else { return }
        logger.warning("\(SafeText.line(text))")
    }

    private func run(_ work: Work) async throws {
        switch work {
        case .runProgram: await runProgram()
        case .wake(let time):
            let wait = Duration.milliseconds(max(0, time - Self.now))
            try await Task.sleep(for: wait, clock: SuspendingClock())
            perform(bot.advance(now: Self.now))
        case .receive(let limit): try await receive(limit: limit)
        case .acknowledge(let cursor, let answers): try await acknowledge(through: cursor, answers)
        case .fail(let id, let reason): try await fail(id, reason)
        }
    }

    private func receive(limit: Int) async throws {
        do throws(GatewayError) {
            let messages = try await inbox.receive(limit: limit)
            perform(bot.received(messages, now: Self.now))
        } catch { try failed(error, acknowledging: false) }
    }

    private func acknowledge(through cursor: String, _ answers: [ProgramAnswer]) async throws {
        do throws(GatewayError) {
            try await inbox.acknowledge(through: cursor, answers)
            forgetShown()
            perform(bot.acknowledged(now: Self.now))
        } catch { try failed(error, acknowledging: true) }
    }

    /// Of what the program has no more nothing is edited. The number of those is bounded by what it may have at once.
    private func forgetShown() { shown = shown.filter { bot.has($0.key) } }

    private func fail(_ id: String, _ reason: String) async throws {
        do throws(GatewayError) {
            let isSetAside = try await inbox.fail(id, reason)
            perform(bot.failureNoted(isSetAside: isSetAside, now: Self.now))
        } catch {
            // A node that has begun anew does not know what it has handed out.
            if error.code == .notHandedOut {
                perform(bot.failureNoted(isSetAside: false, now: Self.now))
            } else {
                try failed(error, acknowledging: false)
            }
        }
    }

    private func failed(_ error: GatewayError, acknowledging: Bool) throws {
        switch BotInbox.meaning(of: error, acknowledging: acknowledging) {
        case .refused(let index): perform(bot.refused(error.message, answer: index, now: Self.now))
        case .beganAnew: perform(bot.inboxBeganAnew(now: Self.now))
        case .trouble: perform(bot.inboxFailed(error.message, now: Self.now))
        case .fatal: throw error
        }
    }

    private func send(_ sends: [BotSend]) async {
        for send in sends {
            do { try await inbox.send(send) } catch { perform(bot.notSent(error.message, now: Self.now)) }
        }
    }

    private func act(_ message: HandedMessage, _ deed: BotDeed) async {
        do throws(GatewayError) {
            switch deed {
            case .show(let text, let headers): shown[message.id] = try await inbox.show(text, headers, to: message)
            case .retract: try await inbox.client.retract(try shownID(message))
            case .react(let emoji, let isRemoved):
                try await inbox.client.react(emoji, to: message.id, removing: isRemoved)
            }
        } catch { perform(bot.notDone("it was not done: \(error.message)", now: Self.now)) }
    }

    /// The answer to a message that the program shows while it works on it.
    private func shownID(_ message: HandedMessage) throws(GatewayError) -> String {
        guard let id = shown[message.id] else {
            throw GatewayError(.unknownMessage, "the message has no \"reply\" yet")
        }
        return id
    }

    /// It makes no difference to the program whether somebody could be told.
    private func tellTyping(_ message: HandedMessage) async {
        do { try await inbox.tellTyping(message) } catch {
            logger.debug("nobody is told that the bot types: \(SafeText.line(error.message))")
        }
    }

    // MARK: - The program

    private func tell(_ line: ToldLine) {
        guard let child, !child.input.write(line.bytes, limit: BotChild.unreadBytes) else { return }
        perform(bot.programMisbehaved("the program does not read its standard input", now: Self.now))
    }

    private func runProgram() async {
        // The bot may have been told to end since this was asked for, and nobody would tell the program.
        guard !isEnding else { return }
        let child: BotChild
        do { child = try BotChild(path, arguments, environment: environment) } catch {
            perform(bot.programEnded(error.message, now: Self.now))
            return
        }
        self.child = child
        perform(bot.programStarted(now: Self.now))
        let reason = await child.run { line in
            await self.programWrote(line)
        } errors: { [logger] line in
            logger.info("\(SafeText.line(String(decoding: line.bytes, as: UTF8.self)))")
        }
        self.child = nil
        if isEnding { gone.finish() }
        perform(bot.programEnded(reason, now: Self.now))
    }

    /// Returns when the next line may be read.
    private func programWrote(_ line: LineSplitter.Line) async {
        switch line {
        case .whole(let bytes):
            for action in bot.programWrote(bytes, now: Self.now) {
                switch action {
                case .send(let sends): await send(sends)
                case .typing(let message): await tellTyping(message)
                case .act(let message, let deed): await act(message, deed)
                default: perform([action])
                }
            }
        case .cut:
            let reason = "the program has written a line of more than \(BotChild.lineBytes) bytes"
            perform(bot.programMisbehaved(reason, now: Self.now))
        }
    }
}

/// A line that the program of an exec bot is told.
enum ToldLine: Sendable {
    case message(HandedMessage, attempt: Int)
    /// - failing: the message on which the program has failed with that.
    case error(String, failing: String?)

    var bytes: [UInt8] {
        switch self {
        case .message(let message, let attempt):
            Array(#"{"type":"message","message":\#(message.json),"attempt":\#(attempt)}"#.utf8) + [UInt8(ascii: "\n")]
        case .error(let reason, let id):
            Self.encoded(["type": "error", "message": reason, "id": id].compactMapValues(\.self))
                + [UInt8(ascii: "\n")]
        }
    }

    private static func encoded(_ object: [String: String]) -> [UInt8] {
        do { return Array(try Output.encode(object).utf8) } catch {
            preconditionFailure("an object of texts can be written as JSON: \(error)")
        }
    }
}
