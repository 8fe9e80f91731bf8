/// Takes the end off one of this node's own logs, because other entries turn out to stand in its places elsewhere. Nobody
/// was ever offered it. Its entries wait in a log of their own, of which nothing leaves, until they are written anew.
package struct UnsentTail: Hashable, Sendable {
    package let logID: LogID
    /// The last entry that stays.
    package let after: UInt64
    /// The log that takes the others, under their numbers. It begins behind the last one that stays.
    package let limbo: LogRecord

    package init(logID: LogID, after: UInt64, limbo: LogRecord) {
        self.logID = logID
        self.after = after
        self.limbo = limbo
    }
}

/// Entries of an unsent tail that the same commit writes anew into another log, or that are there already.
package struct RewrittenTail: Hashable, Sendable {
    package let limboID: LogID
    /// They are those up to this one, which are removed.
    package let through: LogHead
    /// Whether nothing is left after them.
    package let isLast: Bool
    /// Where they are now.
    package let places: [RenamedMessages]

    package init(limboID: LogID, through: LogHead, isLast: Bool, places: [RenamedMessages]) {
        self.limboID = limboID
        self.through = through
        self.isLast = isLast
        self.places = places
    }
}
