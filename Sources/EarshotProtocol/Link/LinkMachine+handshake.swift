import EarshotCrypto
import EarshotModel

extension LinkMachine {
    /// The initiator's first word, in the clear, and its first Noise message; nothing from a responder.
    ///
    /// The prologue of both ends includes the first word, so the handshake fails if somebody changed it.
    mutating func start() -> [Action] {
        guard case .awaitingIntroduction(var handshake) = state else { return [] }
        var hello = Wire.Hello()
        hello.version = LinkConfiguration.protocolVersion
        hello.networkTag = configuration.networkTag
        return attempt { machine throws(ProtocolError) in
            let message = try Self.cryptography { () throws(CryptoError) in try handshake.writeMessage(payload: []) }
            machine.enter(.awaitingIntroduction(handshake))
            return [.write(MessageBuffer.framed(Wire.encode(hello)) + MessageBuffer.framed(message))]
        }
    }

    /// The node wants this peer.
    mutating func accept(now: Moment) -> [Action] {
        guard case .deciding(var handshake, let peer) = state else { return [] }
        return attempt { machine throws(ProtocolError) in
            var reply: [Action] = []
            if machine.role == .initiator {
                let introduction = machine.introduction(now: now)
                let message = try Self.cryptography { () throws(CryptoError) in
                    try handshake.writeMessage(payload: Wire.encode(introduction))
                }
                reply = [.write(MessageBuffer.framed(message))]
            }
            let finished = handshake
            let noise = try Self.cryptography { () throws(CryptoError) in try finished.split() }
            let transport = LinkTransport(noise, peer: peer.deviceID, now: now.uptime)
            guard machine.role == .responder else {
                machine.enter(.awaitingConfirmation(transport, peer))
                return reply
            }
            machine.enter(.established(transport))
            return [.established(peer)]
        } + advance(now: now)
    }

    /// The node does not want this peer: tells the peer why, and closes.
    mutating func refuse(_ error: ProtocolError, reason: CloseReason, now: Moment) -> [Action] {
        guard case .deciding(var handshake, _) = state else { return [] }
        return attempt { machine throws(ProtocolError) in
            if machine.role == .initiator {
                var reply = Wire.Introduction()
                reply.refusal = reason.rawValue
                reply.clock = now.wallClock
                let message = try Self.cryptography { () throws(CryptoError) in
                    try handshake.writeMessage(payload: Wire.encode(reply))
                }
                machine.enter(.closed)
                return [.write(MessageBuffer.framed(message)), .close(error)]
            }
            let finished = handshake
            var transport = LinkTransport(
                try Self.cryptography { () throws(CryptoError) in try finished.split() }, peer: DeviceID(Bytes32()),
                now: now.uptime)
            transport.enqueue(.close(reason))
            machine.enter(.closed)
            return [.write(try transport.flush(now: now.uptime)), .close(error)]
        }
    }

    mutating func receivedHello(
        _ bytes: [UInt8], _ handshake: HandshakeState, rest: MessageBuffer
    ) throws(ProtocolError) -> [Action] {
        let hello = try Wire.decode(Wire.Hello.self, from: bytes, as: "the peer's first word")
        guard hello.version == LinkConfiguration.protocolVersion else {
            enter(.closed)
            let error = ProtocolError(
                .unsupportedVersion,
                "the peer speaks version \(hello.version) of the protocol, and this node "
                    + "\(LinkConfiguration.protocolVersion)")
            return [.write(Refusal.bytes(.unsupportedVersion)), .close(error)]
        }
        guard hello.pairingTag.isEmpty else {
            enter(.closed)
            return [.pair(tag: hello.pairingTag, rest)]
        }
        guard hello.networkTag == configuration.networkTag else {
            enter(.closed)
            let error = ProtocolError(
                .otherNetwork,
                Refusal.otherNetwork(own: configuration.networkTag, peer: hello.networkTag))
            return [.write(Refusal.bytes(.otherNetwork)), .close(error)]
        }
        enter(.awaitingFirstMessage(handshake))
        return []
    }

    /// The initiator's first Noise message: this end introduces itself.
    mutating func receivedFirstMessage(
        _ bytes: [UInt8], _ handshake: HandshakeState, now: Moment
    ) throws(ProtocolError) -> [Action] {
        var handshake = handshake
        let introduction = introduction(now: now)
        let message = try Self.cryptography { () throws(CryptoError) in
            _ = try handshake.readMessage(bytes)
            return try handshake.writeMessage(payload: Wire.encode(introduction))
        }
        enter(.awaitingReply(handshake))
        return [.write(MessageBuffer.framed(message))]
    }

    mutating func receivedIntroduction(
        _ bytes: [UInt8], _ handshake: HandshakeState, now: Moment
    ) throws(ProtocolError) -> [Action] {
        var handshake = handshake
        let payload = try Self.cryptography { () throws(CryptoError) in try handshake.readMessage(bytes) }
        let introduction = try Wire.decode(
            Wire.Introduction.self, from: payload, as: "the peer's introduction")
        heard(clock: introduction.clock, now: now)
        if introduction.refusal != 0 {
            let reason = CloseReason(rawValue: introduction.refusal)
            throw ProtocolError(
                .closedByPeer, "the peer refused this node: \(why(reason, now: now))", closeReason: reason)
        }
        let credential = try Credential(wire: introduction.credential ?? Wire.Credential())
        guard credential.agreementKey == handshake.remoteStaticKey else {
            throw ProtocolError(.unauthentic, "the peer showed a credential for another key")
        }
        let peer = LinkPeer(credential: credential, run: introduction.run, clockOffset: clockOffset)
        enter(.deciding(handshake, peer))
        // A device of this node's user may need a link to have an expired credential renewed.
        let mayHaveExpired = credential.userID == configuration.credential.userID
        if mayHaveExpired, now.wallClock >= credential.notAfter { return [.decide(peer)] }
        do { try credential.checkValidity(at: now.wallClock, clockOffset: clockOffset) } catch {
            return refuse(
                error, reason: error.code == .credentialExpired ? .credentialExpired : .credentialNotYetValid, now: now)
        }
        return [.decide(peer)]
    }

    /// Why the peer wants no link, as this end understands it: a credential that is valid here may have expired by
    /// another clock.
    func why(_ reason: CloseReason?, now: Moment) -> String {
        guard let reason else { return "it gave no reason" }
        guard reason == .credentialExpired || reason == .credentialNotYetValid else { return reason.description }
        let what = reason == .credentialExpired ? "has expired" : "is not yet valid"
        guard configuration.credential.isValid(at: now.wallClock) else {
            return "this node's credential \(what): renew it"
        }
        guard let clockOffset else { return reason.description }
        guard ClockOffset.isLarge(clockOffset) else {
            return "this node's credential \(what), as the peer says, whose clock agrees with this one's: renew it"
        }
        return "this node's credential \(what) by the peer's clock, which is \(ClockOffset.text(clockOffset)) "
            + "this one's: \(ClockOffset.remedy)"
    }

    private func introduction(now: Moment) -> Wire.Introduction {
        var introduction = Wire.Introduction()
        introduction.clock = now.wallClock
        introduction.credential = configuration.credential.wire
        introduction.run = configuration.run
        return introduction
    }

    /// A failure of the cryptography tells nobody more than that it failed.
    private static func cryptography<T>(_ step: () throws(CryptoError) -> T) throws(ProtocolError) -> T {
        do { return try step() } catch {
            throw ProtocolError(
                .unauthentic, "the handshake or a message does not hold: another network key, or somebody in between")
        }
    }
}
