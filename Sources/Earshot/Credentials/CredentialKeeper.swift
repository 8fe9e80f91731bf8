import EarshotModel
import EarshotProtocol
import Synchronization

/// Keeps a running node's credential valid: renews it in time, or warns in time that it cannot.
final class CredentialKeeper: Sendable {
    private let home: Home
    private let keys: DeviceKeys
    private let identity: IdentityAccess
    private let clock: WallClock
    private let current: Mutex<Credential>

    init(home: Home, unlocked: UnlockedHome, clock: WallClock) {
        self.home = home
        keys = unlocked.keys
        identity = unlocked.identity
        self.clock = clock
        current = Mutex(unlocked.credential)
    }

    /// Whether the identity's key is at hand.
    var canRenew: Bool { identity.isAtHand }

    /// The credential that the node shows now.
    var credential: Credential { current.withLock { $0 } }

    /// Looks after the credential until the task is cancelled.
    /// - Parameters:
    ///   - adopt: gives the node a renewed credential, which is already on the disk. The node reports it.
    ///   - post: receives the events that people must know about.
    func run(adopt: (Credential) async -> Void, post: (Event) async -> Void) async {
        var schedule = CredentialSchedule(credential)
        while true {
            let wait = await look(&schedule, adopt: adopt, post: post)
            // Throws only when the task is cancelled.
            do { try await clock.sleep(wait) } catch { return }
        }
    }

    /// - Returns: the milliseconds until the next look.
    private func look(
        _ schedule: inout CredentialSchedule, adopt: (Credential) async -> Void, post: (Event) async -> Void
    ) async -> Int64 {
        let now = clock.now()
        let (step, wait) = schedule.step(now: now, canRenew: identity.isAtHand)
        guard step == .renew else {
            if let event = event(for: step, problem: nil) { await post(event) }
            return wait
        }
        do throws(EarshotError) {
            let renewed = try home.renew(credential, identity: identity, keys: keys, now: now)
            current.withLock { $0 = renewed }
            schedule = CredentialSchedule(renewed)
            await adopt(renewed)
            return max(schedule.step(now: now, canRenew: true).wait, Timing.credentialRetry)
        } catch {
            let (step, _) = schedule.step(now: now, canRenew: false)
            if let event = event(for: step, problem: error) { await post(event) }
            return Timing.credentialRetry
        }
    }

    /// - Parameter problem: why it was not renewed although the identity is at hand.
    private func event(for step: CredentialSchedule.Step, problem: EarshotError?) -> Event? {
        let notice = CredentialNotice(
            notBefore: credential.notBefore, notAfter: credential.notAfter,
            problem: problem.map { .failed(reason: $0.message) } ?? .sealed)
        return switch step {
        case .nothing, .renew: nil
        case .tellWillExpire: .credentialWillExpire(notice)
        case .tellExpired: .credentialExpired(notice)
        case .tellNotYetValid: .credentialNotYetValid(notice)
        }
    }
}

extension CredentialSchedule {
    init(_ credential: Credential) { self.init(notBefore: credential.notBefore, notAfter: credential.notAfter) }
}
