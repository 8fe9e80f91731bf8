import Earshot
import EarshotGateway
import Foundation

/// The inbox of a node, for one bot, over the node's local API.
struct BotInbox: Sendable {
    /// How long one question waits for messages, in seconds.
    private static let patience = 30

    let client: GatewayClient
    let bot: String
    let takesAutomatic: Bool
    /// Where a bot begins that has not run before: `now`, `beginning`, or a time.
    let start: String
    /// After so many failures a message is set aside.
    let attempts: Int

    /// What an error of the inbox means to a bot.
    enum Meaning {
        /// The acknowledgement is not possible, because of this one of its answers.
        case refused(answer: Int?)
        /// What was handed out before is handed out again.
        case beganAnew
        /// It may pass: the node is away or its disk is full, or it has not noticed yet that an earlier reader is gone.
        case trouble
        case fatal
    }

    static func meaning(of error: GatewayError, acknowledging: Bool) -> Meaning {
        switch error.code {
        case .gone, .unknownConsumer, .alreadyAcknowledged: .beganAnew
        case .noNode, .connectionLost, .timedOut, .stopped, .overloaded, .storeFull, .storeUnavailable, .consumerBusy,
            .tooManyRequests:
            .trouble
        case .storeDamaged, .storeNewer, .internalError, .unexpectedResponse: .fatal
        default: acknowledging ? .refused(answer: error.parameters.index) : .fatal
        }
    }

    /// Gives the bot its place in the inbox, if it has none: from there on it misses nothing.
    func prepare() async throws(GatewayError) { try await client.prepareConsumer(bot, from: start) }

    func receive(limit: Int) async throws(GatewayError) -> [HandedMessage] {
        let batch = try await client.receive(
            consumer: bot, limit: limit, wait: Self.patience, includingAutomatic: takesAutomatic,
            attempts: attempts)
        return zip(batch.messages, batch.cursors).map { message, cursor in
            HandedMessage(
                id: message.id, sender: message.sender.id,
                answeredAt: message.conversationName == nil ? message.sender.id : message.conversationID,
                cursor: cursor, json: Self.json(of: message))
        }
    }

    private static func json(of message: GatewayMessage) -> String {
        do { return try Output.encode(message) } catch {
            preconditionFailure("what was read as JSON can be written so: \(error)")
        }
    }

    /// Everything up to a message is done, and these are the answers.
    ///
    /// An answer that is shown already has its last text before that: so if this is cut short, it only comes again.
    func acknowledge(through cursor: String, _ answers: [ProgramAnswer]) async throws(GatewayError) {
        for (place, answer) in answers.enumerated() where answer.send.isInPlace {
            do throws(GatewayError) {
                _ = try await show(answer.send.text, answer.send.headers, to: answer.message)
            } catch { throw error.about(index: place) }
        }
        let sent = answers.indices.filter { !answers[$0].send.isInPlace }
        do throws(GatewayError) {
            try await client.acknowledge(
                consumer: bot, through: cursor, sending: sent.map { Self.reply(answers[$0]) })
        } catch { throw error.parameters.index.map { error.about(index: sent[$0]) } ?? error }
    }

    private static func reply(_ answer: ProgramAnswer) -> GatewayClient.Reply {
        GatewayClient.Reply(
            to: answer.send.to, text: answer.send.text, headers: marked(answer.send, AutoSubmitted.replied),
            answering: answer.message.id, isReply: answer.send.isReply, mentions: answer.send.mentions,
            idempotencyKey: answer.send.idempotencyKey, notBefore: answer.send.notBefore.map(text),
            layout: answer.send.layout, session: answer.send.session, isDraft: answer.send.isDraft)
    }

    /// The program failed on a message, and all before it is done.
    /// - Returns: whether the message is set aside now.
    func fail(_ id: String, _ reason: String) async throws(GatewayError) -> Bool {
        try await client.fail(consumer: bot, id, reason: reason)
    }

    /// Sends what answers no message.
    func send(_ send: BotSend) async throws(GatewayError) {
        let headers = Self.marked(send, AutoSubmitted.generated)
        if send.session != nil, send.isDraft || send.notBefore != nil {
            throw GatewayError(
                .invalidMessage, "a move of a session is sent at once: it is no draft, and has no notBefore")
        }
        if send.mentions?.isEmpty == false, send.notBefore != nil {
            throw GatewayError(
                .invalidMessage, "a message that goes out later mentions nobody, unless it answers another")
        }
        if send.isDraft {
            _ = try await client.insertDraft(
                send.text, to: send.to ?? "", headers: headers, mentions: send.mentions ?? [], layout: send.layout,
                by: bot, key: send.idempotencyKey)
        } else if let notBefore = send.notBefore {
            try await client.schedule(
                send.text, to: send.to ?? "", headers: headers, layout: send.layout,
                notBefore: Self.text(notBefore), key: send.idempotencyKey)
        } else {
            _ = try await client.send(
                send.text, to: send.to ?? "", headers: headers, mentions: send.mentions ?? [], layout: send.layout,
                session: send.session, key: send.idempotencyKey)
        }
    }

    /// Answers a message while the program works on it. If that was done before, this is the answer's text from now on.
    /// - Returns: the id of the answer.
    func show(
        _ text: String, _ headers: [String: String], to message: HandedMessage
    ) async throws(GatewayError) -> String {
        let headers = AutoSubmitted.marked(headers, AutoSubmitted.replied)
        return try await client.reply(
            text, to: message.id, headers: headers, key: "bot \(bot) \(message.id) 0", isInPlace: true
        ).id
    }

    /// Tells the others in a message's conversation that the bot types.
    func tellTyping(_ message: HandedMessage) async throws(GatewayError) {
        try await client.setTyping(true, to: message.answeredAt)
    }

    private static func marked(_ send: BotSend, _ mark: String) -> [String: String] {
        AutoSubmitted.marked(send.headers, mark)
    }

    private static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
