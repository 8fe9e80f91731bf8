import EarshotModel

/// What is to be done about a credential, and when to look at it again: a value without clock, disk or key.
///
/// It stands for one credential; a renewed one has a schedule of its own.
struct CredentialSchedule: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case nothing
        /// Issue another. Where that fails, ask again as though it could not be renewed.
        case renew
        case tellWillExpire
        case tellExpired
        /// By this machine's clock the credential has not begun: the clock was set back, or was wrong before.
        case tellNotYetValid
    }

    let notBefore: Int64
    let notAfter: Int64
    /// The moments after which it is told that the credential will expire, in ascending order.
    private let warnings: [Int64]
    private var warningsTold = 0
    private var hasToldExpired = false
    /// Since when the credential has not been valid yet, by the wall clock.
    private var notYetValidSince: Int64?

    /// - Parameters: the credential's span of time, in milliseconds since 1970.
    init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        let renewal = Self.renewal(notBefore: notBefore, notAfter: notAfter)
        warnings = [renewal] + Timing.credentialWarnings.map { notAfter - $0 }.filter { $0 > renewal }
    }

    /// When a credential is renewed: with two thirds of its time over.
    static func renewal(notBefore: Int64, notAfter: Int64) -> Int64 {
        notBefore + (notAfter - notBefore) / 3 * 2
    }

    /// - Parameters:
    ///   - now: the wall clock, in milliseconds since 1970. It may have jumped either way.
    ///   - canRenew: whether the identity's key is at hand.
    /// - Returns: what to do, and in how many milliseconds to look again.
    mutating func step(now: Int64, canRenew: Bool) -> (step: Step, wait: Int64) {
        guard now >= notBefore else { return notYetValid(now: now, canRenew: canRenew) }
        notYetValidSince = nil
        let renewal = warnings[0]
        if canRenew, now >= renewal { return (.renew, 0) }
        guard now < notAfter else {
            defer { hasToldExpired = true }
            return (hasToldExpired ? .nothing : .tellExpired, Timing.credentialRetry)
        }
        let next = (warnings + [notAfter]).first { $0 > now } ?? notAfter
        let wait = min(next - now, Timing.ownCredentialCheck)
        let due = warnings.count { $0 <= now }
        guard due > warningsTold else { return (.nothing, wait) }
        warningsTold = due
        return (.tellWillExpire, wait)
    }

    /// A clock that is wrong after a start is often put right within a moment, and then the credential is valid as it
    /// is: another, issued by the wrong clock, would not be. A clock that stays as it is was wrong before.
    private mutating func notYetValid(now: Int64, canRenew: Bool) -> (step: Step, wait: Int64) {
        guard let since = notYetValidSince else {
            notYetValidSince = now
            return (.tellNotYetValid, Timing.credentialRetry)
        }
        // Set back once more: the patience begins anew.
        if now < since { notYetValidSince = now }
        let isLasting = now - since >= Timing.clockPatience
        return isLasting && canRenew ? (.renew, 0) : (.nothing, Timing.credentialRetry)
    }
}
