/// Who may have a link to a node. Keys decide, not names: a name is only a label.
public enum Admission: Hashable, Sendable {
    /// Everybody who is not blocked, and whose name is not pinned to another key.
    case everybody
    /// Of these users, only the given ones.
    case only(Set<UserID>)

    /// Whether a user may have a link to the node.
    public func admits(_ userID: UserID) -> Bool {
        switch self {
        case .everybody: true
        case .only(let userIDs): userIDs.contains(userID)
        }
    }
}
