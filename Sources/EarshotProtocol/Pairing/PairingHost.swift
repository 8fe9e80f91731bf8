import EarshotCrypto
import EarshotModel

/// The pairing of a primary device with a new one: who may try a code, what both users have decided, what is given.
///
/// It holds no identity key and writes nothing to the disk: it says what is to be signed and whom to remember.
struct PairingHost: Sendable {
    enum Action {
        case write(ConnectionID, [UInt8])
        case disconnect(ConnectionID)
        /// The identity's key is to sign this, and `issued` is to be told.
        case issue(CredentialRequest, withIdentity: Bool)
        /// The new device has its credential.
        case paired(Credential, name: String)
        case changed
    }

    /// A code that waits for somebody who has it.
    private struct Offer {
        let code: PairingCode
        let terms: PairingTerms
        let deadline: Int64
        var handshakes: [ConnectionID: PairingChannel] = [:]
        /// The uptimes at which they began.
        var begins: [ConnectionID: Int64] = [:]
        var failures = 0
        /// No handshake begins before this uptime.
        var pausedUntil: Int64 = .min
    }

    /// The device that has the code. The code itself is gone.
    private struct Session {
        let connectionID: ConnectionID
        var channel: PairingChannel
        let peer: PairingPeer
        let terms: PairingTerms
        let deadline: Int64
        var isAccepted = false
        var hasPeerAccepted = false
        var request: CredentialRequest?
    }

    private enum State {
        case idle(PairingStatus)
        case offering(Offer)
        case pairing(Session)
    }

    private var state = State.idle(.none)
    private(set) var deviceName = ""

    // MARK: - What is known

    var status: PairingStatus {
        switch state {
        case .idle(let status): status
        case .offering(let offer): .waiting(until: offer.deadline)
        case .pairing(let session): session.isAccepted ? .accepted(session.peer) : .asking(session.peer)
        }
    }

    /// The uptime at which `tick` has something to do.
    var deadline: Int64 {
        switch state {
        case .idle: .max
        case .offering(let offer): offer.deadline
        case .pairing(let session): session.deadline
        }
    }

    func owns(_ connectionID: ConnectionID) -> Bool {
        switch state {
        case .idle: false
        case .offering(let offer): offer.handshakes[connectionID] != nil
        case .pairing(let session): session.connectionID == connectionID
        }
    }

    // MARK: - What the user of this device asks

    /// Offers a code, in the place of any earlier one.
    mutating func begin(_ code: PairingCode, _ terms: PairingTerms, deviceName: String, now: Int64) -> [Action] {
        let actions = end(.none)
        self.deviceName = deviceName
        state = .offering(Offer(code: code, terms: terms, deadline: now + Timing.pairing))
        return actions + [.changed]
    }

    /// The user has compared the fingerprints.
    mutating func decide(_ isAccepted: Bool, now: Moment, local: Credential) -> [Action] {
        guard case .pairing(var session) = state, !session.isAccepted else { return [] }
        guard isAccepted else {
            let refusal = attempt { host throws(ProtocolError) in
                [.write(session.connectionID, try session.channel.seal(.decision(Wire.PairingDecision())))]
            }
            return refusal + end(.failed("it was declined on this device"))
        }
        session.isAccepted = true
        state = .pairing(session)
        return [.changed] + issueIfAgreed(now: now, local: local)
    }

    /// Ends the pairing, if there is one.
    mutating func cancel() -> [Action] { end(.none) }

    // MARK: - Connections

