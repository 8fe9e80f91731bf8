import EarshotModel

/// Decides what to do about a credential, and when to look at it again. It is a value without clock, disk or key.
///
/// It belongs to one credential; a renewed credential has a schedule of its own.
struct CredentialSchedule: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case nothing
        /// Issue another. If that fails, ask again as if it could not be renewed.
        case renew
        case tellWillExpire
        case tellExpired
        /// By this machine's clock the credential has not begun: the clock is behind, or the one that issued it was ahead.
        case tellNotYetValid
    }

    let notBefore: Int64
    let notAfter: Int64
    /// The moments after which a warning says that the credential will expire, ascending.
    private let warnings: [Int64]
    private var warningsTold = 0
    private var hasToldExpired = false
    private var hasToldNotYetValid = false

    /// - Parameters: the credential's span of time, in milliseconds since 1970.
    init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        let renewal = Self.renewal(notBefore: notBefore, notAfter: notAfter)
        warnings = [renewal] + Timing.credentialWarnings.map { notAfter - $0 }.filter { $0 > renewal }
    }

    /// When a credential is renewed: after two thirds of its time.
    static func renewal(notBefore: Int64, notAfter: Int64) -> Int64 {
        notBefore + (notAfter - notBefore) / 3 * 2
    }

    /// - Parameters:
    ///   - now: the wall clock, in milliseconds since 1970. It may have jumped either way.
    ///   - canRenew: whether the identity's key is at hand.
    /// - Returns: what to do, and the milliseconds until the next look.
    mutating func step(now: Int64, canRenew: Bool) -> (step: Step, wait: Int64) {
        guard now >= notBefore else { return notYetValid(canRenew: canRenew) }
        hasToldNotYetValid = false
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

    /// A clock that was ahead and was then corrected has left a credential that no peer accepts, so another is issued
    /// at once. If this machine's clock is wrong instead, nothing is lost: peers are refused by this clock anyway, and
    /// the new credential is renewed when the clock is right.
    private mutating func notYetValid(canRenew: Bool) -> (step: Step, wait: Int64) {
        if canRenew { return (.renew, 0) }
        defer { hasToldNotYetValid = true }
        return (hasToldNotYetValid ? .nothing : .tellNotYetValid, Timing.credentialRetry)
    }
}
