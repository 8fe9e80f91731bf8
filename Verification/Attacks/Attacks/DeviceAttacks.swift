import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation

extension Attack {
    static let devices: [Attack] = [
        revokedDevice, linkedClaimsPrimary, forgedGrant, forgedDecision, foreignErasure, guessedCode,
    ]

    /// A thief has a linked device of alice's: its keys and its credential, and not her identity.
    static func stolenDevice(of alice: RunningNode) throws -> Mallory {
        var thief = Mallory(name: alice.node.name.description)
        let file = try Data(contentsOf: URL(fileURLWithPath: alice.node.home.path + "/identity.key"))
        thief.identity = try SigningKey(seed: SecretBytes(copying: Array(file.suffix(Bytes32.count))))
        return thief
    }

    private static let revokedDevice = Attack(
        kind: .impersonation, name: "a thief's device of alice's, after she has revoked it",
        expected: "linked before; told reason 18 by alice and by bob after"
    ) { arena, source in
        let thief = try stolenDevice(of: arena.alice)
        let isLinked = try await blocking {
            let link = try HostileLink.connect(thief, to: arena.alice.port, from: source)
            return link.answersPing()
        }
        try await arena.alice.node.devices.revoke(thief.deviceID)
        _ = await arena.bob.events.first { event -> Bool? in
            if case .deviceRevoked(let device) = event, device.deviceID == thief.deviceID { true } else { nil }
        }
        let ends = try await blocking {
            try [arena.alice, arena.bob].map { try HostileLink.connect(thief, to: $0.port, from: source).end() }
        }
        return Outcome(
            "linked before: \(isLinked); then \(ends[0]), \(ends[1])",
            isLinked && ends.allSatisfy { $0.isClosed && $0.reason == 18 })
    }

    private static let linkedClaimsPrimary = Attack(
        kind: .impersonation, name: "a linked device of alice's that says it is a primary one",
        expected: "closed; event unauthentic"
    ) { arena, source in
        var thief = try stolenDevice(of: arena.alice)
        thief.isPrimary = true
        // All that it can sign with.
        thief.forger = thief.device
        let claimant = thief
        let end = try await blocking {
            try HostileLink.connect(claimant, to: arena.bob.port, from: source).end()
        }
        return await Outcome(end, reason: nil, code: "unauthentic", at: arena.bob, from: source)
    }

    private static let forgedGrant = Attack(
        kind: .afterAuthentication, name: "a credential for alice's device that a linked device has signed",
        expected: "closed; alice's credential is as it was"
    ) { arena, source in
        let thief = try stolenDevice(of: arena.alice)
        let before = await arena.alice.node.devices.all.first { $0.isThisDevice }
        let end = try await blocking {
            let link = try HostileLink.connect(thief, to: arena.alice.port, from: source)
            guard link.answersPing() else { throw HostileSocket.Failure(description: "the device is not linked") }
            var forged = Mallory(name: "alice")
            (forged.identity, forged.device, forged.forger) = (thief.identity, thief.device, thief.device)
            forged.claimedDevice = arena.alice.node.deviceID.bytes
            link.send(Proto.field(30, forged.grant))
            return link.end()
        }
        let after = await arena.alice.node.devices.all.first { $0.isThisDevice }
        return Outcome(
            "\(end); the credential is \(before == after ? "as it was" : "another")", end.isClosed && before == after)
    }

    private static let forgedDecision = Attack(
        kind: .impersonation,
        name: "a stolen linked device of alice's verifies bob, and blocks him with a number it made up",
        expected: "taken; bob is to alice what he was"
    ) { arena, source in
        let thief = try stolenDevice(of: arena.alice)
        let (alice, bob) = (arena.alice.node.userID, arena.bob.node.userID)
        let before = await arena.alice.node.users.user(bob)?.trust
        let name = arena.bob.node.name
        let log = thief.log(in: .direct(alice, alice))
        let verified = Decision(.verify, about: bob, name: name, counter: 1).signed(
            for: thief.deviceID, with: thief.device)
        let blocked = Decision(.block, about: bob, name: name, counter: Counting.largest)
        let bodies = [verified, blocked].enumerated().map { index, decision in
            Mallory.body(.decision(decision), at: Mallory.now + Int64(index))
        }
        let isTaken = try await blocking {
            let link = try HostileLink.connect(thief, to: arena.alice.port, from: source)
            guard link.answersPing() else { throw HostileSocket.Failure(description: "the device is not linked") }
            link.send(Mallory.heads(), thief.entries(log, bodies: bodies))
            return link.waitForReceipt()
        }
        let after = await arena.alice.node.users.user(bob)?.trust
        return Outcome(
            "taken: \(isTaken); bob is \(after.map { "\($0)" } ?? "nobody")", isTaken && before == after)
    }

