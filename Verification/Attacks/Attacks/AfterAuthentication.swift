import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation
import Synchronization

extension Attack {
    private static let forged = Mallory.body("forged", at: Mallory.now)

    static let afterAuthentication: [Attack] =
        [
            .frames("a frame that announces 2 MiB", reason: nil) { link, _ in
                link.send(plaintext: Proto.varint(2 << 20))
            },
            .frames("a frame whose length has five bytes", reason: nil, code: "malformed") { link, _ in
                link.send(plaintext: [0x80, 0x80, 0x80, 0x80, 0x01])
            },
            .frames("a frame that is no protobuf", code: "malformed") { link, _ in
                link.send([0xff, 0xff, 0xff])
            },
            .frames("a Noise message that is shorter than its tag", reason: nil, code: "malformed") { link, _ in
                link.socket.write([0, 3, 1, 2, 3])
            },
            .frames("a Noise message with one bit changed", reason: nil, code: "unauthentic") { link, _ in
                var sealed = link.seal(Proto.varint(2) + Mallory.ping)
                sealed[0] ^= 1
                link.socket.write(HostileSocket.framed(sealed))
            },
            .frames("a Noise message sent twice", reason: nil, code: "unauthentic") { link, _ in
                let sealed = HostileSocket.framed(link.seal(Proto.varint(2) + Mallory.ping))
                link.socket.write(sealed + sealed)
            },
            .frames("a Noise message left out", reason: nil, code: "unauthentic") { link, _ in
                _ = link.seal([])
                link.send(Mallory.ping)
            },
            .frames("a refusal in the clear within a link", reason: nil) { link, _ in link.socket.write([0, 0, 10, 1])
            },
            unknownFrame,
            .frames("an entry after a hole") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(Mallory.heads(), link.mallory.entries(log, from: 2, bodies: [forged]))
            },
            .frames("an entry before the heads") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: [forged]))
            },
            .frames("an entry whose checkpoint is over another chain", code: "unauthentic") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                let checkpoint = Checkpoint.sign(
                    logID: log.logID, sequence: 1, chain: ChainHash(Bytes32()), with: link.mallory.device)
                link.send(
                    Mallory.entries(
                        log, from: 1, bodies: [forged], after: .origin(of: log.logID), checkpoint: checkpoint.bytes))
            },
            .frames("an entry whose checkpoint another key has signed", code: "unauthentic") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: [forged], key: .generate()))
            },
            .frames("an entry whose checkpoint is over another number", code: "unauthentic") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: [forged], signedSequence: 2))
            },
            .frames("an entry with the number 2^64 − 1") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, from: .max, bodies: [forged]))
            },
            .frames("an entry with the number 0") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, from: 0, bodies: [forged]))
            },
            .frames("an entry in bob's log to alice") { link, arena in
                link.send(Mallory.heads())
                let log = LogDescription(
                    conversationID: .direct(arena.alice.node.userID, arena.bob.node.userID),
                    deviceID: arena.bob.node.deviceID, epoch: 1)
                link.send(link.mallory.entries(log, bodies: [forged]))
            },
            .frames("an entry in the conversation of alice and bob") { link, arena in
                link.send(Mallory.heads())
                let log = LogDescription(
                    conversationID: .direct(arena.alice.node.userID, arena.bob.node.userID),
                    deviceID: link.mallory.deviceID, epoch: 1)
                link.send(link.mallory.entries(log, bodies: [forged]))
            },
            .frames("an entry that is not later than the one before") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: [forged, forged]))
            },
            .frames("a text of 64 KiB and a byte") { link, arena in
                link.send(Mallory.heads())
                let text = "forged" + String(repeating: "x", count: Limits.textBytes - 5)
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: [Mallory.body(text, at: Mallory.now)]))
            },
            .frames("a profile with a picture of 32 KiB and a byte") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                let picture = [UInt8](repeating: 1, count: Limits.pictureBytes + 1)
                link.send(link.mallory.entries(log, bodies: [Mallory.profile(Profile(picture: picture))]))
            },
            .frames("a bot's profile with 65 commands") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                let commands = (0...Limits.profileCommands).map {
                    BotProfile.Command(name: "c\($0)", summary: "", usage: "/c\($0)")
                }
                let profile = Profile(bot: BotProfile(commands: commands))
                link.send(link.mallory.entries(log, bodies: [Mallory.profile(profile)]))
            },
            .frames("a profile in bob's log to alice") { link, arena in
                link.send(Mallory.heads())
                let log = LogDescription(
                    conversationID: .direct(arena.alice.node.userID, arena.bob.node.userID),
                    deviceID: arena.bob.node.deviceID, epoch: 1)
                let profile = Mallory.profile(Profile(friendlyName: "forged"))
                link.send(link.mallory.entries(log, bodies: [profile]))
            },
            .frames("a message with 65 headers") { link, arena in
                link.send(Mallory.heads())
                let headers = Dictionary(uniqueKeysWithValues: (0...Limits.headerCount).map { ("h\($0)", "v") })
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(
                    link.mallory.entries(log, bodies: [Mallory.body("forged", at: Mallory.now, headers: headers)]))
            },
            .frames("a message with 9 KiB of headers") { link, arena in
                link.send(Mallory.heads())
                let headers = ["h": String(repeating: "v", count: 9 * 1024)]
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(
                    link.mallory.entries(log, bodies: [Mallory.body("forged", at: Mallory.now, headers: headers)]))
            },
            .frames("an entry that is no protobuf", code: "malformed") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: [[0xff, 0xff]]))
            },
            .frames("a run without entries") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: []))
            },
            .frames("1,025 entries in a frame") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                let bodies = (0...Limits.entriesPerFrame).map { Mallory.body("forged", at: Mallory.now + Int64($0)) }
                link.send(link.mallory.entries(log, bodies: bodies))
            },
            .frames("a checkpoint of 63 bytes", code: "malformed") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(
                    Mallory.entries(
                        log, from: 1, bodies: [forged], after: .origin(of: log.logID),
                        checkpoint: [UInt8](repeating: 1, count: 63)))
            },
            .frames("1,025 logs") { link, arena in
                link.send(Mallory.heads())
                for epoch in 1...UInt64(Limits.logsPerHeads + 1) {
                    let log = link.mallory.log(to: arena.alice.node.userID, epoch: epoch)
                    guard link.send(link.mallory.entries(log, bodies: [Mallory.body("allowed", at: Mallory.now)]))
                    else { return }
                }
            },
            .frames("1,025 receipts in a frame") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                let receipt = link.mallory.receipt(log.logID, 1, chain: ChainHash(Bytes32()))
                link.send(
                    Mallory.heads(), Mallory.receipts(Array(repeating: receipt, count: Limits.receiptsPerFrame + 1)))
            },
            .frames("a question to dial back to port 0", code: "malformed") { link, _ in
                link.send(Mallory.dialBack(port: 0, nonce: 1))
            },
            .frames("a question to dial back to port 70,000", code: "malformed") { link, _ in
                link.send(Mallory.dialBack(port: 70_000, nonce: 1))
            },
            .receipt("a receipt that another key has signed", code: "unauthentic") { mallory, log, chain in
                mallory.receipt(log, 1, chain: chain, key: .generate())
            },
            .receipt("a receipt that has read more than it holds", code: "malformed") {
                mallory, log, chain in
                mallory.receipt(log, 1, chain: chain, read: 2)
            },
            .receipt("a receipt that has handled more than it holds", code: "malformed") {
                mallory, log, chain in
                mallory.receipt(log, 1, chain: chain, handled: 2)
            },
        ] + logs + overload

    private static let unknownFrame = Attack(
        kind: .afterAuthentication, name: "a frame of a kind that nobody knows", expected: "skipped; the link goes on"
    ) { arena, source in
        let answers = try await blocking {
            let link = try HostileLink.connect(Mallory(name: "m \(source)"), to: arena.alice.port, from: source)
            try link.expectHeads()
            link.send(Proto.field(99, Array("what is this".utf8)), [])
            return link.answersPing()
        }
        return Outcome(answers ? "the link answers" : "the link is dead", answers)
    }

    /// Alice has sent the attacker a message; she answers with a receipt that is not true.
    private static func receipt(
        _ name: String, code: String, _ receipt: @escaping @Sendable (Mallory, LogID, ChainHash) -> [UInt8]
    ) -> Attack {
        Attack(
            kind: .afterAuthentication, name: name, expected: "told reason 3, closed; event \(code); not delivered"
        ) { arena, source in
            let mallory = Mallory(name: "r \(source)")
            let link = try await Held.link(mallory, arena, source)
            let message = try await arena.alice.node.messages.send("for you", to: mallory.userID)
            let end = try await blocking {
                try link.with { link in
                    link.send(Mallory.heads())
                    guard let (_, body) = link.nextEntry() else { throw HostileSocket.Failure(description: "no entry") }
                    let log = message.messageID.log
                    let chain = ChainHash.origin(of: log).appending(.of(body: body))
                    link.send(Mallory.receipts([receipt(link.mallory, log, chain)]))
                    return link.end()
                }
            }
            let state = try await arena.alice.node.messages.message(message.messageID).states[mallory.userID]
            guard state?.isDelivered != true else { return Outcome("taken for delivered", false) }
            return await Outcome(end, reason: 3, code: code, at: arena.alice, from: source)
        }
    }
}

