import EarshotCrypto
package import EarshotModel

/// One end of one link: handshake, encryption, frames, pings and rekeying, without any I/O.
///
/// A shell gives it the bytes that came and the time, and runs the actions that it returns. Its specification is
/// `docs/PROTOCOL.md`, section 2.
package struct LinkMachine: Sendable {
    enum Action {
        case write([UInt8])
        /// A peer has proved who it is: answer with `accept` or `refuse`.
        case decide(LinkPeer)
        /// Both ends have proved everything that they must, including the network key.
        case established(LinkPeer)
        case receive(Frame)
        /// The peer sent what the protocol forbids. It is told so, and the link is closed.
        case violated(ProtocolError)
        /// A probe is not answered yet: the link may be dead.
        case doubted
        /// The probe is answered after all.
        case trusted
        /// The other end wants to pair, and no link: the tag of its code, and the bytes that came after it. This machine is
        /// done.
        case pair(tag: [UInt8], MessageBuffer)
        /// The link is over. Everything before this is to be written first.
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
        /// The initiator has sent its last message. The pattern mixes in the network key at the very end, so only a
        /// message that the responder sends next proves that it has the key, too.
        case awaitingConfirmation(LinkTransport, LinkPeer)
        case established(LinkTransport)
        case closed
    }

    /// A ping whose answer decides whether the link lives.
    private struct Probe {
        let startedAt: Int64
        var isDoubted = false
    }

    let role: HandshakeState.Role
    let startedAt: Int64
    let configuration: LinkConfiguration
    private(set) var state: State
    private var input = MessageBuffer()
    private(set) var lastHeard: Int64
    /// Whether the other end ever sent a byte.
    private(set) var hasHeard = false
    private var pingedAt: Int64?
    private var probe: Probe?
    private var isPongDue = false
    private var work = 0
    /// The peer that introduced itself, wanted or not.
    private(set) var introduced: LinkPeer?
    /// How far the clock at the other end is ahead, in milliseconds, if it said so.
    private(set) var clockOffset: Int64?

    /// - Parameter ephemeralKey: a key drawn for this link only.
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

    /// What has come of a frame that is not whole; `nil` where no frames come.
    var unfinished: UnfinishedFrames.Frame? {
        if case .established(let transport) = state { transport.unfinished } else { nil }
    }

    /// The same at both ends, and on no other link; `nil` before the handshake is done.
    var handshakeHash: Bytes32? {
        if case .established(let transport) = state { transport.handshakeHash } else { nil }
    }

    // MARK: - Steps of the handshake

    mutating func enter(_ next: State) {
        if case .deciding(_, let peer) = next { introduced = peer }
        state = next
    }

    /// The other end reports its clock.
    mutating func heard(clock: Int64, now: Moment) { clockOffset = ClockOffset.of(clock, at: now.wallClock) }

    /// This node's own clock was set.
    mutating func clockWasSet(by jump: Int64) {
        clockOffset = clockOffset.flatMap { ClockOffset.shifted($0, by: jump) }
    }

    // MARK: - What goes over the link

    /// Bytes came.
    mutating func received(_ bytes: [UInt8], now: Moment) -> [Action] {
        lastHeard = now.uptime
        hasHeard = true
        pingedAt = nil
        let wasDoubted = isDoubted
        probe = nil
        input.append(bytes)
        defer {
            // One answer to any number of pings that came together.
            if isPongDue { enqueue(.pong) }
            isPongDue = false
        }
        return (wasDoubted ? [.trusted] : []) + advance(now: now)
    }

    /// What the peer has sent since the last call, in requests (`Limits.peerRequests`).
    mutating func takeWork() -> Int {
        defer { work = 0 }
        return work
    }

    /// Adds a frame to those that the next `flush` sends.
    mutating func enqueue(_ frame: Frame) {
        guard case .established(var transport) = state else { return }
        state = .closed  // Lets go of the transport's buffer, so that it grows in place.
        transport.enqueue(frame)
        state = .established(transport)
    }

    /// Encrypts all waiting frames, many in one Noise message.
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

    /// There is reason to doubt that the peer is still there: it is pinged, and has `Timing.probe` to answer.
    /// - Parameter isAnew: whether the time of a probe that is under way begins again, because this node was asleep.
    mutating func doubt(isAnew: Bool = false, now: Moment) -> [Action] {
        guard case .established = state, probe == nil || isAnew else { return [] }
        probe = Probe(startedAt: now.uptime)
        enqueue(.ping)
        return flush(now: now)
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
            if probe != nil { return tickProbe(now: now) }
            if now.uptime - lastHeard >= Timing.deadAfterSilence { return close(.timeout, now: now) }
            guard pingedAt == nil, now.uptime - lastHeard >= Timing.pingAfterSilence else { return [] }
            pingedAt = now.uptime
            enqueue(.ping)
            return flush(now: now)
        case .closed: return []
        }
    }

    /// Whether it was pinged, and has not answered within `Timing.probePatience`.
    var isDoubted: Bool { probe?.isDoubted == true }

    private mutating func tickProbe(now: Moment) -> [Action] {
        guard let startedAt = probe?.startedAt, let isDoubted = probe?.isDoubted else { return [] }
        if now.uptime - startedAt >= Timing.probe { return close(.timeout, now: now) }
        guard !isDoubted, now.uptime - startedAt >= Timing.probePatience else { return [] }
        probe?.isDoubted = true
        return [.doubted]
    }

    /// The uptime at which `tick` has something to do.
    var deadline: Int64 {
        switch state {
        case .awaitingIntroduction, .awaitingHello, .awaitingFirstMessage, .awaitingReply, .deciding,
            .awaitingConfirmation:
            startedAt + Timing.handshake
        case .established:
            if let probe {
                probe.startedAt + (probe.isDoubted ? Timing.probe : Timing.probePatience)
            } else {
                lastHeard + (pingedAt == nil ? Timing.pingAfterSilence : Timing.deadAfterSilence)
            }
        case .closed: .max
        }
    }

    // MARK: - What comes in

    mutating func advance(now: Moment) -> [Action] {
        var actions: [Action] = []
        while isReading {
            do throws(ProtocolError) {
                guard let message = try input.next(limit: messageLimit, isRefusalAllowed: isRefusalAllowed)
                else { return actions }
                actions += try receivedMessage(message, now: now)
            } catch {
                state = .closed
                actions.append(.close(error))
            }
        }
        return actions
    }

    /// Whether received bytes may be read: not while the node decides, nor after the end.
    private var isReading: Bool {
        switch state {
        case .awaitingIntroduction, .awaitingHello, .awaitingFirstMessage, .awaitingReply, .awaitingConfirmation,
            .established:
            true
        case .deciding, .closed: false
        }
    }

    /// Only a responder that cannot begin speaks in the clear, instead of introducing itself.
    private var isRefusalAllowed: Bool {
        if case .awaitingIntroduction = state { true } else { false }
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
            let opened = try transport.open(bytes)
            work += transport.takeWork()
            state = .established(transport)
            return receivedFrames(opened, now: now)
        case (.awaitingConfirmation(var transport, let peer), .noise(let bytes)):
            state = .closed
            let opened = try transport.open(bytes)
            work += transport.takeWork()
            state = .established(transport)
            if case .close = opened.frames.first { return receivedFrames(opened, now: now) }
            return [.established(peer)] + receivedFrames(opened, now: now)
        case (.awaitingHello(let handshake), .noise(let bytes)):
            return try receivedHello(bytes, handshake, rest: input)
        case (.awaitingFirstMessage(let handshake), .noise(let bytes)):
            return try receivedFirstMessage(bytes, handshake, now: now)
        case (.awaitingIntroduction(let handshake), .noise(let bytes)),
            (.awaitingReply(let handshake), .noise(let bytes)):
            return try receivedIntroduction(bytes, handshake, now: now)
        case (.awaitingIntroduction, .refusal(let reason, let version)):
            throw Refusal.error(reason: reason, version: version, networkTag: configuration.networkTag)
        case (_, .refusal): throw ProtocolError(.violation, "a refusal where none is allowed")
        case (.deciding, _), (.closed, _): return []
        }
    }

    private mutating func receivedFrames(_ opened: LinkTransport.Opened, now: Moment) -> [Action] {
        var actions: [Action] = []
        for frame in opened.frames {
            switch frame {
            case .ping: isPongDue = true
            case .pong, .rekey: continue
            case .close(let reason):
                state = .closed
                let text = why(reason, now: now)
                actions.append(
                    .close(ProtocolError(.closedByPeer, "the peer closed the link: \(text)", closeReason: reason)))
                return actions
            case .heads, .entries, .receipts, .carried, .digests, .dialBack, .dialBackResult, .wanted, .unplaced,
                .taken, .typing, .wantedBodies, .bodies, .grant, .revocations, .deviceNames, .contacts, .wantedFile,
                .fileHashes, .fileChunk, .fileNews:
                actions.append(.receive(frame))
            }
        }
        if let violation = opened.violation { actions.append(.violated(violation)) }
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

/// The peer at the other end of a link, as the handshake has proved it.
package struct LinkPeer: Hashable, Sendable {
    package let credential: Credential
    /// The number of the peer's run: a new one means that the peer has restarted.
    package let run: UInt64
    /// How far its clock was ahead of this node's when it introduced itself, in milliseconds; negative for behind. It
    /// is as exact as the network is quick. `nil` if the peer reported no possible time.
    package let clockOffset: Int64?

    init(credential: Credential, run: UInt64, clockOffset: Int64? = nil) {
        self.credential = credential
        self.run = run
        self.clockOffset = clockOffset
    }

    package var userID: UserID { credential.userID }
    package var deviceID: DeviceID { credential.deviceID }
}
