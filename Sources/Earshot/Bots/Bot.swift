import Foundation

/// A program that answers messages: commands that people type, and everything else.
///
/// ```swift
/// let bot = Bot("reminders", on: node)
///     .command("remind", "Reminds you later.", parameters: [.duration("in"), .text("what")]) { call in
///         try await call.reply("I will say so in \(call["in"]).")
///         try await call.reply(call["what"], after: call.duration("in"))
///     }
///     .otherwise { message in try await message.reply("I know: /remind. See /help.") }
///
/// async let running: Void = node.run()
/// try await bot.run()
/// try await running
/// ```
///
/// A bot misses no message, and answers none twice, whenever it or its node ends and begins again: what a handler
/// answers is written in one commit with the acknowledgement of the message. A handler that throws acknowledges
/// nothing. The message comes again after a wait, and is set aside once it has failed too often (`Inbox`). Handlers may
/// run more than once for one message, so what they do elsewhere must bear that.
///
/// Messages of one sender are handled in order, one at a time; up to `Limits.botHandlers` of different senders at once.
/// Every bot answers `/help`. It gets no message that another program sent by itself (`Inbox.automaticHeader`), unless
/// it asks for them.
public struct Bot: Sendable {
    let consumer: String
    let node: Node
    private let start: InboxStart
    private let attempts: Int
    private var router = BotRouter()
    private var commands: [String: @Sendable (BotCall) async throws -> Void] = [:]
    private var fallback: (@Sendable (BotMessage) async throws -> Void)?
    private var activation: (@Sendable (BotActivation) async throws -> Void)?
    private var takesAutomatic = false

    /// - Parameters:
    ///   - consumer: the name under which the node remembers how far the bot has come. No two bots of a node have the
    ///     same.
    ///   - node: whose messages it answers.
    ///   - start: where a bot begins that has not run before.
    ///   - attempts: after so many failures a message is set aside.
    public init(
        _ consumer: String, on node: Node, from start: InboxStart = .now, attempts: Int = Inbox.defaultAttempts
    ) {
        self.consumer = consumer
        self.node = node
        self.start = start
        self.attempts = attempts
    }

    // MARK: - What it does

    /// Declares a command: `/name` and its parameters, in order.
    ///
    /// A call with other values than these is answered with the usage line. A command that cannot be, such as the second of
    /// one name, is the bot's fault: `prepare()` and `run()` throw it.
    /// - Parameters:
    ///   - name: lowercase letters, digits and hyphens.
    ///   - summary: a sentence for the help.
    ///   - parameters: a text can only be the last.
    ///   - audience: who may use it. The help shows it to nobody else.
    ///   - handler: what it does.
    public func command(
        _ name: String, _ summary: String, parameters: [BotParameter] = [], for audience: BotAudience = .everyone,
        handler: @escaping @Sendable (BotCall) async throws -> Void
    ) -> Bot {
        var bot = self
        bot.router.add(.init(name: name, summary: summary, parameters: parameters, audience: audience))
        bot.commands[name] = handler
        return bot
    }

    /// Declares how a person turns to the bot: by typing `/name` and nothing else, or by answering one of the bot's messages
    /// with a text that is no command. Everybody may.
    /// - Parameters:
    ///   - name: lowercase letters, digits and hyphens.
    ///   - summary: a sentence for the help.
    ///   - handler: what it does.
    public func activated(
        by name: String, _ summary: String, handler: @escaping @Sendable (BotActivation) async throws -> Void
    ) -> Bot {
        var bot = command(name, summary) { call in
            let chosen = try await call.message.selectedMessage()
            try await handler(BotActivation(message: call.message, selectedMessage: chosen))
        }
        bot.activation = handler
        return bot
    }

    /// Handles messages that are no commands. A bot without this answers them with a pointer to `/help`.
    public func otherwise(_ handler: @escaping @Sendable (BotMessage) async throws -> Void) -> Bot {
        var bot = self
        bot.router.hasOtherwise = true
        bot.fallback = handler
        return bot
    }

    /// Handles messages that other programs sent by themselves, too. Then the handlers must see to it that two bots do
    /// not answer each other for ever.
    public func takingAutomatic() -> Bot {
        var bot = self
        bot.takesAutomatic = true
        return bot
    }