    /// Somebody has connected who says that they have a code.
    mutating func connected(
        _ connectionID: ConnectionID, tag: [UInt8], input: MessageBuffer, staticKey: AgreementKey,
        ephemeralKey: () -> AgreementKey, now: Int64
    ) -> [Action] {
        let refusal = [Action.write(connectionID, Refusal.bytes(.noPairing)), .disconnect(connectionID)]
        guard case .offering(var offer) = state, offer.code.tag == tag, now >= offer.pausedUntil, now < offer.deadline
        else { return refusal }
        // Who says nothing more gives way.
        let stale = offer.handshakes.keys.filter { now - offer.begins[$0, default: now] >= Timing.handshake }.sorted()
        for old in stale { offer.handshakes[old] = nil }
        offer.begins = offer.begins.filter { offer.handshakes[$0.key] != nil }
        guard offer.handshakes.count < Limits.pairingHandshakes else { return refusal }
        offer.begins[connectionID] = now
        do throws(ProtocolError) {
            offer.handshakes[connectionID] = try PairingChannel(
                answering: offer.code, staticKey: staticKey, ephemeralKey: ephemeralKey(), input: input)
        } catch { return [.disconnect(connectionID)] }
        state = .offering(offer)
        return stale.map { .disconnect($0) }
    }

    /// Bytes came on a connection that it owns.
    mutating func received(_ bytes: [UInt8], on connectionID: ConnectionID, local: Credential, now: Moment) -> [Action]
    {
        switch state {
        case .idle: return []
        case .offering(var offer):
            guard var channel = offer.handshakes.removeValue(forKey: connectionID) else { return [] }
            do throws(ProtocolError) {
                let received = try channel.received(bytes)
                if channel.isOpen {
                    return try open(channel, received, on: connectionID, offer, local: local, now: now)
                }
                offer.handshakes[connectionID] = channel
                state = .offering(offer)
                return writes(received, to: connectionID)
            } catch {
                return failed(&offer, on: connectionID, now: now.uptime)
            }
        case .pairing(var session):
            do throws(ProtocolError) {
                let received = try session.channel.received(bytes)
                state = .pairing(session)
                return try take(received, local: local, now: now)
            } catch { return end(.failed(error.message)) }
        }
    }

    /// A handshake did not hold: somebody guesses.
    private mutating func failed(_ offer: inout Offer, on connectionID: ConnectionID, now: Int64) -> [Action] {
        offer.failures += 1
        offer.pausedUntil = now + Timing.pairingPause
        state = .offering(offer)
        let closed = Action.disconnect(connectionID)
        guard offer.failures >= Limits.pairingFailures else { return [closed] }
        return [closed] + end(.failed("too many have tried the code in vain"))
    }

    mutating func disconnected(_ connectionID: ConnectionID) -> [Action] {
        switch state {
        case .idle: return []
        case .offering(var offer):
            offer.handshakes[connectionID] = nil
            state = .offering(offer)
            return []
        case .pairing(let session):
            guard session.connectionID == connectionID else { return [] }
            return end(.failed("the new device has ended the connection"))
        }
    }

    mutating func tick(now: Int64) -> [Action] {
        now >= deadline ? end(.failed("nobody has finished it within 10 minutes")) : []
    }

    // MARK: - Steps

    /// A handshake has succeeded: the code is used up, and everybody else's try ends.
    private mutating func open(
        _ channel: PairingChannel, _ received: [PairingChannel.Received], on connectionID: ConnectionID, _ offer: Offer,
        local: Credential, now: Moment
    ) throws(ProtocolError) -> [Action] {
        let others = offer.handshakes.keys.sorted().map { Action.disconnect($0) }
        state = .idle(.failed("the new device did not say who it is"))
        guard case .message(.request(let request))? = received.last, let key = channel.remoteKey,
            let deviceID = DeviceID(bytes: request.deviceSigningKey),
            let name = DeviceName(request.deviceName, givenAt: now.wallClock), deviceID != local.deviceID
        else { return others + [.disconnect(connectionID), .changed] }
        let peer = PairingPeer(deviceName: name.text, deviceID: deviceID, agreementKey: key)
        var session = Session(
            connectionID: connectionID, channel: channel, peer: peer, terms: offer.terms, deadline: offer.deadline)
        var wire = Wire.PairingOffer()
        wire.credential = local.wire
        wire.deviceName = deviceName
        wire.primary = offer.terms.isPrimary
        let bytes = try session.channel.seal(.offer(wire))
        state = .pairing(session)
        return others + [.write(connectionID, bytes), .changed]
    }

