import EarshotCrypto
import EarshotModel

@testable import EarshotProtocol

/// The other end of a pairing, who has the code and says anything: in the place of the primary device, or of the new one.
let pairing = FuzzTarget("pairing", maximumBytes: 1024) { input in
    if input.flag() {
        HostilePrimary.run(&input)
    } else {
        HostileNewDevice.run(&input)
    }
}

private let code = PairingCode(secret: SecretBytes(copying: [UInt8](repeating: 5, count: PairingCode.byteCount)))

/// Behind the frame that says which code it is.
private func handshake(in words: [UInt8]) -> [UInt8] {
    let length = Int(words[0]) << 8 | Int(words[1])
    return Array(words.dropFirst(2 + length))
}

extension [PairingChannel.Received] {
    fileprivate var written: [UInt8] {
        flatMap { received -> [UInt8] in if case .write(let bytes) = received { bytes } else { [] } }
    }
}

/// What either end may say, or may not.
private func pairingContent(_ input: inout FuzzInput, of device: LocalDevice) -> Wire.Pairing.Content {
    switch input.choice(6) {
    case 0:
        return .request(
            Wire.PairingRequest(
                deviceSigningKey: input.flag() ? device.deviceID.bytes : input.block(), deviceName: input.text()))
    case 1:
        var offer = Wire.PairingOffer()
        offer.credential = input.flag() ? device.link.credential.wire : credential(&input)
        (offer.deviceName, offer.primary) = (input.flag() ? "desk" : input.text(), input.flag())
        return .offer(offer)
    case 2:
        var gift = Wire.PairingGift()
        let request = CredentialRequest(
            name: device.name, deviceID: input.flag() ? Cast.alice.deviceID : Cast.carol.deviceID,
            agreementKey: Cast.alice.link.agreementKey.publicKey, isPrimary: input.flag(), notBefore: 0,
            notAfter: 1 << 42)
        var grant = CredentialGrant.issue(request, identityKey: Cast.identityKey).wire
        input.damage(&grant.body)
        gift.grant = grant
        gift.networkKey = [UInt8](repeating: 3, count: [0, 32, 7][input.choice(3)])
        gift.identityKey = [UInt8](repeating: 4, count: [0, 32, 7][input.choice(3)])
        return .gift(gift)
    case 3: return .result(Wire.PairingResult(credential: input.flag() ? device.link.credential.wire : nil))
    default: return .decision(Wire.PairingDecision(accepted: input.choice(4) > 0))
    }
}

/// Alice's new device, and somebody who has seen its code.
private enum HostilePrimary {
    static func run(_ input: inout FuzzInput) {
        var join = certain {
            try PairingJoin(
                code, signingKey: Cast.alice.signingKey, agreementKey: Cast.alice.link.agreementKey,
                deviceName: "laptop", ephemeralKey: Cast.ephemeralKeys[0])
        }
        var host = certain {
            try PairingChannel(
                answering: code, staticKey: Cast.thief.link.agreementKey, ephemeralKey: Cast.ephemeralKeys[1],
                input: MessageBuffer())
        }
        let reply = certain { try host.received(handshake(in: written(join.start()))) }.written
        _ = certain { try host.received(written(join.received(reply))) }
        require(host.isOpen, "the fuzzer itself is wrong: the handshake holds")
        var hasAccepted = false
        var isWritten = false
        var isOver = false
        while !input.isEmpty {
            var actions: [PairingJoin.Action]
            switch input.choice(8) {
            case 0:
                let isAccepted = input.choice(4) > 0
                hasAccepted = hasAccepted || isAccepted && join.isProved
                actions = join.decide(isAccepted)
            case 1: actions = input.choice(4) == 0 ? join.disconnected() : []
            default:
                let content = pairingContent(&input, of: Cast.thief)
                var bytes = certain { try host.seal(content) }
                input.damage(&bytes)
                actions = join.received(bytes)
            }
            for action in actions {
                require(!isOver, "nothing follows the end of a pairing")
                switch action {
                case .take(let gift):
                    require(hasAccepted, "nothing is taken before the user has said yes")
                    require(gift.credential.userID == Cast.thief.userID, "the identity is the one that was compared")
                    require(gift.credential.deviceID == Cast.alice.deviceID, "the credential is for this device")
                    isWritten = true
                    for action in join.written() { if case .joined = action { isOver = true } }
                    require(isOver, "what was taken and written is joined")
                case .joined: require(isWritten, "nobody has joined before the gift is on the disk")
                case .failed: isOver = true
                case .write, .ask: break
                }
            }
        }
    }

