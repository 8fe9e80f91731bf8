import EarshotModel

/// When this node tells its peers what it holds of conversations that it has in common with them.
///
/// Entries reach most participants from their author. Whoever the author does not reach is told by others, after a moment
/// that differs from node to node. Whatever is missed by this is found when digests are compared, some time after a
/// conversation has changed: that alone makes all copies equal in the end.
struct Gossip: Sendable {
    /// The end of a branch, to be told to a user.
    struct Announcement: Hashable, Sendable {
        let logID: LogID
        let userID: UserID
    }

    /// Uptimes.
    private var comparisons: [ConversationID: Int64] = [:]
    private var announcements: [Announcement: Int64] = [:]
    private let deviceID: DeviceID

    init(deviceID: DeviceID) { self.deviceID = deviceID }

    var deadline: Int64 {
        min(comparisons.values.min() ?? .max, announcements.values.min() ?? .max)
    }

    /// This node holds more of a conversation than before.
    mutating func changed(_ conversationID: ConversationID, now: Moment) {
        if comparisons[conversationID] == nil { comparisons[conversationID] = now.uptime + Timing.comparison }
    }

    /// The author of entries does not reach these users.
    mutating func announce(_ logID: LogID, to users: [UserID], now: Moment) {
        for userID in users {
            let announcement = Announcement(logID: logID, userID: userID)
            guard announcements[announcement] == nil, announcements.count < Limits.announcements else { continue }
            announcements[announcement] = now.uptime + delay(of: announcement)
        }
    }

    /// The same for the same node, log and user, and spread evenly over all of them.
    private func delay(of announcement: Announcement) -> Int64 {
        let spread = zip(zip(deviceID.bytes, announcement.logID.bytes), announcement.userID.bytes)
            .prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1.0.0 ^ $1.0.1 ^ $1.1) }
        let range = Timing.announcement
        return range.lowerBound + Int64(spread % UInt64(range.upperBound - range.lowerBound))
    }

    /// What is due now.
    mutating func takeDue(now: Moment) -> (comparisons: [ConversationID], announcements: [Announcement]) {
        let dueComparisons = comparisons.filter { $0.value <= now.uptime }.keys.sorted()
        for conversationID in dueComparisons { comparisons[conversationID] = nil }
        let dueAnnouncements = announcements.filter { $0.value <= now.uptime }.keys
            .sorted { ($0.logID, $0.userID) < ($1.logID, $1.userID) }
        for announcement in dueAnnouncements { announcements[announcement] = nil }
        return (dueComparisons, dueAnnouncements)
    }
}
