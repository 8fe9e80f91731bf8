import Earshot

/// A message that the inbox has handed out.
struct HandedMessage: Hashable, Sendable {
    let id: String
    /// The sender's key.
    let sender: String
    /// Where an answer goes: to the sender, or to the id of a conversation of many.
    let answeredAt: String
    /// Acknowledging this acknowledges the message and all before it.
    let cursor: String
    /// The message as the local API shows it, for the program.
    let json: String
}

/// An answer to a message.
struct ProgramAnswer: Hashable, Sendable {
    let message: HandedMessage
    let send: BotSend
}

/// A bot that is a program of its own: it gets messages as lines, and says in lines what became of them.
///
/// It decides when the program is started, which messages it gets, and what is acknowledged. It runs nothing: it
/// returns actions, and is told what became of them.
struct ExecBot: Sendable {
    enum Action: Hashable, Sendable {
        /// Start the program; `programStarted` or `programEnded` follows.
        case start
        /// Kill the program, which does not keep to the rules; `programEnded` follows.
        case kill
        /// Write a message to the program.
        /// - attempt: how often the program got it, with this time.
        case give(HandedMessage, attempt: Int)
        /// Tell the program what is wrong with a line of its own.
        /// - failing: the message on which it has failed with that. Nothing is to be answered.
        case complain(String, failing: String? = nil)
        /// Ask the inbox; `received` or `inboxFailed` follows.
        case receive(limit: Int)
        /// `acknowledged`, `refused` or `inboxFailed` follows.
        case acknowledge(through: String, [ProgramAnswer])
        /// Tell the inbox that the program failed on a message; `failureNoted` or `inboxFailed` follows.
        case fail(String, reason: String)
        case send([BotSend])
        /// Tell a message's sender that the bot types.
        case typing(HandedMessage)
        /// Do something about a message at once; `notDone` follows if that is not possible.
        case act(HandedMessage, BotDeed)
        /// For the log.
        case note(String)
        /// For the log: the program has failed on a message.
        /// - isSetAside: else it comes again.
        case noteFailure(HandedMessage, reason: String, isSetAside: Bool)
        /// Call `advance` at this uptime.
        case wake(Int64)
    }

    private enum Program: Sendable {
        case waiting(until: Int64)
        case starting
        /// It gets no message until then: it has to show that it can run at all.
        case onTrial(until: Int64)
        case running
        /// It has had a message for too long, and is killed.
        case ending
    }

    /// What is known of the program, which decides whose fault its end is.
    private enum Standing: Sendable {
        case unknown
        /// It has ended before it said of any message what became of it.
        case suspected
        /// It has said that of a message, or has run through a trial.
        case works
    }

    private enum Inbox: Sendable {
        /// Nothing is handed out.
        case idle
        case receiving
        case handedOut
        case acknowledging(HandOut<BotSend>.Acknowledgement)
        /// The hand-out is over, and the inbox is told why.
        case failing(HandedMessage, reason: String)
        /// Nothing is asked of the inbox until then. What is handed out stays so.
        case paused(until: Int64, isHandedOut: Bool)
    }

    /// How long a trial takes, in milliseconds. A program that cannot run ends sooner.
    private static let trial: Int64 = 2000

    /// How many messages the program may have at once.
    private let limit: Int
    private var deadlines: AnswerDeadlines
    private var program = Program.waiting(until: .min)
    private var inbox = Inbox.idle
    private var handOut = HandOut<BotSend>()
    private var messages: [HandedMessage] = []
    /// Whether messages are acknowledged one by one, because an acknowledgement of several was refused.
    private var isCareful = false
    /// The first message of the last hand-out, and how often the program had it first.
    private var head: String?
    private var attempts = 1
    private var standing = Standing.unknown
    private var restarts = BackOff()
    private var retries = RetryPolicy.messages.backOff
    private var reconnects = BackOff(longest: .seconds(5))
    private var complaints = Complaints()
    private var actions: [Action] = []

