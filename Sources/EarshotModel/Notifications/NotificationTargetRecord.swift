/// A target as the store holds it.
package struct NotificationTargetRecord: Hashable, Sendable {
    /// What its user calls it. No other target has the name.
    package let name: String
    package let target: NotificationTarget
    /// The key of a webhook's signatures.
    package let secret: [UInt8]?
    /// In milliseconds since 1970, as the other times.
    package let createdAt: Int64
    /// How far it has come.
    package var progress: NotificationProgress

    package init(
        name: String, target: NotificationTarget, secret: [UInt8]?, createdAt: Int64, progress: NotificationProgress
    ) {
        self.name = name
        self.target = target
        self.secret = secret
        self.createdAt = createdAt
        self.progress = progress
    }
}

/// How far a target has come in the order of arrival.
package struct NotificationProgress: Hashable, Sendable {
    /// Up to here it was notified, or nobody needed to be.
    package var cursor: Int64
    /// When it took a notification last, in milliseconds since 1970.
    package var deliveredAt: Int64?
    /// Messages that it was not notified of, because it did not take them.
    package var lostCount = 0
    /// Why it took nothing at the last attempt, and since when; `nil` if it took it.
    package var failure: NotificationFailure?

    package init(cursor: Int64) { self.cursor = cursor }
}

/// Why a target takes nothing.
package struct NotificationFailure: Hashable, Sendable {
    /// An excerpt of it: at most `reasonLength` scalars.
    package let reason: String
    /// Of the first failure in a row, in milliseconds since 1970.
    package let since: Int64

    package static let reasonLength = 300

    package init(_ reason: String, since: Int64) {
        self.reason = reason
        self.since = since
    }
}
