import EarshotCrypto
import EarshotModel
import Foundation

@testable import EarshotProtocol

/// Alice's end of a link; her node accepts everybody or nobody.
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
            case .receive, .violated: require(isEstablished, "no frame comes before the link is established")
            case .doubted, .trusted: continue
            case .pair, .close: isClosed = true
            }
        }
        require(written.count < 1 << 20, "a handshake costs a bounded number of bytes")
    }
}

/// A handshake with somebody who does the cryptography right, and sends anything under it.
struct HostileHandshake {
    /// Mallory has begun correctly, and Alice has answered. What follows is tried most often, because nothing before it
    /// has to be computed again.
    private static let answered: HostileHandshake = {
        var meeting = HostileHandshake(isInitiator: false)
        var hello = Wire.Hello()
        hello.version = LinkConfiguration.protocolVersion
        let first = certain { try meeting.mallory.writeMessage(payload: []) }
        meeting.alice.received(MessageBuffer.framed(Wire.encode(hello)) + MessageBuffer.framed(first))
        require(meeting.hearsAnswer(), "the fuzzer itself is wrong: Alice answers")
        return meeting
    }()

    private var alice: HandshakeEnd
    private var mallory: HandshakeState

    /// - Parameter isInitiator: whether Alice is.
    private init(isInitiator: Bool) {
        alice = HandshakeEnd(isInitiator: isInitiator)
        mallory = certain {
            try HandshakeState(
                pattern: .xx, role: isInitiator ? .responder : .initiator, prologue: Cast.alice.link.prologue,
                staticKey: Cast.mallory.link.agreementKey, ephemeralKey: Cast.ephemeralKeys[1])
        }
    }

    /// Without this, a mistake of the fuzzer would look like a node that refuses everything bad.
    static func rehearse() {
        for kind: UInt8 in 0...2 {
            // Welcome; of the introduction nothing is wrong, and of nothing anything is changed on its way.
            let hello: [UInt8] = kind == 1 ? [1, 1, 0, 0, 255, 0, 0, 255] : []
            var input = FuzzInput([kind, 1] + hello + [1] + [UInt8](repeating: 0, count: 8) + [1])
            let meeting = run(&input)
            require(meeting.isLinked, "the fuzzer itself is wrong: who does nothing wrong is linked (\(kind))")
        }
    }

    private var isLinked: Bool { mallory.isFinished && !alice.isClosed }

    @discardableResult
    static func run(_ input: inout FuzzInput) -> HostileHandshake {
        let kind = input.choice(8)
        var meeting = kind < 2 ? HostileHandshake(isInitiator: kind == 0) : answered
        meeting.alice.isWelcome = input.flag()
        switch kind {
        case 0: meeting.answer(&input)
        case 1:
            meeting.begin(&input)
            if meeting.hearsAnswer() { meeting.say(meeting.introduction(&input), &input) }
        default: meeting.say(meeting.introduction(&input), &input)
        }
        meeting.goOn(&input)
        return meeting
    }

    private mutating func begin(_ input: inout FuzzInput) {
        send(hello(&input), &input)
        say(input.block(), &input)
    }

    private mutating func hearsAnswer() -> Bool {
        guard let answer = messages(in: alice.takeWritten()).last else { return false }
        return (try? mallory.readMessage(answer)) != nil
    }

    private mutating func answer(_ input: inout FuzzInput) {
        // Her hello is part of the prologue, and needs no answer.
        let messages = messages(in: alice.takeWritten())
        guard messages.count == 2, (try? mallory.readMessage(messages[1])) != nil else { return }
        say(introduction(&input), &input)
        _ = hearsAnswer()
    }

    /// Frames on a link that Mallory considers established.
    private mutating func goOn(_ input: inout FuzzInput) {
        guard mallory.isFinished, var transport = try? mallory.split() else { return }
        while !input.isEmpty, !alice.isClosed {
            guard let sealed = try? transport.seal(input.block()) else { return }
            send(sealed, &input)
            if input.flag() { transport.rekeySending() }
        }
    }

    private func hello(_ input: inout FuzzInput) -> [UInt8] {
        var hello = Wire.Hello()
        hello.version = input.flag() ? LinkConfiguration.protocolVersion : UInt32(input.byte())
        if input.choice(8) == 0 { hello.networkTag = input.text() }
        var bytes = Wire.encode(hello)
        input.damage(&bytes)
        return bytes
    }

    private func introduction(_ input: inout FuzzInput) -> [UInt8] {
        var introduction = Wire.Introduction()
        introduction.credential = input.flag() ? Cast.mallory.link.credential.wire : credential(&input)
        introduction.run = input.word()
        if input.choice(8) == 0 { introduction.refusal = UInt32(truncatingIfNeeded: input.number()) }
        introduction.clock = Int64(bitPattern: input.number(near: UInt64(Cast.now.wallClock)))
        var bytes = Wire.encode(introduction)
        input.damage(&bytes)
        return bytes
    }

    private mutating func say(_ payload: [UInt8], _ input: inout FuzzInput) {
        guard let message = try? mallory.writeMessage(payload: payload) else { return }
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
        while case .noise(let message)? = try? buffer.next(
            limit: TransportState.maximumMessageBytes, isRefusalAllowed: true)
        {
            messages.append(message)
        }
        return messages
    }
}
