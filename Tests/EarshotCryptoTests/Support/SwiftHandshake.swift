import EarshotCrypto

/// Both sides of a handshake, with keys of their own.
struct Handshake {
    var initiator: HandshakeState
    var responder: HandshakeState
    let initiatorKey = AgreementKey.generate()
    let responderKey = AgreementKey.generate()

    static let prologue = Array("earshot test".utf8)
    static let presharedKey = SecretBytes(copying: (0..<32).map { UInt8($0) })

    init(
        _ pattern: HandshakePattern, responderPrologue: [UInt8] = Handshake.prologue,
        responderPresharedKey: SecretBytes = Handshake.presharedKey
    ) throws {
        let usesPresharedKey = pattern == .xxpsk3
        initiator = try HandshakeState(
            pattern: pattern, role: .initiator, prologue: Handshake.prologue, staticKey: initiatorKey,
            ephemeralKey: .generate(), presharedKey: usesPresharedKey ? Handshake.presharedKey : nil)
        responder = try HandshakeState(
            pattern: pattern, role: .responder, prologue: responderPrologue, staticKey: responderKey,
            ephemeralKey: .generate(), presharedKey: usesPresharedKey ? responderPresharedKey : nil)
    }

    /// Exchanges the first `count` messages, without payloads.
    mutating func exchange(_ count: Int = 3) throws {
        for index in 0..<count {
            if index.isMultiple(of: 2) {
                _ = try responder.readMessage(initiator.writeMessage(payload: []))
            } else {
                _ = try initiator.readMessage(responder.writeMessage(payload: []))
            }
        }
    }

    /// The transport states of a finished handshake.
    static func transports(_ pattern: HandshakePattern = .xx) throws -> (TransportState, TransportState) {
        var handshake = try Handshake(pattern)
        try handshake.exchange()
        return (try handshake.initiator.split(), try handshake.responder.split())
    }
}
