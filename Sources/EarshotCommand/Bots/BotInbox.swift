import Earshot
import EarshotGateway
import Foundation

/// The inbox of the node that this process runs, for one bot.
struct BotInbox: Sendable {
    /// How long one question waits for messages.
    private static let patience = Duration.seconds(600)

    let node: Node
    let client: GatewayClient
    let bot: String
    let takesAutomatic: Bool

    /// What an error of the inbox means to a bot.
    enum Meaning {
        /// The acknowledgement is not possible, because of this one of its answers.
        case refused(answer: Int?)
        /// What was handed out before is handed out again.
        case beganAnew
        /// It may pass.
        case trouble
        case fatal
    }

    static func meaning(of error: EarshotError, acknowledging: Bool) -> Meaning {
        switch error.code {
        case .gone, .unknownConsumer: .beganAnew
        case .overloaded, .storeFull, .storeUnavailable: .trouble
        case .stopped, .storeDamaged, .internalError: .fatal
        default: acknowledging ? .refused(answer: error.parameters.index) : .fatal
        }
    }

    /// Gives the bot its place in the inbox, if it has none: from now on it misses nothing.
    func prepare() async throws(EarshotError) {
        do { try await node.inbox.makeConsumer(bot) } catch {
            guard error.code == .consumerExists else { throw error }
        }
    }

    func receive(limit: Int) async throws(EarshotError) -> [HandedMessage] {
        let batch = try await node.inbox.receive(
            consumer: bot, limit: limit, wait: Self.patience, includingAutomatic: takesAutomatic)
        var messages: [HandedMessage] = []
        for (message, cursor) in zip(batch.messages, batch.cursors) {
            messages.append(
                HandedMessage(
                    id: message.messageID.description, sender: message.senderID.description,
                    cursor: cursor.description, json: try await json(of: message)))
        }
        return messages
    }

    /// A message as the local API shows it.
    private func json(of message: Message) async throws(EarshotError) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let shown = try await client.message(message.messageID.description)
            return String(decoding: try encoder.encode(shown), as: UTF8.self)
        } catch {
            throw EarshotError(.overloaded, "the local API does not show a message: \(error)", cause: error)
        }
    }

    /// Everything up to a message is done, and these are the answers.
    func acknowledge(through cursor: String, _ answers: [BotAnswer]) async throws(EarshotError) {
        guard let cursor = InboxCursor(cursor) else {
            throw EarshotError(.gone, "\(cursor) is no place in an inbox")
        }
        var replies: [InboxReply] = []
        for (index, answer) in answers.enumerated() {
            do {
                let recipient = try await recipient(of: answer)
                let draft = draft(answer.send, AutoSubmitted.replied)
                guard let notBefore = answer.send.notBefore else {
                    replies.append(InboxReply(to: recipient, draft, answering: MessageID(answer.message.id)))
                    continue
                }
                // First, because the acknowledgement ends the handling. The key makes it one message, however often the
                // handling begins.
                try await schedule(draft, to: recipient, notBefore, key: "\(bot) \(answer.message.id) \(answer.place)")
            } catch {
                var parameters = error.parameters
                if case .refused = Self.meaning(of: error, acknowledging: true) { parameters.index = index }
                throw EarshotError(error.code, error.message, parameters, cause: error)
            }
        }
        try await node.inbox.acknowledge(consumer: bot, through: cursor, sending: replies)
    }

    private func recipient(of answer: BotAnswer) async throws(EarshotError) -> UserID {
        if let to = answer.send.to { return try await node.users.named(to).userID }
        guard let sender = UserID(answer.message.sender) else {
            throw EarshotError(.unknownUser, "\(answer.message.sender) is no user's key")
        }
        return sender
    }

    private func schedule(
        _ draft: MessageDraft, to recipient: UserID, _ notBefore: Date, key: String
    ) async throws(EarshotError) {
        do {
            try await node.messages.schedule(draft, to: recipient, notBefore: notBefore, idempotencyKey: key)
        } catch {
            // The program handled the message before and chose another time or text, which stands.
            guard error.code == .keyReused else { throw error }
        }
    }

    /// Sends what answers no message.
    func send(_ send: BotSend) async throws(EarshotError) {
        let recipient = try await node.users.named(send.to ?? "").userID
        let draft = draft(send, AutoSubmitted.generated)
        if let notBefore = send.notBefore {
            try await node.messages.schedule(draft, to: recipient, notBefore: notBefore)
        } else {
            try await node.messages.send(draft, to: recipient)
        }
    }

    private func draft(_ send: BotSend, _ mark: String) -> MessageDraft {
        MessageDraft(send.text, headers: AutoSubmitted.marked(send.headers, mark))
    }
}