    private static func written(_ actions: [PairingJoin.Action]) -> [UInt8] {
        actions.flatMap { action -> [UInt8] in if case .write(let bytes) = action { bytes } else { [] } }
    }
}

/// Alice's primary device, and somebody who has seen its code.
private enum HostileNewDevice {
    static func run(_ input: inout FuzzInput) {
        var host = PairingHost()
        let link = ConnectionID(1)
        let local = Cast.thief.link.credential
        let terms = PairingTerms(isPrimary: input.flag(), lifetime: 1 << 40)
        _ = host.begin(code, terms, deviceName: "desk", now: 0)
        let request = Wire.PairingRequest(
            deviceSigningKey: input.choice(8) > 0 ? Cast.mallory.deviceID.bytes : input.block(),
            deviceName: input.flag() ? "laptop" : input.text())
        var device = certain {
            try PairingChannel(
                asking: code, request, staticKey: Cast.mallory.link.agreementKey, ephemeralKey: Cast.ephemeralKeys[1])
        }
        let first = handshake(in: certain { try device.start(tag: code.tag) })
        _ = host.connected(
            link, tag: code.tag, input: MessageBuffer(), staticKey: Cast.thief.link.agreementKey,
            ephemeralKey: { Cast.ephemeralKeys[0] }, now: 0)
        let reply = written(host.received(first, on: link, local: local, now: Cast.now))
        let last = certain { try device.received(reply) }.written
        _ = host.received(last, on: link, local: local, now: Cast.now)
        var hasAccepted = false
        var hasPeerAccepted = false
        var isGiven = false
        while !input.isEmpty {
            var actions: [PairingHost.Action]
            switch input.choice(8) {
            case 0:
                let isAccepted = input.choice(4) > 0
                hasAccepted = hasAccepted || isAccepted
                actions = host.decide(isAccepted, now: Cast.now, local: local)
            case 1:
                actions =
                    switch input.choice(16) {
                    case 0: host.disconnected(link)
                    case 1: host.cancel()
                    default: host.tick(now: Int64(input.byte()) * Timing.pairing / 250)
                    }
            default:
                let content = pairingContent(&input, of: Cast.mallory)
                if case .decision(let decision) = content, decision.accepted { hasPeerAccepted = true }
                var bytes = certain { try device.seal(content) }
                input.damage(&bytes)
                actions = host.received(bytes, on: link, local: local, now: Cast.now)
            }
            for action in actions {
                switch action {
                case .issue(let request, let withIdentity):
                    require(hasAccepted && hasPeerAccepted, "nothing is signed before both users have said yes")
                    require(withIdentity == terms.isPrimary, "only a primary device gets the identity")
                    require(request.deviceID == Cast.mallory.deviceID, "the credential is for the device that asked")
                    let grant =
                        input.choice(8) > 0 ? CredentialGrant.issue(request, identityKey: Cast.identityKey) : nil
                    let identity = withIdentity ? SecretBytes(copying: [UInt8](repeating: 4, count: 32)) : nil
                    isGiven = grant != nil
                    _ = host.issued(request, grant, identity: identity, networkKey: nil)
                case .paired(let credential, _):
                    require(isGiven, "nobody is paired who was given nothing")
                    require(credential.userID == Cast.thief.userID, "who is paired is of this user")
                case .write, .disconnect, .changed: break
                }
            }
        }
    }

    private static func written(_ actions: [PairingHost.Action]) -> [UInt8] {
        actions.flatMap { action -> [UInt8] in if case .write(_, let bytes) = action { bytes } else { [] } }
    }
}
