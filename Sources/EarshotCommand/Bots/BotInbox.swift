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
            HandedMessage(id: message.id, sender: message.sender.id, cursor: cursor, json: Self.json(of: message))
        }
    }

    private static func json(of message: GatewayMessage) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return String(decoding: try encoder.encode(message), as: UTF8.self) } catch {
            preconditionFailure("what was read as JSON can be written so: \(error)")
        }
    }

    /// Everything up to a message is done, and these are the answers.
    func acknowledge(through cursor: String, _ answers: [ProgramAnswer]) async throws(GatewayError) {
        var replies: [GatewayClient.Reply] = []
        var places: [Int] = []
        for (index, answer) in answers.enumerated() {
            let (to, headers) = (
                answer.send.to ?? answer.message.sender, Self.marked(answer.send, AutoSubmitted.replied)
            )
            guard let notBefore = answer.send.notBefore else {
                replies.append(
                    .init(
                        to: to, text: answer.send.text, headers: headers, answering: answer.message.id,
                        idempotencyKey: answer.send.key))
                places.append(index)
                continue
            }
            // First, because the acknowledgement ends the handling. The key makes it one message, however often the
            // handling begins.
            do {
                try await client.schedule(
                    answer.send.text, to: to, headers: headers, notBefore: Self.text(notBefore),
                    key: answer.send.key ?? "\(bot) \(answer.message.id) \(answer.place)")
            } catch {
                // The program handled the message before and chose another time or text, which stands.
                guard error.code != .keyReused || answer.send.key != nil else { continue }
                throw error.about(answer: index)
            }
        }
        do { try await client.acknowledge(consumer: bot, through: cursor, sending: replies) } catch {
            throw error.about(answer: error.parameters.index.flatMap { places.indices.contains($0) ? places[$0] : nil })
        }
    }

    /// Sends what answers no message.
    func send(_ send: BotSend) async throws(GatewayError) {
        let headers = Self.marked(send, AutoSubmitted.generated)
        if let notBefore = send.notBefore {
            try await client.schedule(
                send.text, to: send.to ?? "", headers: headers, notBefore: Self.text(notBefore),
                key: send.key)
        } else {
            _ = try await client.send(send.text, to: send.to ?? "", headers: headers, key: send.key)
        }
    }

    private static func marked(_ send: BotSend, _ mark: String) -> [String: String] {
        AutoSubmitted.marked(send.headers, mark)
    }

    private static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension GatewayError {
    /// The same error, about one of the answers that go with an acknowledgement.
    fileprivate func about(answer index: Int?) -> GatewayError {
        var parameters = parameters
        parameters.index = index
        return GatewayError(code, message, parameters, cause: cause)
    }
}
