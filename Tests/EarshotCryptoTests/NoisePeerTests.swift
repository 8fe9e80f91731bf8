import EarshotCrypto
import EarshotModel
import Foundation
import TestSupport
import Testing

@Suite(
    "Noise with an independent peer", .serialized,
    .enabled(if: PythonEnvironment.isWanted, "EARSHOT_SKIP_PYTHON is set"))
struct NoisePeerTests {
    @Test(
        "handshake, transport and rekeying work with another implementation",
        .timeLimit(.minutes(5)),
        arguments: HandshakePattern.allCases, [HandshakeState.Role.initiator, .responder])
    func worksWithPeer(pattern: HandshakePattern, role: HandshakeState.Role) throws {
        let ours = AgreementKey.generate()
        let theirs = AgreementKey.generate()
        let presharedKey = pattern == .xxpsk3 ? SecretBytes.random(count: 32) : nil
        let prologue = Array("earshot peer test".utf8)
        let peer = try PythonPeer(
            pattern: pattern, role: role == .initiator ? .responder : .initiator, staticKey: theirs,
            prologue: prologue, presharedKey: presharedKey)
        var handshake = try HandshakeState(
            pattern: pattern, role: role, prologue: prologue, staticKey: ours, ephemeralKey: .generate(),
            presharedKey: presharedKey)

        let payloads = try shakeHands(&handshake, over: peer.stream)
        var conversation = Conversation(transport: try handshake.split(), stream: peer.stream)
        #expect(conversation.transport.remoteStaticKey == theirs.publicKey)
        try checkReport(of: &conversation, ours: ours, payloads: payloads)
        try checkEchoes(of: &conversation)
        try checkRekeying(of: &conversation)

        try conversation.tell("quit")
        #expect(peer.waitForEnd() == 0)
    }

    /// - Returns: the payloads that were sent, in hexadecimal.
    private func shakeHands(_ handshake: inout HandshakeState, over stream: LoopbackStream) throws -> [String] {
        var payloads: [String] = []
        for index in 0..<3 {
            if handshake.isWriteTurn {
                let payload = Array("our payload \(index)".utf8)
                payloads.append(Hex.text(payload))
                try stream.send(handshake.writeMessage(payload: payload))
            } else {
                #expect(try handshake.readMessage(stream.receive()) == Array("peer payload \(index)".utf8))
            }
        }
        return payloads
    }

    private func checkReport(of conversation: inout Conversation, ours: AgreementKey, payloads: [String]) throws {
        let answer = try conversation.ask(Array("report".utf8))
        let report = try JSONDecoder().decode(PythonPeer.Report.self, from: Data(answer))
        #expect(report.handshakeHash == Hex.text(conversation.transport.handshakeHash.bytes))
        #expect(report.remoteStaticKey == Hex.text(ours.publicKey.bytes))
        #expect(report.payloads == payloads)
    }

    private func checkEchoes(of conversation: inout Conversation) throws {
        let command = Array("echo:".utf8)
        let longest = TransportState.maximumMessageBytes - TransportState.tagBytes - command.count
        for length in [0, 1, 1000, longest] {
            let text = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try conversation.ask(command + text) == text)
        }
    }

    private func checkRekeying(of conversation: inout Conversation) throws {
        for _ in 0..<2 {
            try conversation.tell("rekey-inbound")
            conversation.transport.rekeySending()
            #expect(try conversation.answer() == Array("done".utf8))
            #expect(try conversation.ask(Array("echo:one".utf8)) == Array("one".utf8))

            try conversation.tell("rekey-outbound")
            conversation.transport.rekeyReceiving()
            #expect(try conversation.answer() == Array("done".utf8))
            #expect(try conversation.ask(Array("echo:two".utf8)) == Array("two".utf8))
        }
    }
}

/// Requests and answers over an encrypted connection.
private struct Conversation {
    var transport: TransportState
    let stream: LoopbackStream

    mutating func tell(_ request: String) throws {
        try stream.send(transport.seal(Array(request.utf8)))
    }

    mutating func answer() throws -> [UInt8] {
        try transport.open(stream.receive())
    }

    mutating func ask(_ request: [UInt8]) throws -> [UInt8] {
        try stream.send(transport.seal(request))
        return try answer()
    }
}
