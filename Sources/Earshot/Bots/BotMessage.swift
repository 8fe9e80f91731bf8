import EarshotProtocol
public import Foundation
import Synchronization

/// A message that a bot handles.
///
/// What the handler answers is sent when it has returned, in the commit that acknowledges the message. If the handler
/// throws, nothing is sent, and the message comes again.
public struct BotMessage: Sendable {
    public let message: Message
    /// The sender, as the node knows them.
    public let sender: User?
    private let node: Node
    private let answers: BotAnswers
    private let bot: String

    /// - Parameter bot: the name of its consumer.
    init(_ message: Message, from sender: User?, to bot: String, on node: Node, answers: BotAnswers) {
        self.message = message
        self.sender = sender
        self.bot = bot
        self.node = node
        self.answers = answers
    }

    public var senderID: UserID { message.senderID }
    public var text: String { message.text }
    /// Where it was written. Answers go there.
    public var conversationID: ConversationID { message.conversationID }
    /// Whether it was written to the bot alone, and not in a conversation of many.
    public var isDirect: Bool { conversationID == .direct(node.userID, senderID) }

    /// The message of the bot's own user that the sender has chosen, by answering it.
    /// - Returns: `nil` if the message answers none, one of somebody else, or one that is not here.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    public func selectedMessage() async throws(EarshotError) -> Message? {
        guard let chosenID = message.replyTo else { return nil }
        do {
            let chosen = try await node.messages.message(chosenID)
            return chosen.senderID == node.userID ? chosen : nil
        } catch {
            guard error.code == .unknownMessage else { throw error }
            return nil
        }
    }

    /// Answers in the conversation of the message.
    ///
    /// - Parameters:
    ///   - text: the answer. It carries `Inbox.automaticHeader`, so that no other bot answers it.
    ///   - headers: metadata for programs.
    ///   - isReply: whether it is shown as a reply to the message. In a conversation of many it always is.
    ///   - notBefore: when it goes out; at once if it is left out.
    /// - Throws: `EarshotError` `invalidMessage`, also after the handler has returned and for more than
    ///   `Limits.botReplies` answers; `blocked`, `identityConflict` and `notAdmitted` for a recipient who gets no messages;
    ///   `notJoined` in a conversation that this node's user has left.
    public func reply(
        _ text: String, headers: [String: String] = [:], isReply: Bool = false, notBefore: Date? = nil
    ) async throws(EarshotError) {
        try await reply(MessageDraft(text, headers: headers), isReply: isReply, notBefore: notBefore)
    }

    /// Answers in the conversation of the message with a draft, which may have a layout.
    /// - Parameters:
    ///   - draft: the answer. It carries `Inbox.automaticHeader`, so that no other bot answers it.
    ///   - isReply: whether it is shown as a reply to the message. In a conversation of many it always is.
    ///   - step: the session that it belongs to, such as `message.message.session`, whose next step it is.
    ///   - notBefore: when it goes out; at once if it is left out. What goes out later belongs to no session.
    /// - Throws: `EarshotError` as for a text.
    public func reply(
        _ draft: MessageDraft, isReply: Bool = false, as step: SessionStep? = nil, notBefore: Date? = nil
    ) async throws(EarshotError) {
        guard step == nil || notBefore == nil else {
            throw EarshotError(.invalidMessage, "what goes out later belongs to no session")
        }
        let draft = try Self.checked(draft, step)
        try await node.shell.check(node.destination(answering: message))
        var reply = InboxReply(draft)
        reply.notBefore = notBefore
        reply.isReply = isReply || !isDirect
        reply.step = step
        try add(reply)
    }

    /// Answers the message later.
    /// - Parameters:
    ///   - text: the answer. It carries `Inbox.automaticHeader`, so that no other bot answers it.
    ///   - headers: metadata for programs.
    ///   - delay: how long after now, by the node's clock.
    /// - Throws: `EarshotError` as for an answer that goes out at once.
    public func reply(
        _ text: String, headers: [String: String] = [:], after delay: Duration
    ) async throws(EarshotError) {
        try await reply(text, headers: headers, notBefore: now + delay / .seconds(1))
    }

    /// Prepares an answer in the conversation of the message, which a person sends or discards (`Drafts`). It is there when
    /// the handler has returned, in the commit that acknowledges the message.
    /// - Parameters:
    ///   - text: the answer. If it is sent, it carries `Inbox.automaticHeader`.
    ///   - headers: metadata for programs.
    ///   - isReply: whether it is shown as a reply to the message. In a conversation of many it always is.
    /// - Throws: `EarshotError` as for an answer that is sent. If there are too many drafts, the message comes again.
    public func draft(
        _ text: String, headers: [String: String] = [:], isReply: Bool = false
    ) async throws(EarshotError) {
        let draft = try Self.checked(MessageDraft(text, headers: headers))
        try await node.shell.check(node.destination(answering: message))
        var reply = InboxReply(draft)
        reply.isReply = isReply || !isDirect
        reply.isDraft = true
        try add(reply)
    }

    /// Answers at once, before the handler has returned, so that the answer can show how far the work has come:
    /// ```swift
    /// let progress = try await message.show("0 %")
    /// for percent in 1...100 { try await progress.edit("\(percent) %") }
    /// ```
    /// It stays if the handler throws. When the message comes again, the first answer that is shown gives that one another
    /// text, the second the second, and so on: nothing is shown twice.
    /// - Throws: `EarshotError` as `Messages.reply` does.
    public func show(_ text: String, headers: [String: String] = [:]) async throws(EarshotError) -> BotReply {
        let key = "bot \(bot) \(message.messageID) \(answers.nextShown())"
        let marked = AutoSubmitted.marked(headers, AutoSubmitted.replied)
        let answer = try await node.messages.reply(text, headers: marked, to: message.messageID, inPlace: key)
        return BotReply(messageID: answer.messageID, node: node)
    }

    /// Reacts to the message at once with an emoji, as with 👀 when a long work begins. A handler that runs again reacts no
    /// second time.
    /// - Throws: `EarshotError` as `Messages.react` does.
    public func react(_ emoji: String) async throws(EarshotError) {
        try await node.messages.react(emoji, to: message.messageID)
    }

    /// Takes a reaction of the bot back.
    /// - Throws: `EarshotError` as `Messages.react` does.
    public func unreact(_ emoji: String) async throws(EarshotError) {
        try await node.messages.unreact(emoji, to: message.messageID)
    }

    /// Tells the others in the conversation that the bot types, for as long as some work takes.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws.
    public func typing<Result: Sendable>(
        while work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await node.conversations.conversation(of: message).typing(while: work)
    }

    private var now: Date { Date(milliseconds: node.environment.clock.now.wallClock) }

    /// Writes to somebody, as an answer to this message.
    /// - Throws: `EarshotError` as for an answer to the sender, and `invalidMessage` for a message to this node's own user.
    ///   A user who was never met gets it when the two nodes meet.
    public func send(
        _ draft: MessageDraft, to recipientID: UserID, notBefore: Date? = nil
    ) async throws(EarshotError) {
        let draft = try Self.checked(draft)
        try await node.shell.check(.user(recipientID))
        try add(InboxReply(to: recipientID, draft, notBefore: notBefore))
    }

    private static func checked(
        _ draft: MessageDraft, _ step: SessionStep? = nil
    ) throws(EarshotError) -> MessageDraft {
        var draft = draft
        draft.headers = AutoSubmitted.marked(draft.headers, AutoSubmitted.replied)
        // Its counter is known only when it is written.
        draft.session = step.map { MessageSession(id: $0.id, counter: 1, summary: $0.summary) }
        try draft.validate()
        return draft
    }

    private func add(_ reply: InboxReply) throws(EarshotError) {
        var reply = reply
        reply.answering = message.messageID
        try answers.add(reply)
    }
}

