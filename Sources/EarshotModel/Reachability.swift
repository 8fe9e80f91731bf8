/// Whether a peer could connect to this node's port.
public struct Reachability: Hashable, Sendable {
    /// Who tried.
    public let userID: UserID
    /// `nil` where no answer came.
    public let isReachable: Bool?

    public init(userID: UserID, isReachable: Bool?) {
        self.userID = userID
        self.isReachable = isReachable
    }
}
