import EarshotCrypto
import EarshotModel
import Foundation
import SwiftProtobuf

@testable import EarshotProtocol

/// Alice's end of a link, whose node takes everybody or nobody.
struct HandshakeEnd {
    private(set) var machine: LinkMachine
    private(set) var written: [UInt8] = []
    private(set) var isClosed = false
    private(set) var isEstablished = false
    var isWelcome = true

    init(isInitiator: Bool) {
        machine = certain {
            try LinkMachine(
                role: isInitiator ? .initiator : .responder, configuration: Cast.alice.link,
                ephemeralKey: Cast.ephemeralKeys[0], now: Cast.now)
        }
        if isInitiator { perform(machine.start()) }
    }

    mutating func received(_ bytes: [UInt8]) {
        perform(machine.received(bytes, now: Cast.now))
        perform(machine.flush(now: Cast.now))
    }

    mutating func takeWritten() -> [UInt8] {
        defer { written = [] }
        return written
    }

    private mutating func perform(_ actions: [LinkMachine.Action]) {
        for action in actions {
            require(!isClosed, "nothing follows the end of a link")
            switch action {
            case .write(let bytes): written += bytes
            case .decide(let peer):
                require(peer.credential.isValid(at: Cast.now.wallClock), "only who is valid is shown to the node")
                let error = ProtocolError(.closedHere, "unwelcome")
                perform(
                    isWelcome
                        ? machine.accept(now: Cast.now) : machine.refuse(error, reason: .blocked, now: Cast.now))
            case .established: isEstablished = true
            case .receive: require(isEstablished, "no frame comes before the link is established")
            case .doubted, .trusted: continue
            case .close: isClosed = true
            }
        }
        require(written.count < 1 << 20, "a handshake costs a bounded number of bytes")
    }
}

/// A handshake with somebody who can do the cryptography, and says what they like under it.
struct HostileHandshake {
    private var alice: HandshakeEnd
    private let isInitiator: Bool

    /// - Parameter isInitiator: whether Alice is.
    init(isInitiator: Bool) {
        self.isInitiator = isInitiator
        alice = HandshakeEnd(isInitiator: isInitiator)
    }

    mutating func run(_ input: inout FuzzInput) {
        alice.isWelcome = input.flag()
        guard var handshake = try? handshake() else { return }
        if isInitiator {
            var messages = messages(in: alice.takeWritten())
            guard messages.count == 2, (try? handshake.readMessage(messages.removeLast())) != nil else { return }
            say(&handshake, introduction(&input), &input)
            guard let last = self.messages(in: alice.takeWritten()).last else { return }
            guard (try? handshake.readMessage(last)) != nil else { return }
        } else {
            send(hello(&input), &input)
            say(&handshake, input.block(), &input)
            guard let reply = messages(in: alice.takeWritten()).last else { return }
            guard (try? handshake.readMessage(reply)) != nil else { return }
            say(&handshake, introduction(&input), &input)
        }
        guard handshake.isFinished, var transport = try? handshake.split() else { return }
        while !input.isEmpty, !alice.isClosed {
            guard let sealed = try? transport.seal(input.block()) else { return }
            send(sealed, &input)
            if input.flag() { transport.rekeySending() }
        }
    }

    private func handshake() throws -> HandshakeState {
        try HandshakeState(
            pattern: .xx, role: isInitiator ? .responder : .initiator, prologue: Cast.alice.link.prologue,
            staticKey: Cast.mallory.link.agreementKey, ephemeralKey: Cast.ephemeralKeys[1])
    }

    private func hello(_ input: inout FuzzInput) -> [UInt8] {
        var hello = Earshot_V1_Hello()
        hello.version = input.flag() ? LinkConfiguration.protocolVersion : UInt32(input.byte())
        if input.choice(8) == 0 { hello.networkTag = input.text() }
        var bytes = Wire.encode(hello)
        input.damage(&bytes)
        return bytes
    }

    private func introduction(_ input: inout FuzzInput) -> [UInt8] {
        var introduction = Earshot_V1_Introduction()
        introduction.credential = input.flag() ? Cast.mallory.link.credential.wire : credential(&input)
        introduction.run = input.word()
        if input.choice(8) == 0 { introduction.refusal = UInt32(truncatingIfNeeded: input.number()) }
        introduction.clock = Int64(bitPattern: input.number(near: UInt64(Cast.now.wallClock)))
        var bytes = Wire.encode(introduction)
        input.damage(&bytes)
        return bytes
    }

    private mutating func say(_ handshake: inout HandshakeState, _ payload: [UInt8], _ input: inout FuzzInput) {
        guard let message = try? handshake.writeMessage(payload: payload) else { return }
        send(message, &input)
    }

    private mutating func send(_ message: [UInt8], _ input: inout FuzzInput) {
        var bytes = MessageBuffer.framed(message)
        input.damage(&bytes)
        for piece in input.pieces(of: bytes) where !alice.isClosed { alice.received(piece) }
    }

    private func messages(in bytes: [UInt8]) -> [[UInt8]] {
        var buffer = MessageBuffer()
        buffer.append(bytes)
        var messages: [[UInt8]] = []
        while case .noise(let message)? = try? buffer.next(limit: TransportState.maximumMessageBytes) {
            messages.append(message)
        }
        return messages
    }
}
