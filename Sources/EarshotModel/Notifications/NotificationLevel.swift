/// Of which messages of a conversation its user is notified.
public enum NotificationLevel: String, Hashable, Sendable, CaseIterable {
    /// Of each one.
    case all
    /// Of those that mention the user, or answer a message of theirs.
    case mentions
    /// Of none.
    case none

    /// That of a conversation of which nothing was said.
    public static let standard = NotificationLevel.all

    /// - Parameter isMention: whether a message mentions the user, or answers a message of theirs.
    package func includes(isMention: Bool) -> Bool {
        switch self {
        case .all: true
        case .mentions: isMention
        case .none: false
        }
    }
}
