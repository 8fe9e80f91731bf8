package import EarshotModel

/// One side of a Noise handshake (Noise specification, revision 34, section 5.3).
///
/// A value without randomness of its own: the same keys and the same messages give the same handshake, and a copy goes
/// its own way. A call that throws leaves it as it was. After an error the link is to be closed all the same.
package struct HandshakeState: Sendable {
    package enum Role: Sendable {
        /// Writes the first message.
        case initiator
        case responder
    }

    private let role: Role
    private let pattern: HandshakePattern
    private let staticKey: AgreementKey
    private let ephemeralKey: AgreementKey
    private let presharedKey: SecretBytes?
    private var symmetric: SymmetricState
    private var remoteEphemeralKey: AgreementPublicKey?
    private var messagesDone = 0

    /// The peer's static key, as soon as it was read. Only the end of the handshake proves that the peer has it.
    package private(set) var remoteStaticKey: AgreementPublicKey?

    /// - Parameters:
    ///   - prologue: what both sides must agree on without sending it; if they differ, the handshake fails.
    ///   - ephemeralKey: newly generated for this handshake and used for nothing else.
    ///   - presharedKey: 32 bytes, for a pattern with `psk` and for no other.
    /// - Throws: `.presharedKeyMismatch`, `.invalidKeyLength`.
    package init(
        pattern: HandshakePattern, role: Role, prologue: [UInt8], staticKey: AgreementKey,
        ephemeralKey: AgreementKey, presharedKey: SecretBytes? = nil
    ) throws(CryptoError) {
        guard pattern.usesPresharedKey == (presharedKey != nil) else {
            let verb = pattern.usesPresharedKey ? "needs a" : "has no"
            throw CryptoError(.presharedKeyMismatch, "\(pattern.protocolName) \(verb) pre-shared key")
        }
        if let presharedKey, presharedKey.count != HandshakePattern.presharedKeyBytes {
            throw CryptoError(.invalidKeyLength, "a pre-shared key is 32 bytes, and this one is \(presharedKey.count)")
        }
        self.role = role
        self.pattern = pattern
        self.staticKey = staticKey
        self.ephemeralKey = ephemeralKey
        self.presharedKey = presharedKey
        symmetric = SymmetricState(protocolName: pattern.protocolName)
        symmetric.mixHash(prologue)
    }

    /// Whether every message of the pattern was written or read. Then `split()` is due.
    package var isFinished: Bool { messagesDone == pattern.messages.count }

    /// Whether `writeMessage` is due, not `readMessage`.
    package var isWriteTurn: Bool { !isFinished && messagesDone.isMultiple(of: 2) == (role == .initiator) }

    /// `h`: once the handshake is finished, names this session and no other (section 11.2, channel binding).
    package var handshakeHash: Bytes32 { symmetric.handshakeHash }

    /// WriteMessage(payload).
    ///
    /// The protection of a payload depends on the message (section 7.7). Anyone can read the first one, even in
    /// `xxpsk3`, where it is encrypted under a key that follows from public bytes. Any stranger who dials can read the
    /// second one.
    /// - Returns: the message to send.
    /// - Throws: `.outOfTurn`, `.messageTooLong`, `.lowOrderKey`.
    package mutating func writeMessage(payload: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard isWriteTurn else { throw CryptoError(.outOfTurn, "it is not this side's turn to write") }
        var next = self
        var message: [UInt8] = []
        for token in pattern.messages[messagesDone] {
            try next.write(token, to: &message)
        }
        message += try next.symmetric.encryptAndHash(payload)
        guard message.count <= TransportState.maximumMessageBytes else {
            throw CryptoError(.messageTooLong, "a handshake message of \(message.count) bytes is too long")
        }
        next.messagesDone += 1
        self = next
        return message
    }

    /// ReadMessage(message).
    /// - Returns: the payload.
    /// - Throws: `.outOfTurn`, `.messageTooLong`, `.messageTooShort`, `.decryptionFailed`, `.lowOrderKey`.
    package mutating func readMessage(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard !isFinished, !isWriteTurn else { throw CryptoError(.outOfTurn, "it is not this side's turn to read") }
        guard message.count <= TransportState.maximumMessageBytes else {
            throw CryptoError(.messageTooLong, "a handshake message of \(message.count) bytes is too long")
        }
        var next = self
        var rest = message[...]
        for token in pattern.messages[messagesDone] {
            try next.read(token, from: &rest)
        }
        let payload = try next.symmetric.decryptAndHash(Array(rest))
        next.messagesDone += 1
        self = next
        return payload
    }

    /// Split(): ends the handshake and begins the transport.
    /// - Throws: `.handshakeUnfinished`.
    package consuming func split() throws(CryptoError) -> TransportState {
        guard isFinished, let remoteStaticKey else {
            throw CryptoError(.handshakeUnfinished, "the handshake has messages left")
        }
        let (initiator, responder) = symmetric.split()
        return TransportState(
            sending: role == .initiator ? initiator : responder,
            receiving: role == .initiator ? responder : initiator,
            handshakeHash: handshakeHash,
            remoteStaticKey: remoteStaticKey)
    }
}

