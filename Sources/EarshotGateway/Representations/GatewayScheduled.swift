import Earshot
import Foundation

/// A message that waits for its time, as the local API shows it.
package struct GatewayScheduled: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    /// A user, or a conversation of many.
    package let recipient: GatewayParty
    package let text: String
    package let headers: [String: String]
    /// Left out for a message of which nothing but the text is shown.
    package let layout: GatewayLayout?
    package let timeToLiveSeconds: Double
    /// ISO 8601 in UTC with milliseconds.
    package let notBefore: String
    package let createdAt: String
    /// The message that it became. Left out while it waits.
    package let messageID: String?

    init(_ scheduled: ScheduledMessage, to recipient: GatewayParty) {
        id = scheduled.id.description
        self.recipient = recipient
        text = scheduled.draft.text
        headers = scheduled.draft.headers
        layout = scheduled.draft.layout.map { GatewayLayout($0) }
        timeToLiveSeconds = Double(scheduled.draft.timeToLive.milliseconds) / 1000
        notBefore = Timestamp.text(scheduled.notBeforeDate)
        createdAt = Timestamp.text(scheduled.scheduledAt)
        messageID = scheduled.messageID?.description
    }
}
