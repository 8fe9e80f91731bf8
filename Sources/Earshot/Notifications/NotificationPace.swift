import EarshotModel

/// When one target is notified next. It knows no messages: whoever holds it looks for them when it says so.
struct NotificationPace: Sendable {
    /// How long messages lie before anybody is notified, in milliseconds: what is read at once is no news, and a burst is
    /// one notification on a desktop.
    static let settling: Int64 = 1_000

    /// When it is time to try again, or for the first time; `nil` if there is nothing to look for.
    private var tryTime: Int64?
    /// When it is time to look whether something new has arrived behind what was not taken; `nil` if nobody waits for that.
    private var seekTime: Int64?
    private var backOff = RetryPolicy.notifications.backOff

    /// What to do now.
    enum Turn: Hashable, Sendable {
        case wait
        /// Try everything that waits.
        case all
        /// Try what was not tried before.
        case others
    }

    /// At what uptime to look next; `nil` if there is nothing to look for.
    var dueTime: Int64? { [tryTime, seekTime].compactMap(\.self).min() }

    /// Something has arrived, or the time has come.
    /// - Parameter seeks: whether something new would be tried before what was not taken.
    mutating func turn(at uptime: Int64, seeks: Bool) -> Turn {
        guard let tryTime else {
            self.tryTime = uptime + Self.settling
            return .wait
        }
        if uptime >= tryTime { return .all }
        guard seeks else { return .wait }
        guard let seekTime else {
            self.seekTime = uptime + Self.settling
            return .wait
        }
        guard uptime >= seekTime else { return .wait }
        self.seekTime = nil
        return .others
    }

    /// The target has taken a notification, or refused it for good: it answers.
    mutating func answered() { backOff.reset() }

    /// The target has not taken what it was notified of.
    mutating func failed(at uptime: Int64) {
        tryTime = uptime + backOff.wait().milliseconds
        seekTime = nil
    }

    /// It is not known what there is: it is no fault of the target.
    mutating func wait(at uptime: Int64) { failed(at: uptime) }

    /// There is nothing left to be notified of.
    mutating func rest() { (tryTime, seekTime) = (nil, nil) }
}
