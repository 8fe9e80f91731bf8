import Dispatch
import EarshotCrypto
import EarshotModel
import EarshotProtocol
import Synchronization

/// Keeps a running node's credential valid: renews it in time, or warns in time that it cannot. It also has the identity's
/// key sign what other devices of the user need.
final class CredentialKeeper: Sendable {
    private let home: Home
    private let keys: DeviceKeys
    private let identity: IdentityAccess
    private let clock: WallClock
    private let current: Mutex<Credential>
    /// Key files are read and written here, one after the other.
    private let files = DispatchQueue(label: "earshot.credentials")

    init(home: Home, unlocked: UnlockedHome, clock: WallClock) {
        self.home = home
        keys = unlocked.keys
        identity = unlocked.identity
        self.clock = clock
        current = Mutex(unlocked.credential)
    }

    /// Whether the identity's key is at hand.
    var canRenew: Bool { identity.isAtHand }

    /// Whether this device does not hold the identity.
    var isLinked: Bool { !identity.isHere }

    /// A secret for one purpose, which follows from the device's key and tells nothing about it. So it need not be kept.
    /// - Parameter purpose: a text that the device signs for nothing else. Only the device can make the signature, and makes the
    ///   same one each time (RFC 8032).
    func secret(for purpose: String) -> [UInt8] { keys.signing.signature(for: Array(purpose.utf8)).bytes }

    /// The credential that the node shows now.
    var credential: Credential { current.withLock { $0 } }

    /// - Parameters:
    ///   - withIdentity: whether the answer has the identity's key, too.
    ///   - completion: is called on a thread of its own.
    func grant(
        _ request: CredentialRequest, withIdentity: Bool,
        completion: @escaping @Sendable (Result<(CredentialGrant, SecretBytes?), EarshotError>) -> Void
    ) {
        files.async { [self] in
            completion(
                Result { () throws(EarshotError) in
                    let grant = try home.grant(request, identity: identity)
                    return (grant, withIdentity ? try home.identitySeed(identity) : nil)
                })
        }
    }

    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded`, `unusableHome`.
    func revocation(of deviceID: DeviceID) throws(EarshotError) -> Revocation {
        try home.revocation(of: deviceID, identity: identity)
    }

    /// The identity's word where the logs of a device end.
    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded`, `unusableHome`.
    func cuts(
        of deviceID: DeviceID, after ends: [ConversationID: [LogPlace]]
    ) throws(EarshotError) -> [ConversationID: DeviceCut] {
        try home.cuts(of: deviceID, after: ends, identity: identity)
    }

    /// The identity's word that this device holds it, for a conversation that it creates; `nil` where the identity is not
    /// at hand.
    func primaryProof(of deviceID: DeviceID, in conversationID: ConversationID) throws(EarshotError) -> Signature? {
        try ifAtHand { () throws(EarshotError) in
            try home.primaryProof(of: deviceID, in: conversationID, identity: identity)
        }
    }

    /// What the other devices are told of a decision, with the identity's word; `nil` where the identity is not at hand.
    func signed(_ decision: Decision, for deviceID: DeviceID) throws(EarshotError) -> Decision? {
        try ifAtHand { () throws(EarshotError) in try home.signed(decision, for: deviceID, identity: identity) }
    }

    private func ifAtHand<Value>(_ work: () throws(EarshotError) -> Value) throws(EarshotError) -> Value? {
        do { return try work() } catch {
            guard [.needsPrimary, .passphraseNeeded].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Writes a credential that a primary device has issued to this one.
    /// - Parameter completion: is called on a thread of its own.
    func adopt(_ credential: Credential, completion: @escaping @Sendable (Result<Void, EarshotError>) -> Void) {
        files.async { [self] in
            completion(
                Result { () throws(EarshotError) in
                    try home.writeCredential(credential)
                    current.withLock { $0 = credential }
                })
        }
    }

    /// Returns when all that was asked for is done.
    func drain() async { await withCheckedContinuation { done in files.async { done.resume() } } }

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
        let shown = credential
        if shown.notAfter != schedule.notAfter { schedule = CredentialSchedule(shown) }
        let (step, wait) = schedule.step(now: now, canRenew: identity.isAtHand)
        guard step == .renew else {
            if let event = event(for: step, problem: nil) { await post(event) }
            return wait
        }
        switch await renewal(now: now) {
        case .success(let renewed):
            schedule = CredentialSchedule(renewed)
            await adopt(renewed)
            return max(schedule.step(now: now, canRenew: true).wait, Timing.credentialRetry)
        case .failure(let error):
            let (step, _) = schedule.step(now: now, canRenew: false)
            if let event = event(for: step, problem: error) { await post(event) }
            return Timing.credentialRetry
        }
    }

    /// A new credential, which is on the disk.
    private func renewal(now: Int64) async -> Result<Credential, EarshotError> {
        await withCheckedContinuation { done in
            files.async { [self] in
                done.resume(
                    returning: Result { () throws(EarshotError) in
                        let renewed = try home.renew(credential, identity: identity, keys: keys, now: now)
                        current.withLock { $0 = renewed }
                        return renewed
                    })
            }
        }
    }

    /// - Parameter problem: why it was not renewed although the identity is at hand.
    private func event(for step: CredentialSchedule.Step, problem: EarshotError?) -> Event? {
        let notice = CredentialNotice(
            notBefore: credential.notBefore, notAfter: credential.notAfter,
            problem: problem.map { .failed(reason: $0.message) } ?? (isLinked ? .needsPrimary : .sealed))
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
