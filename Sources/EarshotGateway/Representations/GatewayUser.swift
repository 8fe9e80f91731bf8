import Earshot

/// A user as the local API shows it.
package struct GatewayUser: Codable, Hashable, Sendable, Identifiable {
    /// The user's key.
    package let id: String
    package let name: String
    /// The beginning of the key, as people compare it.
    package let fingerprint: String
    /// One of `TrustWord`.
    package let trust: String
    /// Whether the name is pinned to this key here: by the first message, or by a decision.
    package let isPinned: Bool
    /// What they call themselves now, if that is another name than the one that is pinned to them.
    package let claimedName: String?
    /// The key to which the name is pinned, if that is another. Nothing is sent to this one before somebody decides.
    package let conflictsWith: String?
    /// Whether there is a link to one of the user's devices now.
    package let isOnline: Bool
    /// The first and the last link: ISO 8601 in UTC with milliseconds, and milliseconds since 1970.
    package let firstSeen: String
    package let firstSeenMilliseconds: Int64
    package let lastSeen: String
    package let lastSeenMilliseconds: Int64
}

extension GatewayUser {
    init(_ user: User) {
        id = user.userID.description
        name = user.name.text
        fingerprint = user.userID.fingerprint
        trust = TrustWord(user).rawValue
        isPinned = user.isPinned
        claimedName = user.claimedName?.text
        conflictsWith = user.conflictingID?.description
        isOnline = user.isOnline
        firstSeen = Timestamp.text(user.firstSeen)
        firstSeenMilliseconds = user.firstSeen
        lastSeen = Timestamp.text(user.lastSeen)
        lastSeenMilliseconds = user.lastSeen
    }
}

/// How sure this node's user can be of a user, in the one word that tables and JSON have for it.
package enum TrustWord: String, Hashable, Sendable, CaseIterable {
    /// Met, without any message exchanged yet: the name is not pinned.
    case new
    /// The name is pinned to the key. Nobody has compared safety numbers.
    case unverified
    /// Two people have compared safety numbers.
    case verified
    /// Nothing is sent to this user, and nothing is taken from them.
    case blocked
    /// The name is pinned to another key. Nothing is sent to this one before somebody decides.
    case conflict

    init(_ user: User) {
        self =
            switch user.trust {
            case .blocked: .blocked
            case _ where user.conflictingID != nil: .conflict
            case .verified: .verified
            case .unverified: user.isPinned ? .unverified : .new
            }
    }
}
