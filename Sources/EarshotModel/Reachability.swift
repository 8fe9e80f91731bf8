/// Whether a peer could connect to this node's port.
package struct Reachability: Hashable, Sendable {
    /// Who tried.
    package let userID: UserID
    /// `nil` where no answer came.
    package let isReachable: Bool?

    package init(userID: UserID, isReachable: Bool?) {
        self.userID = userID
        self.isReachable = isReachable
    }
}
