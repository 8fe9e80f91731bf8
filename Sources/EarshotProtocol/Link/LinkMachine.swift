import EarshotCrypto
public import EarshotModel

/// One end of one link: handshake, encryption, frames, pings and rekeying, without any I/O.
///
/// A shell hands it the bytes that came and the time, and runs the actions that it returns. `docs/PROTOCOL.md`,
/// section 2, is its specification.
public struct LinkMachine: Sendable {
    enum Action {
        case write([UInt8])
        /// Somebody proved who they are: answer with `accept` or `refuse`.
        case decide(LinkPeer)
        case receive(Frame)
        /// The link is over; everything before it is to be written first.
        case close(ProtocolError)
    }

    private enum State {
        /// The initiator has sent its first message.
        case awaitingIntroduction(HandshakeState)
        /// The responder has heard nothing.
        case awaitingHello(HandshakeState)
        /// The responder has introduced itself.
        case awaitingReply(HandshakeState)
        /// The node decides whether it wants this peer. Bytes that come meanwhile wait.
        case deciding(HandshakeState, LinkPeer)
        case established(LinkTransport)
        case closed
    }

    let role: HandshakeState.Role
    let startedAt: Int64
    private let configuration: LinkConfiguration
    private var state: State
    private var input = MessageBuffer()
    private var lastHeard: Int64
    private var pingedAt: Int64?

    /// - Parameter ephemeralKey: drawn for this link and used for no other.
    init(
        role: HandshakeState.Role, configuration: LinkConfiguration, ephemeralKey: AgreementKey, now: Moment
    ) throws(ProtocolError) {
        self.role = role
        self.configuration = configuration
        startedAt = now.uptime
        lastHeard = now.uptime
        do {
            let handshake = try HandshakeState(
                pattern: configuration.pattern, role: role, prologue: configuration.prologue,
                staticKey: configuration.agreementKey, ephemeralKey: ephemeralKey,
                presharedKey: configuration.networkKey)
            state = role == .initiator ? .awaitingIntroduction(handshake) : .awaitingHello(handshake)
        } catch {
            throw ProtocolError(.unauthentic, "the handshake cannot begin: \(error)")
        }
    }

    var isEstablished: Bool {
        if case .established = state { return true }
        return false
    }

    /// The initiator's first message; nothing from a responder.
    mutating func start() -> [Action] {
        guard case .awaitingIntroduction(var handshake) = state else { return [] }
        var hello = Earshot_V1_Hello()
        hello.version = LinkConfiguration.protocolVersion
        hello.networkTag = configuration.networkTag
        return attempt { machine throws(ProtocolError) in
            let message = try Self.cryptography { () throws(CryptoError) in
                try handshake.writeMessage(payload: Wire.encode(hello))
            }
            machine.state = .awaitingIntroduction(handshake)
            return [.write(MessageBuffer.framed(message))]
        }
    }

    /// Bytes came.
    mutating func received(_ bytes: [UInt8], now: Moment) -> [Action] {
        lastHeard = now.uptime
        pingedAt = nil
        input.append(bytes)
        return advance(now: now)
    }

    /// The node wants this peer.
    mutating func accept(now: Moment) -> [Action] {
        guard case .deciding(var handshake, let peer) = state else { return [] }
        return attempt { machine throws(ProtocolError) in
            var actions: [Action] = []
            if machine.role == .initiator {
                let reply = machine.introduction()
                let message = try Self.cryptography { () throws(CryptoError) in
                    try handshake.writeMessage(payload: Wire.encode(reply))
                }
                actions.append(.write(MessageBuffer.framed(message)))
            }
            let finished = handshake
            let transport = try Self.cryptography { () throws(CryptoError) in try finished.split() }
            machine.state = .established(LinkTransport(transport, peer: peer.deviceID, now: now.uptime))
            return actions
        } + advance(now: now)
    }

    /// The node does not want this peer: tells it why, and closes.
    mutating func refuse(_ error: ProtocolError, reason: CloseReason, now: Moment) -> [Action] {
        guard case .deciding(var handshake, _) = state else { return [] }
        return attempt { machine throws(ProtocolError) in
            if machine.role == .initiator {
                var reply = Earshot_V1_Introduction()
                reply.refusal = reason.rawValue
                let message = try Self.cryptography { () throws(CryptoError) in
                    try handshake.writeMessage(payload: Wire.encode(reply))
                }
                machine.state = .closed
                return [.write(MessageBuffer.framed(message)), .close(error)]
            }
            let finished = handshake
            var transport = LinkTransport(
                try Self.cryptography { () throws(CryptoError) in try finished.split() }, peer: DeviceID(Bytes32()),
                now: now.uptime)
            transport.enqueue(.close(reason))
            machine.state = .closed
            return [.write(try transport.flush(now: now.uptime)), .close(error)]
        }
    }

