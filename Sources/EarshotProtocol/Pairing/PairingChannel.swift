import EarshotCrypto
import EarshotModel

/// One end of a pairing's connection: the handshake with the code as pre-shared key, then sealed messages.
///
/// It decides nothing about the pairing. Its specification is `docs/PROTOCOL.md`, section 11.
struct PairingChannel: Sendable {
    private enum State {
        /// The new device has sent its first message.
        case awaitingReply(HandshakeState)
        /// The primary device has heard the tag of the code.
        case awaitingFirstMessage(HandshakeState)
        case awaitingLastMessage(HandshakeState)
        case open(TransportState)
        case closed
    }

    enum Received {
        case write([UInt8])
        case message(Wire.Pairing.Content)
    }

    /// Noise, section 5.3. A pairing belongs to no network.
    private static let prologue = Array("earshot pairing v\(LinkConfiguration.protocolVersion)".utf8)

    private var state: State
    private var input: MessageBuffer
    /// What the new device says in its last handshake message.
    private let request: Wire.PairingRequest?
    /// The other end's static key, once the handshake proves it.
    private(set) var remoteKey: AgreementPublicKey?

    /// The end of a primary device.
    /// - Parameter input: what came after the tag.
    init(
        answering code: PairingCode, staticKey: AgreementKey, ephemeralKey: AgreementKey, input: MessageBuffer
    ) throws(ProtocolError) {
        state = .awaitingFirstMessage(
            try Self.handshake(.responder, code, staticKey: staticKey, ephemeralKey: ephemeralKey))
        request = nil
        self.input = input
    }

    /// The end of a new device.
    init(
        asking code: PairingCode, _ request: Wire.PairingRequest, staticKey: AgreementKey, ephemeralKey: AgreementKey
    ) throws(ProtocolError) {
        state = .awaitingReply(
            try Self.handshake(.initiator, code, staticKey: staticKey, ephemeralKey: ephemeralKey))
        self.request = request
        input = MessageBuffer()
    }

    private static func handshake(
        _ role: HandshakeState.Role, _ code: PairingCode, staticKey: AgreementKey, ephemeralKey: AgreementKey
    ) throws(ProtocolError) -> HandshakeState {
        try cryptography { () throws(CryptoError) in
            try HandshakeState(
                pattern: .xxpsk3, role: role, prologue: prologue, staticKey: staticKey, ephemeralKey: ephemeralKey,
                presharedKey: code.key)
        }
    }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// The new device's first word in the clear, and its first message.
    mutating func start(tag: [UInt8]) throws(ProtocolError) -> [UInt8] {
        guard case .awaitingReply(var handshake) = state else { return [] }
        var hello = Wire.Hello()
        hello.version = LinkConfiguration.protocolVersion
        hello.pairingTag = tag
        let message = try Self.cryptography { () throws(CryptoError) in try handshake.writeMessage(payload: []) }
        state = .awaitingReply(handshake)
        return MessageBuffer.framed(Wire.encode(hello)) + MessageBuffer.framed(message)
    }

    /// Bytes came.
    /// - Throws: `ProtocolError`; then the pairing is over. `closeReason` is what the other end said in the clear.
    mutating func received(_ bytes: [UInt8]) throws(ProtocolError) -> [Received] {
        input.append(bytes)
        var received: [Received] = []
        while case let isRefusalAllowed = isReplyAwaited,
            let message = try input.next(limit: Limits.pairingMessageBytes, isRefusalAllowed: isRefusalAllowed)
        {
            switch message {
            case .refusal(let reason, let version): throw Self.refused(reason: reason, version: version)
            case .noise(let bytes): received += try take(bytes)
            }
        }
        return received
    }

    mutating func seal(_ content: Wire.Pairing.Content) throws(ProtocolError) -> [UInt8] {
        guard case .open(var noise) = state else { return [] }
        let bytes = Wire.encode(Wire.Pairing(content))
        let sealed = try Self.cryptography { () throws(CryptoError) in try noise.seal(bytes) }
        state = .open(noise)
        return MessageBuffer.framed(sealed)
    }

    private var isReplyAwaited: Bool {
        if case .awaitingReply = state { true } else { false }
    }

    private mutating func take(_ bytes: [UInt8]) throws(ProtocolError) -> [Received] {
        switch state {
        case .awaitingFirstMessage(var handshake):
            let message = try Self.cryptography { () throws(CryptoError) in
                _ = try handshake.readMessage(bytes)
                return try handshake.writeMessage(payload: [])
            }
            state = .awaitingLastMessage(handshake)
            return [.write(MessageBuffer.framed(message))]
        case .awaitingReply(var handshake):
            let content = request.map { Wire.encode(Wire.Pairing(.request($0))) } ?? []
            let message = try Self.cryptography { () throws(CryptoError) in
                _ = try handshake.readMessage(bytes)
                return try handshake.writeMessage(payload: content)
            }
            remoteKey = handshake.remoteStaticKey
            let finished = handshake
            state = .open(try Self.cryptography { () throws(CryptoError) in try finished.split() })
            return [.write(MessageBuffer.framed(message))]
        case .awaitingLastMessage(var handshake):
            let payload = try Self.cryptography { () throws(CryptoError) in try handshake.readMessage(bytes) }
            remoteKey = handshake.remoteStaticKey
            let finished = handshake
            state = .open(try Self.cryptography { () throws(CryptoError) in try finished.split() })
            return try content(of: payload).map { [.message($0)] } ?? []
        case .open(var noise):
            let payload = try Self.cryptography { () throws(CryptoError) in try noise.open(bytes) }
            state = .open(noise)
            return try content(of: payload).map { [.message($0)] } ?? []
        case .closed: return []
        }
    }

    /// - Returns: `nil` for what this version does not know.
    private func content(of payload: [UInt8]) throws(ProtocolError) -> Wire.Pairing.Content? {
        try Wire.decode(Wire.Pairing.self, from: payload, as: "a message of the pairing").content
    }

    /// Anybody on the way could have written it, so it only ends this try.
    private static func refused(reason: UInt8, version: UInt8) -> ProtocolError {
        switch CloseReason(rawValue: UInt32(reason)) {
        case .unsupportedVersion: Refusal.error(reason: reason, version: version, networkTag: "")
        default: ProtocolError(.closedByPeer, CloseReason.noPairing.description, closeReason: .noPairing)
        }
    }

    private static func cryptography<T>(_ step: () throws(CryptoError) -> T) throws(ProtocolError) -> T {
        do { return try step() } catch {
            throw ProtocolError(.unauthentic, "the other end has another code, or somebody is in between")
        }
    }
}
