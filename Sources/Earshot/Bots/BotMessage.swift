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
    private let answers: BotAnswers

    init(_ message: Message, from sender: User?, answers: BotAnswers) {
        self.message = message
        self.sender = sender
        self.answers = answers
    }

    public var text: String { message.text }

    /// Answers the sender.
    ///
    /// - Parameters:
    ///   - text: the answer. It carries `Inbox.automaticHeader`, so that no other bot answers it.
    ///   - headers: metadata for programs.
    ///   - notBefore: when it goes out; at once if it is left out.
    /// - Throws: `EarshotError` `invalidMessage`, also after the handler has returned and for more than
    ///   `Limits.botReplies` answers.
    public func reply(
        _ text: String, headers: [String: String] = [:], notBefore: Date? = nil
    ) async throws(EarshotError) {
        try await send(MessageDraft(text, headers: headers), to: message.senderID, notBefore: notBefore)
    }

    /// Writes to somebody, as an answer to this message.
    public func send(
        _ draft: MessageDraft, to recipientID: UserID, notBefore: Date? = nil
    ) async throws(EarshotError) {
        var draft = draft
        draft.headers = AutoSubmitted.marked(draft.headers, AutoSubmitted.replied)
        do { try draft.validate() } catch { throw EarshotError(.invalidMessage, "\(error)", cause: error) }
        try answers.add(BotAnswer(recipientID: recipientID, draft: draft, notBefore: notBefore))
    }
}

/// A message that asks a bot to run a command.
public struct BotCall: Sendable {
    public let message: BotMessage
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
    /// - Precondition: the command has a parameter of that name. The same holds for `integer`, `duration` and `user`,
    ///   which want one of that kind.
    public subscript(name: String) -> String { value(name).text }

    public func integer(_ name: String) -> Int {
        guard case .integer(let integer) = value(name).meaning else { mismatch(name, "an integer") }
        return integer
    }

    public func duration(_ name: String) -> Duration {
        guard case .duration(let duration) = value(name).meaning else { mismatch(name, "a duration") }
        return duration
    }

    public func user(_ name: String) -> User {
        guard let user = users[name] else { mismatch(name, "a user") }
        return user
    }

    /// Answers the one who called; see `BotMessage.reply`.
    public func reply(
        _ text: String, headers: [String: String] = [:], notBefore: Date? = nil
    ) async throws(EarshotError) {
        try await message.reply(text, headers: headers, notBefore: notBefore)
    }

    private func value(_ name: String) -> BotValue {
        guard let value = values[name] else { mismatch(name, "declared") }
        return value
    }

    private func mismatch(_ name: String, _ expected: String) -> Never {
        preconditionFailure("the parameter \(name) of /\(command) is not \(expected)")
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
