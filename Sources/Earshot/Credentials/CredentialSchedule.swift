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
        /// By this machine's clock the credential has not begun: the clock is behind, or the one that issued it was ahead.
        case tellNotYetValid
    }

    let notBefore: Int64
    let notAfter: Int64
    /// The moments after which it is told that the credential will expire, in ascending order.
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

    /// When a credential is renewed: with two thirds of its time over.
    static func renewal(notBefore: Int64, notAfter: Int64) -> Int64 {
        notBefore + (notAfter - notBefore) / 3 * 2
    }

    /// - Parameters:
    ///   - now: the wall clock, in milliseconds since 1970. It may have jumped either way.
    ///   - canRenew: whether the identity's key is at hand.
    /// - Returns: what to do, and in how many milliseconds to look again.
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

    /// A clock that was ahead, and was put right, has left a credential that no peer takes: another is issued at once.
    /// If it is this clock that is wrong nothing is lost, since by it peers are refused too, and what it issues is
    /// renewed when the clock is right.
    private mutating func notYetValid(canRenew: Bool) -> (step: Step, wait: Int64) {
        if canRenew { return (.renew, 0) }
        defer { hasToldNotYetValid = true }
        return (hasToldNotYetValid ? .nothing : .tellNotYetValid, Timing.credentialRetry)
    }
}
