import Synchronization

extension Users {
    /// Keeps the values of a user current, in an object that shows every change at once.
    ///
    /// Whoever subscribes to a user again gets the same object for as long as it is subscribed, and it is let go later. If
    /// there are more than `NodeConfiguration.subscribedUsers`, the one that was subscribed to least recently is let go.
    /// - Throws: `EarshotError` `unknownUser`; `stopped` after the node has stopped.
    public func subscribe(to userID: UserID) async throws(EarshotError) -> SubscribedUser {
        try await node.shell.subscribe(to: userID)
    }

    /// The users that are subscribed to now, the least recent one first.
    public var subscribed: [SubscribedUser] {
        get async { await node.shell.subscriptions.all }
    }
}

extension NodeShell {
    func subscribe(to userID: UserID) throws(EarshotError) -> SubscribedUser {
        guard state.withLock({ $0 }) != .stopped else { throw stoppedError }
        guard let user = user(userID) else {
            throw EarshotError(.unknownUser, "nobody with the key \(userID.fingerprint) is known")
        }
        let earlier = subscriptions[userID]
        let subscribed = earlier ?? SubscribedUser(user, of: self)
        let letGo = subscriptions.add(subscribed)
        if earlier == nil { post(.userSubscribed(userID)) }
        if let letGo { post(.userUnsubscribed(letGo.userID)) }
        return subscribed
    }

    func unsubscribe(_ user: SubscribedUser) {
        if subscriptions.remove(user) { post(.userUnsubscribed(user.userID)) }
    }

    /// The node stops: nothing changes any more.
    func unsubscribeAll() {
        for user in subscriptions.all { unsubscribe(user) }
    }
}
