/// How far a user's key is known to be theirs.
public enum Trust: String, Hashable, Sendable, CaseIterable {
    /// Pinned when it was first seen, and the same ever since.
    case unverified
    /// Two people compared the safety number.
    case verified
    /// Nothing is sent to this user, and nothing is taken.
    case blocked
}

/// A user as this node knows it: the pin of a name to a key.
public struct UserRecord: Hashable, Sendable {
    public let userID: UserID
    public var name: UserName
    public var trust: Trust
    /// Milliseconds since 1970.
    public var firstSeen: Int64
    /// Milliseconds since 1970 of the last link.
    public var lastSeen: Int64

    public init(userID: UserID, name: UserName, trust: Trust, firstSeen: Int64, lastSeen: Int64) {
        self.userID = userID
        self.name = name
        self.trust = trust
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// A user as the SDK shows it.
public struct User: Hashable, Sendable, Identifiable {
    public let userID: UserID
    public let name: UserName
    public let trust: Trust
    /// Whether there is a link to one of the user's devices now.
    public let isOnline: Bool
    /// Milliseconds since 1970 of the first and the last link.
    public let firstSeen: Int64
    public let lastSeen: Int64

    public var id: UserID { userID }

    public init(_ record: UserRecord, isOnline: Bool) {
        userID = record.userID
        name = record.name
        trust = record.trust
        self.isOnline = isOnline
        firstSeen = record.firstSeen
        lastSeen = record.lastSeen
    }
}