    /// Puts a frame among those that the next `flush` sends.
    mutating func enqueue(_ frame: Frame) {
        guard case .established(var transport) = state else { return }
        state = .closed  // Lets go of the transport's buffer, so that it grows in place.
        transport.enqueue(frame)
        state = .established(transport)
    }

    /// Encrypts all frames that wait, many in one Noise message.
    mutating func flush(now: Moment) -> [Action] {
        guard case .established(var transport) = state, transport.hasOutput else { return [] }
        return attempt { machine throws(ProtocolError) in
            machine.state = .closed
            let bytes = try transport.flush(now: now.uptime)
            machine.state = .established(transport)
            return [.write(bytes)]
        }
    }

    /// Tells the peer why, and closes.
    mutating func close(_ reason: CloseReason, now: Moment) -> [Action] {
        guard case .established = state else {
            state = .closed
            return [.close(ProtocolError(.closedHere, reason.description, closeReason: reason))]
        }
        enqueue(.close(reason))
        let actions = flush(now: now)
        state = .closed
        return actions + [.close(ProtocolError(.closedHere, reason.description, closeReason: reason))]
    }

    /// Time has passed.
    mutating func tick(now: Moment) -> [Action] {
        switch state {
        case .awaitingIntroduction, .awaitingHello, .awaitingReply, .deciding:
            guard now.uptime - startedAt >= Timing.handshake else { return [] }
            state = .closed
            return [.close(ProtocolError(.timeout, "the handshake was not finished within 10 seconds"))]
        case .established:
            if now.uptime - lastHeard >= Timing.deadAfterSilence { return close(.timeout, now: now) }
            guard pingedAt == nil, now.uptime - lastHeard >= Timing.pingAfterSilence else { return [] }
            pingedAt = now.uptime
            enqueue(.ping)
            return flush(now: now)
        case .closed: return []
        }
    }

    /// When `tick` has something to do, as an uptime.
    var deadline: Int64 {
        switch state {
        case .awaitingIntroduction, .awaitingHello, .awaitingReply, .deciding: startedAt + Timing.handshake
        case .established: lastHeard + (pingedAt == nil ? Timing.pingAfterSilence : Timing.deadAfterSilence)
        case .closed: .max
        }
    }

    // MARK: - What comes in

    private mutating func advance(now: Moment) -> [Action] {
        var actions: [Action] = []
        while isReading {
            do throws(ProtocolError) {
                guard let message = try input.next(limit: messageLimit) else { return actions }
                actions += try receivedMessage(message, now: now)
            } catch {
                state = .closed
                actions.append(.close(error))
            }
        }
        return actions
    }

    /// Whether what has come may be looked at: not while the node decides, nor after the end.
    private var isReading: Bool {
        switch state {
        case .awaitingIntroduction, .awaitingHello, .awaitingReply, .established: true
        case .deciding, .closed: false
        }
    }

    private var messageLimit: Int {
        if case .established = state { return TransportState.maximumMessageBytes }
        return Limits.handshakeMessageBytes
    }

    private mutating func receivedMessage(
        _ message: MessageBuffer.Message, now: Moment
    ) throws(ProtocolError) -> [Action] {
        switch (state, message) {
        case (.established(var transport), .noise(let bytes)):
            state = .closed
            let frames = try transport.open(bytes)
            state = .established(transport)
            return try receivedFrames(frames, now: now)
        case (.awaitingHello(let handshake), .noise(let bytes)): return try receivedHello(bytes, handshake)
        case (.awaitingIntroduction(let handshake), .noise(let bytes)),
            (.awaitingReply(let handshake), .noise(let bytes)):
            return try receivedIntroduction(bytes, handshake, now: now)
        case (.awaitingIntroduction, .refusal(let reason, let version)):
            throw Refusal.error(reason: reason, version: version)
        case (_, .refusal): throw ProtocolError(.violation, "a refusal where none is allowed")
        case (.deciding, _), (.closed, _): return []
        }
    }