/// That a person turns to a bot: they have typed its name, or chosen a message of its.
public struct BotActivation: Sendable {
    /// With what they do so. It has the conversation, and answers go there.
    public let message: BotMessage
    /// The message of the bot's that they have chosen, if any.
    public let selectedMessage: Message?
}

/// An answer that a bot shows while it works on a message.
public struct BotReply: Sendable {
    public let messageID: MessageID
    let node: Node

    /// Gives it another text.
    /// - Throws: `EarshotError` as `Messages.edit` does.
    public func edit(_ text: String) async throws(EarshotError) { try await node.messages.edit(messageID, text) }

    /// Takes it back: when the work is done, and its result is another answer.
    /// - Throws: `EarshotError` as `Messages.retract` does.
    public func retract() async throws(EarshotError) { try await node.messages.retract(messageID) }
}

/// A message that asks a bot to run a command.
public struct BotCall: Sendable {
    public let message: BotMessage
    public var senderID: UserID { message.senderID }
    /// The sender, as the node knows them.
    public var sender: User? { message.sender }
    /// The whole message, with the command.
    public var text: String { message.text }
    private let command: String
    private let values: [String: BotValue]
    private let users: [String: User]

    init(_ message: BotMessage, command: String, values: [String: BotValue], users: [String: User]) {
        self.message = message
        self.command = command
        self.values = values
        self.users = users
    }

