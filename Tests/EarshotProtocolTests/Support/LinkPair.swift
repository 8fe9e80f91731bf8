import EarshotCrypto
import EarshotModel
import EarshotSimulation

@testable import EarshotProtocol

/// Two ends of one link, driven by hand: what one writes, the other receives.
struct LinkPair {
    var initiator: LinkMachine
    var responder: LinkMachine
    var now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)
    /// How far the responder's clock is ahead.
    var responderAhead: Int64 = 0
    var responderNow: Moment { Moment(wallClock: now.wallClock + responderAhead, uptime: now.uptime) }
    /// Whether the initiator knows that both ends have proved all.
    var isConfirmed = false
    /// What each end wanted beside writing, in order.
    var initiatorActions: [LinkMachine.Action] = []
    var responderActions: [LinkMachine.Action] = []

    init(_ initiator: LocalDevice, _ responder: LocalDevice) throws {
        var keys = SeededGenerator(seed: 99)
        self.initiator = try LinkMachine(
            role: .initiator, configuration: initiator.link, ephemeralKey: keys.agreementKey(), now: now)
        self.responder = try LinkMachine(
            role: .responder, configuration: responder.link, ephemeralKey: keys.agreementKey(), now: now)
    }

    /// Runs the handshake to its end, both sides accepting whoever is there.
    mutating func connect() {
        runInitiator(initiator.start())
    }

    mutating func runInitiator(_ actions: [LinkMachine.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes): runResponder(responder.received(bytes, now: responderNow))
            case .decide:
                initiatorActions.append(action)
                runInitiator(initiator.accept(now: now))
            case .established: isConfirmed = true
            case .receive, .violated, .doubted, .trusted, .pair, .close: initiatorActions.append(action)
            }
        }
    }

    mutating func runResponder(_ actions: [LinkMachine.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes): runInitiator(initiator.received(bytes, now: now))
            case .decide:
                responderActions.append(action)
                runResponder(responder.accept(now: responderNow))
            case .established:
                // As a node does: the first frame also tells the initiator that the keys agree.
                responder.enqueue(.nothingHeld)
                runResponder(responder.flush(now: responderNow))
            case .receive, .violated, .doubted, .trusted, .pair, .close: responderActions.append(action)
            }
        }
    }
}

extension Frame {
    /// The sender says that it holds nothing.
    static let nothingHeld = Frame.heads(HeadsFrame(conversationID: nil, heads: [], isComplete: true))
}

extension [LinkMachine.Action] {
    var frames: [Frame] { compactMap { if case .receive(let frame) = $0 { frame } else { nil } } }
    var violation: ProtocolError? { compactMap { if case .violated(let error) = $0 { error } else { nil } }.first }
    var closing: ProtocolError? { compactMap { if case .close(let error) = $0 { error } else { nil } }.first }
    var peers: [LinkPeer] { compactMap { if case .decide(let peer) = $0 { peer } else { nil } } }
    var written: [[UInt8]] { compactMap { if case .write(let bytes) = $0 { bytes } else { nil } } }
}

/// A device of a user who exists for a test.
func device(
    _ name: String, seed: UInt64? = nil, networkKey: SecretBytes? = nil, notBefore: Int64 = 0,
    notAfter: Int64 = 4_000_000_000_000
) -> LocalDevice {
    var generator = SeededGenerator(seed: seed ?? deviceSeed(name))
    return .generated(
        name: name, networkKey: networkKey, notBefore: notBefore, notAfter: notAfter, using: &generator)
}

/// The identity key of a user whose device a test has made by name.
func identityKey(of name: String) -> SigningKey {
    var generator = SeededGenerator(seed: deviceSeed(name))
    _ = generator.signingKey()
    _ = generator.agreementKey()
    return generator.signingKey()
}

/// Another device of the same user.
func otherDevice(_ name: String) -> LocalDevice {
    var generator = SeededGenerator(seed: deviceSeed(name))
    // The first device's own keys are drawn before those of its user.
    _ = (generator.signingKey(), generator.agreementKey())
    let identityKey = generator.signingKey()
    return .generated(name: name, identityKey: identityKey, using: &generator)
}

private func deviceSeed(_ name: String) -> UInt64 { name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) } }