    init(limit: Int = 1, patience: Duration = .seconds(60)) {
        self.limit = limit
        deadlines = AnswerDeadlines(patience: patience)
    }

    // MARK: - Time and the program

    /// Time has passed. The first call starts the program.
    mutating func advance(now: Int64) -> [Action] { handle(now) { _ in } }

    mutating func programStarted(now: Int64) -> [Action] {
        handle(now) { bot in
            guard case .suspected = bot.standing else {
                bot.program = .running
                return
            }
            bot.program = .onTrial(until: now + Self.trial)
            bot.actions.append(.wake(now + Self.trial))
        }
    }

    /// The program has ended, or could not be started. What it had fails if the program is known to work. Else the
    /// program may be broken: it gets the same again after a trial, so that a program which cannot run fails no message,
    /// and a message that ends it holds up the others no longer than any that fails.
    mutating func programEnded(_ reason: String, now: Int64) -> [Action] {
        handle(now) { bot in
            let until = now + bot.restarts.wait().milliseconds
            // What it had beside a message that took too long comes again, and has not failed.
            if case .ending = bot.program {
                bot.handOut.putBackAll()
            } else if case .works = bot.standing {
                bot.handOut.failAll("the program ended while it had the message: \(reason)")
            } else {
                bot.standing = .suspected
                if bot.handOut.startOver() { bot.attempts += 1 }
            }
            bot.program = .waiting(until: until)
            bot.actions += [.note("the program ended: \(reason)"), .wake(until)]
        }
    }

    /// The program has written a line.
    mutating func programWrote(_ line: some Collection<UInt8>, now: Int64) -> [Action] {
        handle(now) { bot in
            do throws(LineError) { try bot.obey(ProgramLine(line: line)) } catch {
                bot.refuse(error.description, naming: ProgramLine.messageID(in: line), now: now)
            }
        }
    }

    /// A line is refused. The program has failed on the message that the line names, because it may never say anything
    /// else of it. So nothing waits for an answer to the complaint.
    private mutating func refuse(_ reason: String, naming id: String?, now: Int64) {
        guard let id, let index = handOut.underWay(id) else {
            complain(reason, "a line of the program is refused: \(reason)", now: now)
            return
        }
        handOut.fail(index, "a line of the program is refused: \(reason)")
        standing = .works
        actions.append(.complain(reason, failing: id))
    }

    /// Says what is wrong where no message has failed, which would bound how often that is said.
    private mutating func complain(_ reason: String, _ note: String, now: Int64) {
        let turn = complaints.next(now: now)
        guard turn != .leftOut else { return }
        actions += [.complain(reason), .note(note)]
        guard turn == .last else { return }
        actions.append(
            .note("\(Complaints.perMinute) lines of the program were refused: no more of them is said for a minute"))
    }

    /// A message that answers none was not sent.
    mutating func notSent(_ reason: String, now: Int64) -> [Action] {
        notDone("a message was not sent: \(reason)", now: now)
    }

    /// What the program wanted at once could not be done. It is done with a message all the same when it says so.
    mutating func notDone(_ text: String, now: Int64) -> [Action] {
        handle(now) { $0.complain(text, text, now: now) }
    }

    /// The program has begun a line that is longer than any may be, or does not read what it is told.
    mutating func programMisbehaved(_ reason: String, now: Int64) -> [Action] {
        handle(now) { $0.actions += [.note(reason), .kill] }
    }

