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
        /// Both ends have proved all that they must, the network key included.
        case established(LinkPeer)
        case receive(Frame)
        /// The link is over; everything before it is to be written first.
        case close(ProtocolError)
    }

    enum State {
        /// The initiator has sent its first message.
        case awaitingIntroduction(HandshakeState)
        /// The responder has heard nothing.
        case awaitingHello(HandshakeState)
        /// The responder has heard the initiator's first word.
        case awaitingFirstMessage(HandshakeState)
        /// The responder has introduced itself.
        case awaitingReply(HandshakeState)
        /// The node decides whether it wants this peer. Bytes that come meanwhile wait.
        case deciding(HandshakeState, LinkPeer)
        /// The initiator has sent its last message. Only when the first message of the responder can be opened is it
        /// proved that the responder has the network key too: the pattern mixes it in at the very end.
        case awaitingConfirmation(LinkTransport, LinkPeer)
        case established(LinkTransport)
        case closed
    }

    let role: HandshakeState.Role
    let startedAt: Int64
    let configuration: LinkConfiguration
    var state: State
    private var input = MessageBuffer()
    private var lastHeard: Int64
    private var pingedAt: Int64?
    private var isPongDue = false

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

    /// Bytes came.
    mutating func received(_ bytes: [UInt8], now: Moment) -> [Action] {
        lastHeard = now.uptime
        pingedAt = nil
        input.append(bytes)
        defer {
            // One answer to however many pings came at once.
            if isPongDue { enqueue(.pong) }
            isPongDue = false
        }
        return advance(now: now)
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
        case .awaitingIntroduction, .awaitingHello, .awaitingFirstMessage, .awaitingReply, .deciding,
            .awaitingConfirmation:
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
        case .awaitingIntroduction, .awaitingHello, .awaitingFirstMessage, .awaitingReply, .deciding,
            .awaitingConfirmation:
            startedAt + Timing.handshake
        case .established: lastHeard + (pingedAt == nil ? Timing.pingAfterSilence : Timing.deadAfterSilence)
        case .closed: .max
        }
    }

    // MARK: - What comes in

    mutating func advance(now: Moment) -> [Action] {
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
        case .awaitingIntroduction, .awaitingHello, .awaitingFirstMessage, .awaitingReply, .awaitingConfirmation,
            .established:
            true
        case .deciding, .closed: false
        }
    }

    private var messageLimit: Int {
        switch state {
        case .established, .awaitingConfirmation: TransportState.maximumMessageBytes
        default: Limits.handshakeMessageBytes
        }
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
        case (.awaitingConfirmation(var transport, let peer), .noise(let bytes)):
            state = .closed
            let frames = try transport.open(bytes)
            state = .established(transport)
            if case .close = frames.first { return try receivedFrames(frames, now: now) }
            return [.established(peer)] + (try receivedFrames(frames, now: now))
        case (.awaitingHello(let handshake), .noise(let bytes)): return try receivedHello(bytes, handshake)
        case (.awaitingFirstMessage(let handshake), .noise(let bytes)):
            return try receivedFirstMessage(bytes, handshake)
        case (.awaitingIntroduction(let handshake), .noise(let bytes)),
            (.awaitingReply(let handshake), .noise(let bytes)):
            return try receivedIntroduction(bytes, handshake, now: now)
        case (.awaitingIntroduction, .refusal(let reason, let version)):
            throw Refusal.error(reason: reason, version: version, networkTag: configuration.networkTag)
        case (_, .refusal): throw ProtocolError(.violation, "a refusal where none is allowed")
        case (.deciding, _), (.closed, _): return []
        }
    }

    private mutating func receivedFrames(_ frames: [Frame], now: Moment) throws(ProtocolError) -> [Action] {
        var actions: [Action] = []
        for frame in frames {
            switch frame {
            case .ping: isPongDue = true
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

    /// Runs a step; if it throws, the link is over.
    mutating func attempt(_ step: (inout LinkMachine) throws(ProtocolError) -> [Action]) -> [Action] {
        do { return try step(&self) } catch {
            state = .closed
            return [.close(error)]
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
