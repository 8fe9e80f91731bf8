import EarshotModel

/// What became of an attempt to notify a target.
package enum NotificationOutcome: Hashable, Sendable {
    case taken
    /// It will never take this one.
    case refused(reason: String)
    /// It may take it later.
    case failed(reason: String)

    /// Why it was not taken.
    package var reason: String? {
        switch self {
        case .taken: nil
        case .refused(let reason), .failed(let reason): reason
        }
    }
}

/// Notifies targets.
package protocol Notifier: Sendable {
    /// - Parameter notification: `nil` for a test.
    func notify(_ record: NotificationTargetRecord, of notification: MessageNotification?) async -> NotificationOutcome
}