    private mutating func take(
        _ received: [PairingChannel.Received], local: Credential, now: Moment
    ) throws(ProtocolError) -> [Action] {
        var actions: [Action] = []
        for case .message(let content) in received {
            guard case .pairing(var session) = state else { return actions }
            switch content {
            case .decision(let decision):
                guard decision.accepted else { return actions + end(.failed("it was declined on the new device")) }
                session.hasPeerAccepted = true
                state = .pairing(session)
                actions += issueIfAgreed(now: now, local: local)
            case .result(let result):
                let credential = try Credential(wire: result.credential ?? Wire.Credential())
                guard session.request != nil, credential.userID == local.userID,
                    credential.deviceID == session.peer.deviceID,
                    credential.agreementKey == session.peer.agreementKey
                else { throw ProtocolError(.violation, "the new device shows another credential than it was given") }
                actions.append(.paired(credential, name: session.peer.deviceName))
                actions += end(.done(session.peer))
            case .request, .offer, .gift: throw ProtocolError(.violation, "the new device speaks out of turn")
            }
        }
        return actions
    }

    /// Nothing is signed before both users have said yes.
    private mutating func issueIfAgreed(now: Moment, local: Credential) -> [Action] {
        guard case .pairing(var session) = state, session.isAccepted, session.hasPeerAccepted, session.request == nil
        else { return [] }
        let request = CredentialRequest(
            name: local.name, deviceID: session.peer.deviceID, agreementKey: session.peer.agreementKey,
            isPrimary: session.terms.isPrimary, notBefore: max(0, now.wallClock - Timing.credentialBackdating),
            notAfter: now.wallClock + session.terms.lifetime)
        session.request = request
        state = .pairing(session)
        return [.issue(request, withIdentity: session.terms.isPrimary)]
    }

    /// The identity's key has signed it; `nil` if it is not at hand.
    mutating func issued(
        _ request: CredentialRequest, _ grant: CredentialGrant?, identity: SecretBytes?, networkKey: SecretBytes?
    ) -> [Action] {
        guard case .pairing(var session) = state, session.request == request else { return [] }
        guard let grant, !session.terms.isPrimary || identity != nil else {
            return end(.failed("the identity is not at hand"))
        }
        var gift = Wire.PairingGift()
        gift.grant = grant.wire
        gift.networkKey = networkKey?.withUnsafeBytes { Array($0) } ?? []
        if session.terms.isPrimary { gift.identityKey = identity?.withUnsafeBytes { Array($0) } ?? [] }
        return attempt { host throws(ProtocolError) in
            let bytes = try session.channel.seal(.gift(gift))
            host.state = .pairing(session)
            return [.write(session.connectionID, bytes)]
        }
    }

    private mutating func attempt(_ step: (inout PairingHost) throws(ProtocolError) -> [Action]) -> [Action] {
        do throws(ProtocolError) { return try step(&self) } catch { return end(.failed(error.message)) }
    }

    private mutating func end(_ status: PairingStatus) -> [Action] {
        let open: [ConnectionID]
        switch state {
        case .idle(let old):
            state = .idle(status)
            return old == status ? [] : [.changed]
        case .offering(let offer): open = offer.handshakes.keys.sorted()
        case .pairing(let session): open = [session.connectionID]
        }
        state = .idle(status)
        return open.map { .disconnect($0) } + [.changed]
    }

    private func writes(_ received: [PairingChannel.Received], to connectionID: ConnectionID) -> [Action] {
        received.compactMap { if case .write(let bytes) = $0 { .write(connectionID, bytes) } else { nil } }
    }
}