// The tokens, each as section 5.3 describes it; `psk` and its effect on `e` in section 9.2.
extension HandshakeState {
    private mutating func write(_ token: HandshakePattern.Token, to message: inout [UInt8]) throws(CryptoError) {
        switch token {
        case .e:
            message += ephemeralKey.publicKey.bytes
            mixEphemeralKey(ephemeralKey.publicKey)
        case .s: message += try symmetric.encryptAndHash(staticKey.publicKey.bytes)
        case .psk: mixPresharedKey()
        case .agreement(let agreement): symmetric.mixKey(try sharedSecret(agreement))
        }
    }

    private mutating func read(
        _ token: HandshakePattern.Token, from message: inout ArraySlice<UInt8>
    ) throws(CryptoError) {
        switch token {
        case .e:
            let key = try AgreementPublicKey(reading: Self.take(AgreementKey.keyBytes, from: &message))
            remoteEphemeralKey = key
            mixEphemeralKey(key)
        case .s:
            let field = try Self.take(AgreementKey.keyBytes + symmetric.overhead, from: &message)
            remoteStaticKey = AgreementPublicKey(reading: try symmetric.decryptAndHash(field))
        case .psk: mixPresharedKey()
        case .agreement(let agreement): symmetric.mixKey(try sharedSecret(agreement))
        }
    }

    private mutating func mixEphemeralKey(_ key: AgreementPublicKey) {
        symmetric.mixHash(key.bytes)
        if pattern.usesPresharedKey { symmetric.mixKey(SecretBytes(copying: key.bytes, isOfLink: true)) }
    }

    private mutating func mixPresharedKey() {
        guard let presharedKey else { preconditionFailure("a pattern with psk was begun without a pre-shared key") }
        symmetric.mixKeyAndHash(presharedKey)
    }

    private func sharedSecret(_ agreement: HandshakePattern.Agreement) throws(CryptoError) -> SecretBytes {
        let (ours, theirs) =
            switch (agreement, role) {
            case (.ee, _): (ephemeralKey, remoteEphemeralKey)
            case (.es, .initiator), (.se, .responder): (ephemeralKey, remoteStaticKey)
            case (.es, .responder), (.se, .initiator): (staticKey, remoteEphemeralKey)
            }
        guard let theirs else { preconditionFailure("a pattern uses a key before it is sent") }
        return try ours.sharedSecret(with: theirs)
    }

    private static func take(_ count: Int, from message: inout ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        guard message.count >= count else {
            throw CryptoError(.messageTooShort, "a handshake message ends within a key")
        }
        defer { message = message.dropFirst(count) }
        return Array(message.prefix(count))
    }
}

extension AgreementPublicKey {
    fileprivate init(reading field: [UInt8]) {
        guard let key = AgreementPublicKey(bytes: field) else { preconditionFailure("a key's field is 32 bytes") }
        self = key
    }
}
