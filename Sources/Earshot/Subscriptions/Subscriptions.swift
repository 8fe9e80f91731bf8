/// The users whom programs have subscribed to, a limited number of them.
///
/// It decides who is let go. Its owner tells it what changes, in the order of the changes.
struct Subscriptions {
    private let limit: Int
    /// The one that was subscribed to least recently is the first.
    private(set) var all: [SubscribedUser] = []

    init(limit: Int) { self.limit = limit }

    subscript(userID: UserID) -> SubscribedUser? { all.first { $0.userID == userID } }

    /// Subscribes to somebody, or notes that this was wanted again.
    /// - Returns: whom this leaves no room for.
    mutating func add(_ user: SubscribedUser) -> SubscribedUser? {
        all.removeAll { $0.userID == user.userID }
        all.append(user)
        guard all.count > limit else { return nil }
        let oldest = all.removeFirst()
        oldest.update(nil)
        return oldest
    }

    /// - Returns: whether the object was one of these.
    mutating func remove(_ user: SubscribedUser) -> Bool {
        guard let index = all.firstIndex(where: { $0 === user }) else { return false }
        all.remove(at: index).update(nil)
        return true
    }

    /// Something about a user has changed.
    func update(_ user: User) { self[user.userID]?.update(user) }
}