    private mutating func receivedHello(
        _ bytes: [UInt8], _ handshake: HandshakeState
    ) throws(ProtocolError) -> [Action] {
        var handshake = handshake
        let payload = try Self.cryptography { () throws(CryptoError) in try handshake.readMessage(bytes) }
        let hello = try Wire.decode(Earshot_V1_Hello.self, from: payload, as: "the peer's first word")
        guard hello.version == LinkConfiguration.protocolVersion else {
            state = .closed
            let error = ProtocolError(
                .unsupportedVersion,
                "the peer speaks version \(hello.version) of the protocol, and this node \(LinkConfiguration.protocolVersion)"
            )
            return [.write(Refusal.bytes(.unsupportedVersion)), .close(error)]
        }
        guard hello.networkTag == configuration.networkTag else {
            state = .closed
            return [
                .write(Refusal.bytes(.otherNetwork)),
                .close(ProtocolError(.otherNetwork, "the peer belongs to another network")),
            ]
        }
        let introduction = introduction()
        let message = try Self.cryptography { () throws(CryptoError) in
            try handshake.writeMessage(payload: Wire.encode(introduction))
        }
        state = .awaitingReply(handshake)
        return [.write(MessageBuffer.framed(message))]
    }

    private mutating func receivedIntroduction(
        _ bytes: [UInt8], _ handshake: HandshakeState, now: Moment
    ) throws(ProtocolError) -> [Action] {
        var handshake = handshake
        let payload = try Self.cryptography { () throws(CryptoError) in try handshake.readMessage(bytes) }
        let introduction = try Wire.decode(
            Earshot_V1_Introduction.self, from: payload, as: "the peer's introduction")
        if introduction.refusal != 0 {
            let reason = CloseReason(rawValue: introduction.refusal)
            throw ProtocolError(
                .closedByPeer, "the peer refused this node: \(reason?.description ?? "it gave no reason")",
                closeReason: reason)
        }
        let credential = try Credential(wire: introduction.credential)
        guard credential.agreementKey == handshake.remoteStaticKey else {
            throw ProtocolError(.unauthentic, "the peer showed a credential for another key")
        }
        let peer = LinkPeer(credential: credential, run: introduction.run)
        state = .deciding(handshake, peer)
        do { try credential.checkValidity(at: now.wallClock) } catch {
            return refuse(
                error, reason: error.code == .credentialExpired ? .credentialExpired : .credentialNotYetValid, now: now)
        }
        return [.decide(peer)]
    }

    private mutating func receivedFrames(_ frames: [Frame], now: Moment) throws(ProtocolError) -> [Action] {
        var actions: [Action] = []
        for frame in frames {
            switch frame {
            case .ping:
                enqueue(.pong)
                actions += flush(now: now)
            case .pong, .rekey: continue
            case .close(let reason):
                state = .closed
                let text = reason?.description ?? "it gave no reason"
                actions.append(
                    .close(ProtocolError(.closedByPeer, "the peer closed the link: \(text)", closeReason: reason)))
                return actions
            case .heads, .entries, .receipts: actions.append(.receive(frame))
            }
        }
        return actions
    }

    private func introduction() -> Earshot_V1_Introduction {
        var introduction = Earshot_V1_Introduction()
        introduction.credential = configuration.credential.wire
        introduction.run = configuration.run
        return introduction
    }

    /// Runs a step; if it throws, the link is over.
    private mutating func attempt(_ step: (inout LinkMachine) throws(ProtocolError) -> [Action]) -> [Action] {
        do { return try step(&self) } catch {
            state = .closed
            return [.close(error)]
        }
    }

    /// A failure of the cryptography says nothing more to anybody than that it failed.
    private static func cryptography<T>(_ step: () throws(CryptoError) -> T) throws(ProtocolError) -> T {
        do { return try step() } catch {
            throw ProtocolError(
                .unauthentic, "the handshake or a message does not hold: another network key, or somebody in between")
        }
    }
}

/// Who is at the other end of a link, as the handshake has proved it.
public struct LinkPeer: Hashable, Sendable {
    public let credential: Credential
    /// The peer's number of this run: another one means that it has restarted.
    public let run: UInt64

    public var userID: UserID { credential.userID }
    public var deviceID: DeviceID { credential.deviceID }
}
