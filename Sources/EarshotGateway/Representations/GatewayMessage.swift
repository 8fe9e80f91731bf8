import Earshot

/// A message as the local API shows it.
package struct GatewayMessage: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    package let conversationID: String
    /// The name of a conversation of many, without the `#`. Left out for a direct one.
    package internal(set) var conversationName: String?
    package let sender: GatewayParty
    /// The recipients, and its state for each.
    package var recipients: [GatewayDelivery]
    /// Of a message of this node's own, how many of the recipients have come how far.
    package internal(set) var counts: GatewayDeliveryCounts?
    /// Empty if the content was deleted.
    package let text: String
    /// Whether the content was deleted: here, or by the recipient who gave the message back after this node's database
    /// was replaced by an older copy.
    package let isDeleted: Bool
    package let headers: [String: String]
    /// The sender's clock: ISO 8601 in UTC with milliseconds.
    package let timestamp: String
    /// The same in milliseconds since 1970.
    package let timestampMilliseconds: Int64
    /// When it fails if it is still not delivered, in the same two forms.
    package let expiry: String
    package let expiryMilliseconds: Int64
    /// When a message of somebody else reached this node's disk, in the same two forms. Left out if that is not known.
    package internal(set) var receivedAt: String?
    package internal(set) var receivedAtMilliseconds: Int64?
    /// Its place in the order of arrival. Left out in events that do not come from the journal.
    package internal(set) var index: Int64?
    /// The id of the message that it answers. Left out if it answers none.
    package internal(set) var replyTo: String?
    /// Users whom it is meant for in particular.
    package internal(set) var mentions: [GatewayParty] = []
    /// Left out for a message that belongs to no session.
    package internal(set) var session: GatewaySession?
    /// Left out for a message of which nothing but the text is shown.
    package internal(set) var layout: GatewayLayout?
    /// Whether its author gave it another text, which `text` is.
    package internal(set) var isEdited = false
    /// Whether its author took it back. Then text and headers are empty.
    package internal(set) var isRetracted = false
    package internal(set) var reactions: [GatewayReaction] = []
    /// The files that it brings along.
    package internal(set) var attachments: [GatewayAttachment] = []
}

/// A message's part in a session of messages that build on each other.
package struct GatewaySession: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    package let counter: UInt64
    /// What is shown of the message when a later one has taken its place.
    package let summary: String
    package let isSuperseded: Bool

    init(_ session: MessageSession) {
        (id, counter) = (session.id.description, session.counter)
        (summary, isSuperseded) = (session.summary, session.isSuperseded)
    }
}

/// How a message looks where there is room for more than its text. What it does not have is left out.
package struct GatewayLayout: Codable, Hashable, Sendable {
    package let caption: String?
    package let subcaption: String?
    package let imageTitle: String?
    package let imageSubtitle: String?
    /// What a screen reader reads in place of the message.
    package let accessibilityLabel: String?
    /// `http` or `https`.
    package let url: String?
    /// The host of `url`: what people are shown before they open it.
    package let urlHost: String?

    init(_ layout: MessageLayout) {
        func part(_ text: String) -> String? { text.isEmpty ? nil : text }
        (caption, subcaption) = (part(layout.caption), part(layout.subcaption))
        (imageTitle, imageSubtitle) = (part(layout.imageTitle), part(layout.imageSubtitle))
        accessibilityLabel = part(layout.accessibilityLabel)
        (url, urlHost) = (layout.url?.description, layout.url?.host)
    }
}

/// Who reacts to a message with one emoji.
package struct GatewayReaction: Codable, Hashable, Sendable {
    package let emoji: String
    package let users: [GatewayParty]
}

/// What changed about a message, and who changed it.
package struct GatewayMessageUpdate: Codable, Hashable, Sendable {
    package let messageID: String
    package let conversationID: String
    package let user: GatewayParty
    /// `text`, `isRetracted` or `reactions`.
    package let change: String
}

/// What became of a message for each of several recipients, in their order.
package struct GatewaySendResults: Codable, Sendable {
    package let results: [GatewaySendResult]
}

/// What became of it for one of them: a message, or an error.
package struct GatewaySendResult: Codable, Sendable {
    /// The recipient, as the request names them.
    package let to: String
    package let message: GatewayMessage?
    let error: ErrorResponse.Body?

    /// Why nothing was accepted.
    package var failure: GatewayError? { error.map { GatewayError(ErrorResponse(error: $0)) } }
}

/// A sender or a recipient.
package struct GatewayParty: Codable, Hashable, Sendable, Identifiable {
    /// The user's key.
    package let id: String
    /// Left out for a user that this node does not know.
    package let name: String?

    package init(id: String, name: String?) {
        self.id = id
        self.name = name
    }
}

/// How many of a message's recipients have come how far. Each state counts those who have come further, too.
package struct GatewayDeliveryCounts: Codable, Hashable, Sendable {
    package let recipients: Int
    package let sent: Int
    package let delivered: Int
    package let read: Int
    package let failed: Int

    init(_ counts: DeliveryCounts) {
        (recipients, sent, delivered) = (counts.recipients, counts.sent, counts.delivered)
        (read, failed) = (counts.read, counts.failed)
    }
}

/// The state of a message for one recipient.
package struct GatewayDelivery: Codable, Hashable, Sendable, Identifiable {
    /// The recipient's key.
    package let id: String
    /// Left out for a user that this node does not know.
    package internal(set) var name: String?
    /// `queued`, `sent`, `delivered`, `handled`, `read` or `failed`.
    package let state: String
    /// Why it failed: `expired`, `cancelled`, `blocked`, `identityChanged`, `deviceReplaced` or
    /// `removed`.
    package let reason: String?
    /// Of a message of this node's own, when it was written to a link, and when this node heard that the recipient has
    /// it, that a program of theirs has dealt with it, and that they have seen it: each as text, and in milliseconds since 1970. Left out for what has not happened, and where
    /// the time is not known.
    package internal(set) var sentAt: String?
    package internal(set) var sentAtMilliseconds: Int64?
    package internal(set) var deliveredAt: String?
    package internal(set) var deliveredAtMilliseconds: Int64?
    package internal(set) var handledAt: String?
    package internal(set) var handledAtMilliseconds: Int64?
    package internal(set) var readAt: String?
    package internal(set) var readAtMilliseconds: Int64?
}
