/// How sure this node's user can be that a key belongs to a user.
public enum Trust: String, Hashable, Sendable, CaseIterable {
    /// Nobody has compared the safety number. The name is pinned to the key at first use.
    case unverified
    /// Two people have compared the safety number.
    case verified
    /// Nothing is sent to this user, and nothing is accepted from them.
    case blocked
}

/// A user as this node knows them: somebody who has proved that they hold a key, and who calls themselves by a name.
package struct UserRecord: Hashable, Sendable {
    package let userID: UserID
    package var name: UserName
    package var trust: Trust
    /// Whether the name is pinned to this key here. At most one user of each name is pinned: by the first message that
    /// is exchanged, or by a decision of this node's user.
    package var isPinned: Bool
    /// What they call themselves now, if that is another name than the one that is pinned to them.
    package var claimedName: UserName?
    /// Milliseconds since 1970.
    package var firstSeen: Int64
    /// Milliseconds since 1970 of the last link.
    package var lastSeen: Int64

    package init(
        userID: UserID, name: UserName, trust: Trust, isPinned: Bool, claimedName: UserName? = nil, firstSeen: Int64,
        lastSeen: Int64
    ) {
        self.userID = userID
        self.name = name
        self.trust = trust
        self.isPinned = isPinned
        self.claimedName = claimedName
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// Another user, as this node knows them at one moment.
public struct User: Hashable, Sendable, Identifiable {
    public let userID: UserID
    public let name: UserName
    public let trust: Trust
    /// Whether the name is pinned to this key here: by the first message, or by a decision of this node's user.
    public let isPinned: Bool
    /// What they call themselves now, if that is another name than the one that is pinned to them. They are shown by the pinned
    /// one until this node's user accepts the other: `Users.decide(.accept, about:)`.
    public let claimedName: UserName?
    /// The user to whom this user's name is pinned, if that is another. Until this node's user decides which of the two
    /// owns the name, nothing is sent to this user and nothing is accepted from them.
    public let conflictingID: UserID?
    /// Whether there is a link to one of the user's devices now; or one of them is advertised, and has none only because the
    /// node has as many links as it makes. Such a device is linked as soon as there is something for it.
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
        claimedName = record.claimedName
        self.conflictingID = conflictingID
        self.isOnline = isOnline
        firstSeen = record.firstSeen
        lastSeen = record.lastSeen
    }
}

/// What this node's user can decide about another user.
public enum TrustDecision: String, Hashable, Sendable, CaseIterable {
    /// The name belongs to this key, and to no other from now on; the one that they call themselves now (`User.claimedName`), if
    /// that is another.
    case accept
    /// The safety numbers were compared, and are equal.
    case verify
    /// From now on nothing is sent to this user, and nothing is accepted from them.
    case block
    case unblock
}