    /// Sends a message that answers none, marked as a program's.
    ///
    /// - Parameters:
    ///   - draft: the message.
    ///   - recipientID: the recipient.
    ///   - key: sent again with the same key, the message is not sent twice.
    /// - Throws: `EarshotError`, as `Messages.send` does.
    @discardableResult
    public func send(
        _ draft: MessageDraft, to recipientID: UserID, idempotencyKey key: String? = nil
    ) async throws(EarshotError) -> Message {
        var draft = draft
        draft.headers = AutoSubmitted.marked(draft.headers, AutoSubmitted.generated)
        return try await node.messages.send(draft, to: recipientID, idempotencyKey: key)
    }

    // MARK: - Running

    /// Gives the bot its place in the inbox, if it has none: from there on it misses nothing. `run()` does this first.
    /// - Throws: `EarshotError` `invalidCommand` if a command that was declared cannot be; `invalidConsumer`;
    ///   `tooManyConsumers`; `storeFull`, `storeUnavailable`, `stopped`.
    public func prepare() async throws(EarshotError) {
        if let fault = router.fault { throw fault }
        try await node.inbox.prepareConsumer(consumer, from: start)
        try await declareCommands()
    }

    /// The profile of the bot's user says that it is a bot, and has the commands that everybody may use: so faces can offer
    /// them. The rest of the profile stays.
    private func declareCommands() async throws(EarshotError) {
        let declared = BotProfile(commands: Array(router.declared.prefix(Limits.profileCommands)))
        guard !declared.commands.isEmpty else { return }
        var profile = try await node.users.ownProfile() ?? Profile()
        guard profile.bot != declared else { return }
        profile.bot = declared
        try await node.users.updateOwn(profile)
    }

    /// Handles messages until the node has stopped or this task is cancelled.
    ///
    /// - Throws: `EarshotError` `consumerBusy` if another program reads the inbox under this name, `invalidConsumer`
    ///   for a name that a consumer cannot have, `invalidCommand` if a command that was declared cannot be, `storeDamaged`;
    ///   what `Node.run()` throws if the node cannot run.
    public func run() async throws(EarshotError) {
        try await untilGracefulShutdown { () throws(EarshotError) in try await self.runUntilCancelled() }
    }

    private func runUntilCancelled() async throws(EarshotError) {
        if let fault = router.fault { throw fault }
        let work = BotWork(
            node: node, consumer: consumer, start: start, attempts: attempts, takesAutomatic: takesAutomatic
        ) { message in try await handle(message) }
        try await work.run()
        if let failure = await node.shell.failure { throw failure }
    }

    /// What a message asks for is done, and its answers are returned.
    private func handle(_ message: Message) async throws -> [InboxReply] {
        let sender = await node.users.other(message.senderID)
        let answers = BotAnswers()
        try await handle(BotMessage(message, from: sender, to: consumer, on: node, answers: answers))
        return answers.close()
    }

    private func handle(_ message: BotMessage) async throws {
        if let activation, !BotRouter.isCommand(message.text), let chosen = try await message.selectedMessage() {
            return try await activation(BotActivation(message: message, selectedMessage: chosen))
        }
        let sender = BotSender(userID: message.senderID, isVerified: message.sender?.trust == .verified)
        switch router.route(message.text, from: sender) {
        case .answer(let text): try await message.reply(text)
        case .otherwise: try await fallback?(message)
        case .command(let name, let values): try await call(name, values, message)
        }
    }

    private func call(_ name: String, _ values: [String: BotValue], _ message: BotMessage) async throws {
        var users: [String: User] = [:]
        for parameter in router.parameters(of: name) where parameter.kind == .user {
            guard let text = values[parameter.name]?.text else { continue }
            do { users[parameter.name] = try await node.users.other(named: text) } catch {
                guard [.unknownUser, .ambiguousUser].contains(error.code) else { throw error }
                return try await message.reply(router.refusal("\(parameter.shown): \(error.message).", command: name))
            }
        }
        try await commands[name]?(BotCall(message, command: name, values: values, users: users))
    }
}
