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

    init(_ message: Message, from sender: User?, on node: Node, answers: BotAnswers) {
        self.message = message
        self.sender = sender
        self.node = node
        self.answers = answers
    }

    public var senderID: UserID { message.senderID }
    public var text: String { message.text }

    /// Answers the sender.
    ///
    /// - Parameters:
    ///   - text: the answer. It carries `Inbox.automaticHeader`, so that no other bot answers it.
    ///   - headers: metadata for programs.
    ///   - notBefore: when it goes out; at once if it is left out.
    /// - Throws: `EarshotError` `invalidMessage`, also after the handler has returned and for more than
    ///   `Limits.botReplies` answers; `blocked`, `identityConflict` and `notAdmitted` for a recipient who gets no messages.
    public func reply(
        _ text: String, headers: [String: String] = [:], notBefore: Date? = nil
    ) async throws(EarshotError) {
        try await send(MessageDraft(text, headers: headers), to: message.senderID, notBefore: notBefore)
    }

    /// Answers the sender later.
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

    /// Tells the sender that the bot types, for as long as some work takes.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws.
    public func typing<Result: Sendable>(
        while work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await node.conversations.direct(with: senderID).typing(while: work)
    }

    private var now: Date { Date(milliseconds: node.environment.clock.now.wallClock) }

    /// Writes to somebody, as an answer to this message.
    /// - Throws: `EarshotError` as for an answer to the sender, and `invalidMessage` for a message to this node's own user.
    ///   A user who was never met gets it when the two nodes meet.
    public func send(
        _ draft: MessageDraft, to recipientID: UserID, notBefore: Date? = nil
    ) async throws(EarshotError) {
        var draft = draft
        draft.headers = AutoSubmitted.marked(draft.headers, AutoSubmitted.replied)
        do { try draft.validate() } catch { throw EarshotError(.invalidMessage, "\(error)", cause: error) }
        try await node.shell.checkRecipient(recipientID)
        try answers.add(BotAnswer(recipientID: recipientID, draft: draft, notBefore: notBefore))
    }
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
        _ text: String, headers: [String: String] = [:], notBefore: Date? = nil
    ) async throws(EarshotError) {
        try await message.reply(text, headers: headers, notBefore: notBefore)
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

/// A message that a handler wants to be sent.
struct BotAnswer: Sendable {
    let recipientID: UserID
    let draft: MessageDraft
    let notBefore: Date?
}

/// What a handler answers while it runs.
final class BotAnswers: Sendable {
    private let answers = Mutex<[BotAnswer]?>([])

    /// - Throws: `EarshotError` `invalidMessage`.
    func add(_ answer: BotAnswer) throws(EarshotError) {
        let problem: String? = answers.withLock { answers in
            guard let count = answers?.count else { return "the handler of the message has returned already" }
            guard count < Limits.botReplies else { return "one message has at most \(Limits.botReplies) answers" }
            answers?.append(answer)
            return nil
        }
        if let problem { throw EarshotError(.invalidMessage, problem) }
    }

    /// The handler has returned.
    func close() -> [BotAnswer] {
        answers.withLock { answers in
            defer { answers = nil }
            return answers ?? []
        }
    }
}
