import Earshot
import Foundation

/// A target of notifications as the local API shows it.
package struct GatewayTarget: Codable, Hashable, Sendable, Identifiable {
    package let name: String
    /// `desktop`, `command` or `webhook`.
    package let kind: String
    /// Of a command: the program's path, and its arguments.
    package let command: [String]?
    /// Of a webhook.
    package let url: String?
    /// ISO 8601 in UTC with milliseconds, as the other times.
    package let createdAt: String
    /// When it took a notification last. Left out if it took none but the test.
    package let deliveredAt: String?
    /// Why it takes nothing now, and since when. Left out if it does.
    package let failure: String?
    package let failingSince: String?
    /// How many messages it was not notified of because it did not take them.
    package let lostCount: Int

    package var id: String { name }
}

/// A target that was just registered.
package struct GatewayNewTarget: Codable, Hashable, Sendable {
    package let target: GatewayTarget
    /// Of a webhook: what its requests are signed with. Nobody can get it again.
    package let secret: String?
}

/// What a notification is about.
package struct GatewayNotificationResult: Codable, Hashable, Sendable {
    /// `message` or `test`. A test is about nothing.
    package let type: String
    package let conversationID: String?
    package let messageID: String?
    package let index: Int64?
    package let isNews: Bool
}

extension GatewayTarget {
    init(_ registration: NotificationRegistration) {
        name = registration.name
        switch registration.target {
        case .desktop: (kind, command, url) = ("desktop", nil, nil)
        case .command(let path, let arguments): (kind, command, url) = ("command", [path] + arguments, nil)
        case .webhook(let address): (kind, command, url) = ("webhook", nil, address)
        }
        createdAt = Timestamp.text(registration.createdAt)
        deliveredAt = registration.deliveredAt.map(Timestamp.text)
        failure = registration.failure
        failingSince = registration.failingSince.map(Timestamp.text)
        lostCount = registration.lostCount
    }
}

extension GatewayNotificationResult {
    init(_ result: NotificationResult?) {
        type = result == nil ? "test" : "message"
        conversationID = result?.conversationID.description
        messageID = result?.messageID.description
        index = result?.index
        isNews = result?.isNews ?? false
    }
}