    private static let foreignErasure = Attack(
        kind: .impersonation, name: "somebody else's word that alice has erased what they wrote to her",
        expected: "taken; alice still has it"
    ) { arena, source in
        let mallory = Mallory()
        let log = mallory.log(to: arena.alice.node.userID)
        let text = Mallory.body("a promise", at: Mallory.now)
        let chain = ChainHash.origin(of: log.logID).appending(.of(body: text))
        let run = ErasedRun(through: LogPlace(logID: log.logID, sequence: 1, chain: chain))
        let erasure = Mallory.body(.erasure([run]), at: Mallory.now + 1)
        let isTaken = try await blocking {
            let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
            guard link.answersPing() else { throw HostileSocket.Failure(description: "not linked") }
            link.send(Mallory.heads(), mallory.entries(log, bodies: [text, erasure]))
            return link.waitForReceipt()
        }
        let texts = try await arena.alice.node.conversations.direct(with: mallory.userID).history().map(\.text)
        return Outcome("taken: \(isTaken); alice has \(texts)", isTaken && texts == ["a promise"])
    }

    private static let guessedCode = Attack(
        kind: .impersonation, name: "a pairing code that is guessed by somebody who knows its tag",
        expected: "one guess a second; dead after \(Limits.pairingFailures) of them, also for the right code",
        isSlow: true
    ) { arena, source in
        let code = try await arena.carol.node.devices.beginPairing()
        let right = code.code
        let port = arena.carol.port
        let refusedEarly = try await blocking {
            var refusals = 0
            for guess in 0..<Limits.pairingFailures {
                let wrong = PairingCode(secret: SecretBytes(copying: [UInt8](repeating: UInt8(guess), count: 16)))
                try PairingGuess(wrong, tag: right.tag).run(port, from: source)
                // The next one comes too early.
                if try PairingGuess(wrong, tag: right.tag).run(port, from: source) == 19 { refusals += 1 }
                Thread.sleep(forTimeInterval: Double(Timing.pairingPause) / 1000 + 0.1)
            }
            return refusals
        }
        let state = await arena.carol.node.devices.pairing.state
        let late = try await blocking { try PairingGuess(right, tag: right.tag).run(port, from: source) }
        return Outcome(
            "\(refusedEarly) of \(Limits.pairingFailures) early guesses refused; the pairing is \(state); "
                + "the right code is told reason \(late.map(String.init) ?? "none")",
            refusedEarly == Limits.pairingFailures && state == .failed && late == 19)
    }
}

/// One try to open a pairing.
private struct PairingGuess {
    private let tag: [UInt8]
    private let code: PairingCode

    init(_ code: PairingCode, tag: [UInt8]) {
        self.code = code
        self.tag = tag
    }

    /// - Returns: the reason that the node gave in the clear.
    @discardableResult
    func run(_ port: UInt16, from source: String) throws -> UInt8? {
        let socket = try HostileSocket(to: port, from: source)
        var handshake = try HandshakeState(
            pattern: .xxpsk3, role: .initiator,
            prologue: Array("earshot pairing v\(LinkConfiguration.protocolVersion)".utf8), staticKey: .generate(),
            ephemeralKey: .generate(), presharedKey: code.key)
        let hello = Proto.field(1, UInt64(LinkConfiguration.protocolVersion)) + Proto.field(3, tag)
        socket.write(HostileSocket.framed(hello) + HostileSocket.framed(try handshake.writeMessage(payload: [])))
        guard let second = socket.readMessage() else { return nil }
        guard second.count > 2 else { return second.first }
        _ = try handshake.readMessage(second)
        socket.write(HostileSocket.framed(try handshake.writeMessage(payload: [])))
        _ = socket.readToEnd()
        return nil
    }
}