    private mutating func obey(_ line: ProgramLine) throws(LineError) {
        switch line {
        case .acknowledge(let id, let sends):
            let index = try place(of: id)
            guard sends.count <= Limits.botReplies else {
                throw LineError("one message has at most \(Limits.botReplies) answers, and not \(sends.count)")
            }
            handOut.finish(index, sends)
            standing = .works
        case .fail(let id, let reason):
            handOut.fail(try place(of: id), reason)
            standing = .works
        case .typing(let id): actions.append(.typing(messages[try place(of: id)]))
        case .act(let id, let deed): actions.append(.act(messages[try place(of: id)], deed))
        case .send(let sends):
            guard !sends.contains(where: { $0.to == nil }) else {
                throw LineError("the field \"to\" is missing: only an answer has a sender to go to")
            }
            actions.append(.send(sends))
        }
    }

    /// Whether the program works on a message.
    func has(_ id: String) -> Bool { handOut.underWay(id) != nil }

    private func place(of id: String) throws(LineError) -> Int {
        guard let index = handOut.underWay(id) else {
            throw LineError("no message \"\(SafeText.line(String(id.prefix(128))))\" waits for this")
        }
        return index
    }

    // MARK: - The inbox

    mutating func received(_ messages: [HandedMessage], now: Int64) -> [Action] {
        handle(now) { bot in
            bot.reconnects.reset()
            bot.note(head: messages.first?.id)
            bot.messages = messages
            bot.handOut.begin(messages.map { HandOut.Item(id: $0.id, sender: $0.sender) })
            bot.inbox = messages.isEmpty ? .idle : .handedOut
        }
    }

    /// The first message of a hand-out is new, or comes again.
    private mutating func note(head id: String?) {
        if id == head {
            attempts += 1
        } else {
            (head, attempts) = (id, 1)
            retries.reset()
        }
    }

    mutating func acknowledged(now: Int64) -> [Action] {
        handle(now) { bot in
            guard case .acknowledging(let done) = bot.inbox else { return }
            bot.handOut.acknowledged(through: done.through)
            bot.inbox = .handedOut
            bot.isCareful = false
            bot.restarts.reset()
            bot.retries.reset()
            bot.reconnects.reset()
        }
    }

    /// The inbox knows that the program failed.
    /// - Parameter isSetAside: whether the message is set aside now; else it comes again.
    mutating func failureNoted(isSetAside: Bool, now: Int64) -> [Action] {
        handle(now) { bot in
            guard case .failing(let message, let reason) = bot.inbox else { return }
            bot.actions.append(.noteFailure(message, reason: reason, isSetAside: isSetAside))
            guard !isSetAside else {
                bot.inbox = .idle
                bot.endWait(now)
                return
            }
            let until = now + bot.retries.wait().milliseconds
            bot.inbox = .paused(until: until, isHandedOut: false)
            bot.actions.append(.wake(until))
        }
    }

    /// A message that ended the program is out of the way: the next one does not wait for it. The program first shows that
    /// it can still run, so a program that cannot fails none of those that follow.
    private mutating func endWait(_ now: Int64) {
        guard case .waiting = program else { return }
        restarts.reset()
        (program, standing) = (.waiting(until: now), .suspected)
    }

    /// The node does not take an acknowledgement, because of one of its answers.
    /// - Parameter index: which of the answers, if the node says so.
    mutating func refused(_ reason: String, answer index: Int?, now: Int64) -> [Action] {
        handle(now) { bot in
            guard case .acknowledging(let done) = bot.inbox else { return }
            bot.inbox = .handedOut
            let answer = index.flatMap { done.replies.indices.contains($0) ? done.replies[$0].index : nil }
            guard let message = answer ?? (done.count == 1 ? done.through : nil) else {
                bot.isCareful = true
                return
            }
            bot.handOut.fail(message, "an answer of the program is refused: \(reason)")
            bot.actions.append(
                .complain("an answer is refused: \(reason)", failing: bot.messages[message].id))
        }
    }

    /// The node has other cursors than before: what it has handed out is void.
    mutating func inboxBeganAnew(now: Int64) -> [Action] {
        handle(now) { bot in
            bot.handOut.failAll("the node was restored meanwhile")
            bot.handOut.end()
            bot.inbox = .idle
        }
    }

