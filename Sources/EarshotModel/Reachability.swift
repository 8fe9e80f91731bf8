/// Whether a peer could connect to this node's port.
package struct Reachability: Hashable, Sendable {
    /// The user who tried.
    package let userID: UserID
    /// `nil` if no answer came.
    package let isReachable: Bool?

    package init(userID: UserID, isReachable: Bool?) {
        self.userID = userID
        self.isReachable = isReachable
    }
}
