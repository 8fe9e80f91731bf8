/// Where a node notifies its user of messages.
public enum NotificationTarget: Hashable, Sendable {
    /// The desktop, through its notification server. Several messages of a conversation are one notification. It has
    /// nothing of what was written, because other users of the machine could read that.
    case desktop
    /// A program, which gets each notification as JSON on its standard input, and no shell runs it. It has taken a
    /// notification when it ends with 0.
    case command(path: String, arguments: [String])
    /// A server, which gets each notification in a `POST` request, signed as Standard Webhooks 1.0.0 says. It has taken a
    /// notification when it answers with a status from 200 to 299.
    case webhook(url: String)

    package var kind: NotificationTargetKind {
        switch self {
        case .desktop: .desktop
        case .command: .command
        case .webhook: .webhook
        }
    }
}

/// The kind of a target, as databases and programs name it.
package enum NotificationTargetKind: String, Hashable, Sendable, CaseIterable {
    case desktop, command, webhook
}
