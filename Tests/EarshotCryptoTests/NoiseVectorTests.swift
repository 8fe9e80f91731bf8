import EarshotCrypto
import EarshotModel
import TestSupport
import Testing

@Suite(
    "By the published Noise vectors",
    .enabled(if: NoiseVector.arePresent, "no noise.json; EARSHOT_VECTORS names its folder"))
struct NoiseVectorTests {
    @Test("a suite's handshake, hash and transport give the published bytes", arguments: HandshakePattern.allCases)
    func givesPublishedBytes(pattern: HandshakePattern) throws {
        let vector = try #require(try NoiseVector.all().first { $0.protocolName == pattern.protocolName })
        var initiator = try vector.handshake(pattern, role: .initiator)
        var responder = try vector.handshake(pattern, role: .responder)

        try #require(vector.messages.count > 3)
        for (index, message) in vector.messages.prefix(3).enumerated() {
            if index.isMultiple(of: 2) {
                try check(message, from: &initiator, to: &responder)
            } else {
                try check(message, from: &responder, to: &initiator)
            }
        }
        #expect(initiator.isFinished && responder.isFinished)
        #expect(Hex.text(initiator.handshakeHash.bytes) == vector.handshakeHash)
        #expect(responder.handshakeHash == initiator.handshakeHash)

        var initiatorTransport = try initiator.split()
        var responderTransport = try responder.split()
        for (index, message) in vector.messages.enumerated().dropFirst(3) {
            if index.isMultiple(of: 2) {
                try check(message, from: &initiatorTransport, to: &responderTransport)
            } else {
                try check(message, from: &responderTransport, to: &initiatorTransport)
            }
        }
    }

    private func check(
        _ message: NoiseVector.Message, from writer: inout HandshakeState, to reader: inout HandshakeState
    ) throws {
        let written = try writer.writeMessage(payload: Hex.bytes(message.payload))
        #expect(Hex.text(written) == message.ciphertext)
        #expect(Hex.text(try reader.readMessage(written)) == message.payload)
    }

    private func check(
        _ message: NoiseVector.Message, from writer: inout TransportState, to reader: inout TransportState
    ) throws {
        let sealed = try writer.seal(Hex.bytes(message.payload))
        #expect(Hex.text(sealed) == message.ciphertext)
        #expect(Hex.text(try reader.open(sealed)) == message.payload)
    }
}
