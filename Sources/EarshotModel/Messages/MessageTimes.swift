/// When a message reached each of its states for one recipient, by the clock of the node that noted it.
///
/// A time is missing for a state that was not reached, and where nobody noted it: an earlier version did not, and
/// messages that come back after the database was replaced by an older copy have none.
public struct MessageTimes: Hashable, Sendable {
    /// Milliseconds since 1970.
    package var sent: Int64?
    package var delivered: Int64?
    package var handled: Int64?
    package var read: Int64?

    package init() {}

    /// Only the times of states that a message has reached.
    /// - Parameter isSent: whether it was written to a link.
    package func reached(by state: DeliveryState, isSent: Bool) -> MessageTimes {
        var reached = self
        if !isSent { reached.sent = nil }
        if !state.isDelivered { (reached.delivered, reached.handled) = (nil, nil) }
        if state != .read { reached.read = nil }
        return reached
    }
}

/// What a node has noted of one message. It is no part of what the message is: everybody sees the same message at other
/// times and in another order, so any two of these are equal.
package struct LocalNotes: Hashable, Sendable {
    package let times: [UserID: MessageTimes]
    package let index: Int64?
    /// Whether this node's user has written it.
    package let isOwn: Bool

    package init(_ times: [UserID: MessageTimes] = [:], index: Int64? = nil, isOwn: Bool) {
        self.times = times
        self.index = index
        self.isOwn = isOwn
    }

    package static func == (a: LocalNotes, b: LocalNotes) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
