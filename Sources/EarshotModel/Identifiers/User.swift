/// How far a user's key is known to be theirs.
public enum Trust: String, Hashable, Sendable, CaseIterable {
    /// Nobody compared the safety number. The name is pinned to the key at the first use.
    case unverified
    /// Two people compared the safety number.
    case verified
    /// Nothing is sent to this user, and nothing is taken.
    case blocked
}

/// A user as this node knows it: somebody who has proved to have a key and calls themselves by a name.
package struct UserRecord: Hashable, Sendable {
    package let userID: UserID
    package var name: UserName
    package var trust: Trust
    /// Whether the name stands for this key here. At most one user of each name is pinned: by the first message that
    /// is exchanged, or by a decision of this node's user.
    package var isPinned: Bool
    /// Milliseconds since 1970.
    package var firstSeen: Int64
    /// Milliseconds since 1970 of the last link.
    package var lastSeen: Int64

    package init(
        userID: UserID, name: UserName, trust: Trust, isPinned: Bool, firstSeen: Int64, lastSeen: Int64
    ) {
        self.userID = userID
        self.name = name
        self.trust = trust
        self.isPinned = isPinned
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// Another user, as this node knows them at one moment.
public struct User: Hashable, Sendable, Identifiable {
    public let userID: UserID
    public let name: UserName
    public let trust: Trust
    /// Whether the name stands for this key here: since the first message, or since this node's user decided so.
    public let isPinned: Bool
    /// The user to whom this user's name is pinned, where that is another. Until this node's user decides which of the
    /// two the name belongs to, nothing is sent to this one and nothing is taken from them.
    public let conflictingID: UserID?
    /// Whether there is a link to one of the user's devices now.
    public let isOnline: Bool
    /// Milliseconds since 1970 of the first and the last link.
    package let firstSeen: Int64
    package let lastSeen: Int64

    /// The user's key.
    public var id: UserID { userID }

    package init(_ record: UserRecord, conflictingID: UserID?, isOnline: Bool) {
        userID = record.userID
        name = record.name
        trust = record.trust
        isPinned = record.isPinned
        self.conflictingID = conflictingID
        self.isOnline = isOnline
        firstSeen = record.firstSeen
        lastSeen = record.lastSeen
    }
}

/// What this node's user can decide about another user.
public enum TrustDecision: String, Hashable, Sendable, CaseIterable {
    /// The name belongs to this key, and to no other from now on.
    case accept
    /// The safety numbers were compared and are the same.
    case verify
    /// Nothing is sent to this user any more, and nothing taken.
    case block
    case unblock
}