    /// What was written for a parameter.
    /// - Throws: `EarshotError` `unknownParameter` if the command was declared without a parameter of that name. The same
    ///   holds for `integer`, `duration` and `user`, which want one of that kind.
    public subscript(name: String) -> String {
        get throws(EarshotError) { try value(name).text }
    }

    public func integer(_ name: String) throws(EarshotError) -> Int {
        guard case .integer(let integer) = try value(name).meaning else { throw mismatch(name, "is no integer") }
        return integer
    }

    public func duration(_ name: String) throws(EarshotError) -> Duration {
        guard case .duration(let duration) = try value(name).meaning else { throw mismatch(name, "is no duration") }
        return duration
    }

    public func user(_ name: String) throws(EarshotError) -> User {
        guard let user = users[name] else { throw mismatch(name, "is no user") }
        return user
    }

    /// Answers the one who called; see `BotMessage.reply`.
    public func reply(
        _ text: String, headers: [String: String] = [:], isReply: Bool = false, notBefore: Date? = nil
    ) async throws(EarshotError) {
        try await message.reply(text, headers: headers, isReply: isReply, notBefore: notBefore)
    }

    /// Prepares an answer that a person sends or discards; see `BotMessage.draft`.
    public func draft(
        _ text: String, headers: [String: String] = [:], isReply: Bool = false
    ) async throws(EarshotError) {
        try await message.draft(text, headers: headers, isReply: isReply)
    }

    /// Answers at once, to show how far the work has come; see `BotMessage.show`.
    public func show(_ text: String, headers: [String: String] = [:]) async throws(EarshotError) -> BotReply {
        try await message.show(text, headers: headers)
    }

    /// Answers the one who called, later; see `BotMessage.reply`.
    /// - Parameters:
    ///   - text: the answer.
    ///   - headers: metadata for programs.
    ///   - delay: how long after now, by the node's clock.
    /// - Throws: `EarshotError` as for an answer that goes out at once.
    public func reply(
        _ text: String, headers: [String: String] = [:], after delay: Duration
    ) async throws(EarshotError) {
        try await message.reply(text, headers: headers, after: delay)
    }

    /// Tells the one who called that the bot types, for as long as some work takes; see `BotMessage.typing`.
    public func typing<Result: Sendable>(
        while work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await message.typing(while: work)
    }

    private func value(_ name: String) throws(EarshotError) -> BotValue {
        guard let value = values[name] else { throw mismatch(name, "is not declared") }
        return value
    }

    private func mismatch(_ name: String, _ problem: String) -> EarshotError {
        EarshotError(.unknownParameter, "the parameter \(name) of /\(command) \(problem)", .init(name: name))
    }
}

/// What a handler answers while it runs.
final class BotAnswers: Sendable {
    private let answers = Mutex<[InboxReply]?>([])
    private let shown = Mutex(0)

    /// Which of the answers that are shown at once the next one is, from 0.
    func nextShown() -> Int {
        shown.withLock { shown in
            defer { shown += 1 }
            return shown
        }
    }

    /// - Throws: `EarshotError` `invalidMessage`.
    func add(_ answer: InboxReply) throws(EarshotError) {
        let problem: String? = answers.withLock { answers in
            guard let count = answers?.count else { return "the handler of the message has returned already" }
            guard count < Limits.botReplies else { return "one message has at most \(Limits.botReplies) answers" }
            answers?.append(answer)
            return nil
        }
        if let problem { throw EarshotError(.invalidMessage, problem) }
    }

    /// The handler has returned.
    func close() -> [InboxReply] {
        answers.withLock { answers in
            defer { answers = nil }
            return answers ?? []
        }
    }
}