/// A link that is passed from one thread to the next, and used by one at a time.
final class Held: Sendable {
    private let link: Mutex<HostileLink?>

    private init(_ link: sending HostileLink) { self.link = Mutex(link) }

    static func link(_ mallory: Mallory, _ arena: Arena, _ source: String) async throws -> Held {
        let held = try await blocking {
            let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
            try link.expectHeads()
            return Held(link)
        }
        try await arena.alice.waitForLink(to: mallory.userID)
        return held
    }

    func with<T: Sendable>(_ body: (HostileLink) throws -> T) throws -> T {
        try link.withLock { link in
            guard let link else { preconditionFailure("the link was closed") }
            return try body(link)
        }
    }

    /// Closes the connection.
    func close() { link.withLock { $0 = nil } }
}

extension HostileLink {
    func waitForReceipt() -> Bool {
        while let frame = nextFrame() { if frame.number == 3 { return true } }
        return false
    }

    /// The log and the body of the first entry of the next `Entries`.
    func nextEntry() -> (log: LogDescription, body: [UInt8])? {
        while let frame = nextFrame() {
            guard frame.number == 2, let log = Proto.bytes(1, of: frame.content),
                let conversationID = Proto.bytes(1, of: log).flatMap({ ConversationID(bytes: $0) }),
                let deviceID = Proto.bytes(2, of: log).flatMap({ DeviceID(bytes: $0) }),
                let epoch = Proto.number(3, of: log),
                let body = Proto.bytes(3, of: frame.content).flatMap({ Proto.bytes(1, of: $0) })
            else { continue }
            return (LogDescription(conversationID: conversationID, deviceID: deviceID, epoch: epoch), body)
        }
        return nil
    }
}