    /// The node cannot be asked now.
    mutating func inboxFailed(_ reason: String, now: Int64) -> [Action] {
        handle(now) { bot in
            let isHandedOut = if case .acknowledging = bot.inbox { true } else { false }
            let until = now + bot.reconnects.wait().milliseconds
            bot.inbox = .paused(until: until, isHandedOut: isHandedOut)
            bot.actions += [.note(reason), .wake(until)]
        }
    }

    // MARK: - What follows

    private mutating func handle(_ now: Int64, _ body: (inout ExecBot) -> Void) -> [Action] {
        body(&self)
        endOverdue(now)
        proceedWithProgram(now)
        while proceedWithInbox(now) {}
        if let time = deadlines.wake(handOut.underWay, now: now) { actions.append(.wake(time)) }
        defer { actions = [] }
        return actions
    }

    /// A program that has a message for too long is ended, and has failed on it.
    private mutating func endOverdue(_ now: Int64) {
        guard isProgramRunning else { return }
        let overdue = deadlines.overdue(handOut.underWay, now: now)
        guard let first = overdue.first else { return }
        let reason = "the program did not answer within \(deadlines.patience.milliseconds / 1000) s"
        for index in overdue { handOut.fail(index, reason) }
        program = .ending
        let id = ShortMessageID.shown(messages[first].id)
        actions += [.note("\(reason): it is killed; it had the message \(id)"), .kill]
    }

    private mutating func proceedWithProgram(_ now: Int64) {
        switch program {
        case .waiting(let until) where until <= now:
            program = .starting
            actions.append(.start)
        case .onTrial(let until) where until <= now: (program, standing) = (.running, .works)
        case .waiting, .starting, .onTrial, .running, .ending: break
        }
    }

    private var isProgramRunning: Bool { if case .running = program { true } else { false } }

    /// - Returns: whether there may be more to do.
    private mutating func proceedWithInbox(_ now: Int64) -> Bool {
        switch inbox {
        case .receiving, .failing: return false
        case .acknowledging:
            giveMessages(now)
            return false
        case .paused(let until, let isHandedOut):
            if isHandedOut { giveMessages(now) }
            guard until <= now else { return false }
            inbox = isHandedOut ? .handedOut : .idle
            return true
        case .idle:
            guard isProgramRunning else { return false }
            inbox = .receiving
            actions.append(.receive(limit: limit))
            return false
        case .handedOut:
            giveMessages(now)
            if let done = handOut.acknowledgement(
                replyLimit: Limits.messagesPerSend, messageLimit: isCareful ? 1 : .max)
            {
                inbox = .acknowledging(done)
                actions.append(.acknowledge(through: messages[done.through].cursor, answers(of: done)))
                return false
            }
            return handOut.isOver && endHandOut()
        }
    }

    /// The hand-out is over: all of it is acknowledged, or all before a message that failed.
    /// - Returns: whether there may be more to do.
    private mutating func endHandOut() -> Bool {
        let failure = handOut.failure
        handOut.end()
        guard let failure else {
            inbox = .idle
            return true
        }
        let message = messages[failure.index]
        inbox = .failing(message, reason: failure.reason)
        actions.append(.fail(message.id, reason: failure.reason))
        return false
    }

    private mutating func giveMessages(_ now: Int64) {
        guard isProgramRunning else { return }
        for index in handOut.start(limit: limit) {
            deadlines.begin(index, now: now)
            actions.append(.give(messages[index], attempt: attempt(index)))
        }
    }

    /// Only the first message of a hand-out can be one that comes again.
    private func attempt(_ index: Int) -> Int { index == 0 ? attempts : 1 }

    private func answers(of done: HandOut<BotSend>.Acknowledgement) -> [ProgramAnswer] {
        done.replies.map { ProgramAnswer(message: messages[$0.index], send: $0.reply) }
    }
}
