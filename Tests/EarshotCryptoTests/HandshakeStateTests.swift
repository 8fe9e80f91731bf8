import EarshotCrypto
import EarshotModel
import Testing

@Suite("In a Noise handshake")
struct HandshakeStateTests {
    @Test("both sides agree on hash and keys, and read each other's payloads", arguments: HandshakePattern.allCases)
    func sidesAgree(pattern: HandshakePattern) throws {
        var handshake = try Handshake(pattern)
        let payloads = (1...3).map { Array("payload \($0)".utf8) }
        #expect(
            try handshake.responder.readMessage(handshake.initiator.writeMessage(payload: payloads[0])) == payloads[0])
        #expect(
            try handshake.initiator.readMessage(handshake.responder.writeMessage(payload: payloads[1])) == payloads[1])
        #expect(
            try handshake.responder.readMessage(handshake.initiator.writeMessage(payload: payloads[2])) == payloads[2])

        #expect(handshake.initiator.remoteStaticKey == handshake.responderKey.publicKey)
        #expect(handshake.responder.remoteStaticKey == handshake.initiatorKey.publicKey)
        let initiator = try handshake.initiator.split()
        let responder = try handshake.responder.split()
        #expect(initiator.handshakeHash == responder.handshakeHash)
        #expect(initiator.remoteStaticKey == handshake.responderKey.publicKey)
        #expect(responder.remoteStaticKey == handshake.initiatorKey.publicKey)
    }

    @Test("the sides take turns, the initiator first")
    func takesTurns() throws {
        var handshake = try Handshake(.xx)
        #expect(handshake.initiator.isWriteTurn && !handshake.responder.isWriteTurn)
        expect(.outOfTurn) { try handshake.responder.writeMessage(payload: []) }
        expect(.outOfTurn) { try handshake.initiator.readMessage([]) }
        try handshake.exchange(1)
        #expect(!handshake.initiator.isWriteTurn && handshake.responder.isWriteTurn)
        expect(.outOfTurn) { try handshake.initiator.writeMessage(payload: []) }
        expect(.outOfTurn) { try handshake.responder.readMessage([]) }
    }

    @Test("after the last message nothing is written or read")
    func endsAfterLastMessage() throws {
        var handshake = try Handshake(.xx)
        try handshake.exchange()
        for var side in [handshake.initiator, handshake.responder] {
            #expect(side.isFinished && !side.isWriteTurn)
            expect(.outOfTurn) { try side.writeMessage(payload: []) }
            expect(.outOfTurn) { try side.readMessage([]) }
        }
    }

    @Test("a handshake splits only when it is finished", arguments: 0..<3)
    func splitsWhenFinished(messages: Int) throws {
        var handshake = try Handshake(.xx)
        try handshake.exchange(messages)
        expect(.handshakeUnfinished) { try handshake.initiator.split() }
        expect(.handshakeUnfinished) { try handshake.responder.split() }
    }

    @Test("another prologue fails as soon as something is encrypted: with psk, in the first message")
    func refusesOtherPrologue() throws {
        var xx = try Handshake(.xx, responderPrologue: Handshake.prologue + [0])
        try xx.exchange(1)
        let second = try xx.responder.writeMessage(payload: [])
        expect(.decryptionFailed) { try xx.initiator.readMessage(second) }

        var xxpsk3 = try Handshake(.xxpsk3, responderPrologue: Handshake.prologue + [0])
        let first = try xxpsk3.initiator.writeMessage(payload: [])
        expect(.decryptionFailed) { try xxpsk3.responder.readMessage(first) }
    }

    @Test("another pre-shared key fails at the third message")
    func refusesOtherPresharedKey() throws {
        var handshake = try Handshake(.xxpsk3, responderPresharedKey: .random(count: 32))
        try handshake.exchange(2)
        let third = try handshake.initiator.writeMessage(payload: [])
        expect(.decryptionFailed) { try handshake.responder.readMessage(third) }
    }

    @Test("a side with a pre-shared key and one without fail")
    func refusesOtherPattern() throws {
        var with = try Handshake(.xxpsk3)
        var without = try Handshake(.xx)
        let first = try without.initiator.writeMessage(payload: [])
        expect(.messageTooShort) { try with.responder.readMessage(first) }
        let longer = try Handshake(.xx).initiator.copyWriting(payload: [UInt8](repeating: 0, count: 16))
        expect(.decryptionFailed) { try with.responder.readMessage(longer) }
    }

    @Test("a pre-shared key of 32 bytes goes with psk, and with nothing else")
    func checksPresharedKey() {
        func begin(_ pattern: HandshakePattern, _ presharedKey: SecretBytes?) throws -> HandshakeState {
            try HandshakeState(
                pattern: pattern, role: .initiator, prologue: [], staticKey: .generate(), ephemeralKey: .generate(),
                presharedKey: presharedKey)
        }
        expect(.presharedKeyMismatch) { try begin(.xx, .random(count: 32)) }
        expect(.presharedKeyMismatch) { try begin(.xxpsk3, nil) }
        expect(.invalidKeyLength) { try begin(.xxpsk3, .random(count: 31)) }
        expect(.invalidKeyLength) { try begin(.xxpsk3, .random(count: 33)) }
    }

    @Test("a copy is independent")
    func copiesAreValues() throws {
        var handshake = try Handshake(.xxpsk3)
        try handshake.exchange(2)
        var copy = handshake
        let third = try handshake.initiator.writeMessage(payload: [1])
        #expect(!copy.initiator.isFinished)
        #expect(try copy.initiator.writeMessage(payload: [1]) == third)
        #expect(try copy.responder.readMessage(third) == [1])
        #expect(!handshake.responder.isFinished)
        #expect(try handshake.responder.readMessage(third) == [1])
    }

    @Test("a payload that makes the message too long is refused, and the same side may try again")
    func bounds() throws {
        var handshake = try Handshake(.xx)
        let longest = [UInt8](repeating: 7, count: TransportState.maximumMessageBytes - AgreementKey.keyBytes)
        expect(.messageTooLong) { try handshake.initiator.writeMessage(payload: longest + [7]) }
        #expect(handshake.initiator.isWriteTurn)
        let first = try handshake.initiator.writeMessage(payload: longest)
        expect(.messageTooLong) { try handshake.responder.readMessage(first + [7]) }
        #expect(try handshake.responder.readMessage(first) == longest)
    }
}

extension HandshakeState {
    fileprivate func copyWriting(payload: [UInt8]) throws -> [UInt8] {
        var copy = self
        return try copy.writeMessage(payload: payload)
    }
}
