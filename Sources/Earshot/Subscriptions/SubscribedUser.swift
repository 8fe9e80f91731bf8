import Synchronization

/// A user whose values are always current: what changes anywhere shows here at once. `User` is a snapshot.
///
/// A node keeps at most `NodeConfiguration.subscribedUsers` of them, and lets go of the one that was subscribed to least
/// recently (`Event.userUnsubscribed`). From then on the values read nil, and the user is not online. Subscribing again
/// gives a new object.
public final class SubscribedUser: Sendable, Identifiable {
    public let userID: UserID
    private let state: Mutex<User?>
    /// Weak, so that a program that holds a user does not hold the node.
    private weak let shell: NodeShell?

    init(_ user: User, of shell: NodeShell) {
        userID = user.userID
        state = Mutex(user)
        self.shell = shell
    }

    /// The user's key.
    public var id: UserID { userID }

    /// A snapshot of the current values; `nil` if the node has let the user go.
    public var user: User? { state.withLock(\.self) }

    public var isSubscribed: Bool { user != nil }

    public var name: UserName? { user?.name }
    public var trust: Trust? { user?.trust }

    /// Whether there is a link to one of the user's devices now.
    public var isOnline: Bool { user?.isOnline ?? false }

    /// The values are no longer kept current. Harmless if the node has let the user go already.
    public func unsubscribe() async { await shell?.unsubscribe(self) }

    /// `nil` for a user whom the node lets go.
    func update(_ user: User?) { state.withLock { $0 = user } }
}
