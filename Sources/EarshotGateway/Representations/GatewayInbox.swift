import Earshot
import Foundation

/// Messages for a consumer, in the order in which they arrived.
package struct GatewayBatch: Codable, Hashable, Sendable {
    package let messages: [GatewayMessage]
    /// What to acknowledge when all of them are dealt with.
    package let cursor: String
    /// The place of each message.
    package let cursors: [String]
}

/// The messages that were sent with an acknowledgement, now or when it came first.
package struct GatewayAcknowledgement: Codable, Hashable, Sendable {
    package let messages: [GatewayMessage]
}

/// What became of a message on which a consumer failed.
package struct GatewayFailureNoted: Codable, Hashable, Sendable {
    package let isSetAside: Bool
}

/// A consumer as the local API shows it.
package struct GatewayConsumer: Codable, Hashable, Sendable {
    /// What its program calls it.
    package let name: String
    package let cursor: String
    /// How many messages have arrived after that.
    package let lag: Int
    /// The token with which it was made, by name. Left out for the owner's.
    package let token: String?
    /// ISO 8601 in UTC with milliseconds.
    package let createdAt: String
    /// Left out if nothing was.
    package let acknowledgedAt: String?
    package let fruitless: Int
    package let setAsideCount: Int
    /// Ids of messages that were set aside and come once more.
    package let comingAgain: [String]
    /// Left out if there was none.
    package let lastFailure: GatewayConsumerFailure?

    /// What the owner calls it.
    package var ownersName: String { token.map { "\($0)/\(name)" } ?? name }

    init(_ consumer: InboxConsumer) {
        name = consumer.name
        cursor = consumer.cursor.description
        lag = consumer.lag
        token = consumer.token
        createdAt = Timestamp.text(consumer.createdAt)
        acknowledgedAt = consumer.acknowledgedAt.map { Timestamp.text($0) }
        fruitless = consumer.fruitless
        setAsideCount = consumer.setAsideCount
        comingAgain = consumer.comingAgain.map(\.description)
        lastFailure = consumer.lastFailure.map { failure in
            GatewayConsumerFailure(
                reason: failure.reason, time: Timestamp.text(failure.date))
        }
    }
}

/// Why a consumer failed last.
package struct GatewayConsumerFailure: Codable, Hashable, Sendable {
    package let reason: String
    /// ISO 8601 in UTC with milliseconds.
    package let time: String
}

/// A message that is set aside for a consumer.
package struct GatewaySetAside: Codable, Hashable, Sendable {
    package let message: GatewayMessage
    package let reason: String
    package let time: String
}
