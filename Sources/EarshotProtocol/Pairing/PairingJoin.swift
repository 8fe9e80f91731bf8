package import EarshotCrypto
import EarshotModel

/// The pairing of a new device with a primary one of its user.
///
/// Its shell connects, shows people what it asks, and writes the gift to the disk.
package struct PairingJoin: Sendable {
    package enum Action {
        case write([UInt8])
        /// The user decides whether this is their own primary device: answer with `decide`.
        case ask(PairingOffer)
        /// Write it to the disk, then call `written`.
        case take(PairingGift)
        /// The primary device knows that this device has everything. The connection can be closed.
        case joined
        case failed(ProtocolError)
    }

    private enum State {
        case shakingHands
        case awaitingOffer
        case asking(PairingOffer)
        case awaitingGift(PairingOffer)
        case writing(Credential)
        case over
    }

    private let signingKey: SigningKey
    private let code: PairingCode
    private var channel: PairingChannel
    private var state = State.shakingHands

    /// - Parameter ephemeralKey: a key drawn for this handshake only.
    /// - Throws: `ProtocolError` if the cryptography fails.
    package init(
        _ code: PairingCode, signingKey: SigningKey, agreementKey: AgreementKey, deviceName: String,
        ephemeralKey: AgreementKey
    ) throws(ProtocolError) {
        self.signingKey = signingKey
        self.code = code
        let request = Wire.PairingRequest(
            deviceSigningKey: Wire.bytes(DeviceID(signingKey.publicKey)), deviceName: deviceName)
        channel = try PairingChannel(asking: code, request, staticKey: agreementKey, ephemeralKey: ephemeralKey)
    }

    /// Whether the node at the other end has shown that it has the code.
    package var isProved: Bool {
        switch state {
        case .shakingHands, .awaitingOffer, .over: false
        case .asking, .awaitingGift, .writing: true
        }
    }

    package mutating func start() -> [Action] {
        attempt { join throws(ProtocolError) in [.write(try join.channel.start(tag: join.code.tag))] }
    }

    package mutating func received(_ bytes: [UInt8]) -> [Action] {
        // What comes behind the end changes nothing of how it ended.
        if case .over = state { return [] }
        return attempt { join throws(ProtocolError) in
            var actions: [Action] = []
            for received in try join.channel.received(bytes) {
                switch received {
                case .write(let bytes):
                    actions.append(.write(bytes))
                    join.state = .awaitingOffer
                case .message(let content): actions += try join.take(content)
                }
            }
            return actions
        }
    }

    /// The user has compared the fingerprints.
    package mutating func decide(_ isAccepted: Bool) -> [Action] {
        guard case .asking(let offer) = state else { return [] }
        return attempt { join throws(ProtocolError) in
            let bytes = try join.channel.seal(.decision(Wire.PairingDecision(accepted: isAccepted)))
            join.state = isAccepted ? .awaitingGift(offer) : .over
            return [.write(bytes)]
        }
    }

    /// The gift is on the disk.
    package mutating func written() -> [Action] {
        guard case .writing(let credential) = state else { return [] }
        return attempt { join throws(ProtocolError) in
            let bytes = try join.channel.seal(.result(Wire.PairingResult(credential: credential.wire)))
            join.state = .over
            return [.write(bytes), .joined]
        }
    }

    /// The connection is gone.
    package mutating func disconnected() -> [Action] {
        if case .over = state { return [] }
        state = .over
        return [.failed(ProtocolError(.closedByPeer, "the other device has ended the pairing"))]
    }

    private mutating func take(_ content: Wire.Pairing.Content) throws(ProtocolError) -> [Action] {
        switch (state, content) {
        case (.awaitingOffer, .offer(let wire)):
            let credential = try Credential(wire: wire.credential ?? Wire.Credential())
            guard credential.agreementKey == channel.remoteKey, credential.isPrimary else {
                throw ProtocolError(.unauthentic, "the other device does not prove that it holds the identity")
            }
            guard let name = DeviceName(wire.deviceName, givenAt: 0) else {
                throw ProtocolError(.malformed, "the name of the other device is out of range")
            }
            let offer = PairingOffer(credential: credential, deviceName: name.text, isPrimary: wire.primary)
            state = .asking(offer)
            return [.ask(offer)]
        case (.awaitingGift(let offer), .gift(let wire)):
            let gift = try gift(wire, offer)
            state = .writing(gift.credential)
            return [.take(gift)]
        case (_, .decision(let decision)) where !decision.accepted:
            throw ProtocolError(.closedByPeer, "it was declined on the other device")
        default: throw ProtocolError(.violation, "the other device speaks out of turn")
        }
    }

    private func gift(_ wire: Wire.PairingGift, _ offer: PairingOffer) throws(ProtocolError) -> PairingGift {
        let grant = try CredentialGrant(wire.grant ?? Wire.CredentialGrant())
        let credential = try grant.signed(by: signingKey)
        guard credential.userID == offer.credential.userID, credential.isPrimary == offer.isPrimary,
            [0, 32].contains(wire.networkKey.count)
        else { throw ProtocolError(.violation, "the other device gives something else than it offered") }
        var identity: SigningKey?
        if offer.isPrimary {
            do { identity = try SigningKey(seed: SecretBytes(copying: wire.identityKey)) } catch {
                throw ProtocolError(.malformed, "the identity is not whole")
            }
            guard identity.map({ UserID($0.publicKey) }) == credential.userID else {
                throw ProtocolError(.unauthentic, "the identity is another user's")
            }
        }
        return PairingGift(
            credential: credential, networkKey: wire.networkKey.isEmpty ? nil : SecretBytes(copying: wire.networkKey),
            identityKey: identity)
    }

    private mutating func attempt(_ step: (inout PairingJoin) throws(ProtocolError) -> [Action]) -> [Action] {
        do throws(ProtocolError) { return try step(&self) } catch {
            state = .over
            return [.failed(error)]
        }
    }
}

/// What a primary device offers to a new one, as its user compares it.
package struct PairingOffer: Hashable, Sendable {
    /// The primary device's own.
    package let credential: Credential
    package let deviceName: String
    /// Whether the new device gets the identity key.
    package let isPrimary: Bool
}

/// What a new device gets.
package struct PairingGift: Sendable {
    package let credential: Credential
    package let networkKey: SecretBytes?
    /// `nil` for a linked device.
    package let identityKey: SigningKey?
}
