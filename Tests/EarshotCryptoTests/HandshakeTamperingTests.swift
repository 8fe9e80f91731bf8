import EarshotCrypto
import EarshotModel
import TestSupport
import Testing

@Suite("In a Noise handshake under attack")
struct HandshakeTamperingTests {
    @Test("a bit altered anywhere in the first message fails the second", arguments: HandshakePattern.allCases)
    func refusesAlteredFirstMessage(pattern: HandshakePattern) throws {
        var handshake = try Handshake(pattern)
        let first = try handshake.initiator.writeMessage(payload: [1, 2, 3])
        for altered in first.withEachBitFlipped {
            var initiator = handshake.initiator
            var responder = handshake.responder
            #expect(throws: CryptoError.self) {
                _ = try responder.readMessage(altered)
                _ = try initiator.readMessage(responder.writeMessage(payload: []))
            }
        }
    }

    @Test("a bit altered anywhere in a later message is refused", arguments: HandshakePattern.allCases, 1...2)
    func refusesAlteredMessage(pattern: HandshakePattern, messagesBefore: Int) throws {
        var (reader, message) = try pendingMessage(pattern, messagesBefore: messagesBefore)
        for altered in message.withEachBitFlipped {
            #expect(throws: CryptoError.self) { try reader.readMessage(altered) }
        }
        #expect(try reader.readMessage(message) == [4, 5, 6], "what failed must leave the state as it was")
    }

    @Test("a message cut short anywhere is refused", arguments: HandshakePattern.allCases, 1...2)
    func refusesTruncatedMessage(pattern: HandshakePattern, messagesBefore: Int) throws {
        var (reader, message) = try pendingMessage(pattern, messagesBefore: messagesBefore)
        for length in 0..<message.count {
            #expect(throws: CryptoError.self) { try reader.readMessage(Array(message.prefix(length))) }
        }
        #expect(try reader.readMessage(message) == [4, 5, 6])
    }

    @Test("a first message shorter than a key is refused", arguments: [0, 1, 31])
    func refusesShortFirstMessage(length: Int) throws {
        var handshake = try Handshake(.xx)
        let first = try handshake.initiator.writeMessage(payload: [])
        expect(.messageTooShort) { try handshake.responder.readMessage(Array(first.prefix(length))) }
    }

    @Test("an ephemeral key of low order is refused", arguments: LowOrderPoint.all)
    func refusesLowOrderEphemeralKey(point: String) throws {
        var handshake = try Handshake(.xx)
        _ = try handshake.responder.readMessage(Hex.bytes(point))
        expect(.lowOrderKey) { try handshake.responder.writeMessage(payload: []) }

        _ = try handshake.initiator.writeMessage(payload: [])
        let forged = Hex.bytes(point) + [UInt8](repeating: 0, count: 64)
        expect(.lowOrderKey) { try handshake.initiator.readMessage(forged) }
    }

    /// The side that is to read message number `messagesBefore`, counted from nought, and the message.
    private func pendingMessage(
        _ pattern: HandshakePattern, messagesBefore: Int
    ) throws -> (reader: HandshakeState, message: [UInt8]) {
        var handshake = try Handshake(pattern)
        try handshake.exchange(messagesBefore)
        if messagesBefore.isMultiple(of: 2) {
            return (handshake.responder, try handshake.initiator.writeMessage(payload: [4, 5, 6]))
        }
        return (handshake.initiator, try handshake.responder.writeMessage(payload: [4, 5, 6]))
    }
}
