import EarshotModel

/// When one target is notified next. It knows no messages: whoever holds it looks for them when it says so.
struct NotificationPace: Sendable {
    /// How long messages lie before anybody is notified, in milliseconds: what is read at once is no news, and a burst is
    /// one notification on a desktop.
    static let settling: Int64 = 1_000
    /// After so many attempts in vain a target is not notified of that message.
    static let attempts = 10

    /// At what uptime to look next; `nil` if there is nothing to look for.
    private(set) var dueTime: Int64?
    private var failures = 0
    /// Ten attempts take at least eight and a half minutes.
    private var backOff = BackOff(first: .seconds(1), longest: .seconds(300))

    /// Something has arrived, or the time has come.
    /// - Returns: whether to look now.
    mutating func isDue(at uptime: Int64) -> Bool {
        guard let dueTime else {
            self.dueTime = uptime + Self.settling
            return false
        }
        return uptime >= dueTime
    }

    /// The target has taken a notification, or refused it for good: it answers.
    mutating func answered() {
        failures = 0
        backOff.reset()
    }

    /// The target has not taken a notification.
    /// - Returns: whether it is not to be notified of that one any more. The next waits as long all the same.
    mutating func failed(at uptime: Int64) -> Bool {
        failures += 1
        dueTime = uptime + backOff.wait().milliseconds
        guard failures == Self.attempts else { return false }
        failures = 0
        return true
    }

    /// It is not known what there is: it is no fault of the target.
    mutating func wait(at uptime: Int64) { dueTime = uptime + backOff.wait().milliseconds }

    /// There is nothing left to be notified of.
    mutating func rest() { dueTime = nil }
}
