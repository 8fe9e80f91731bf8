import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation
import TestSupport

extension Attack {
    private static let day: Int64 = 24 * 3600 * 1000

    static let impersonation: [Attack] =
        [
            .bytes(
                "a newer version of the protocol", code: "unsupportedVersion", kind: .impersonation,
                answer: [0, 0, 4, 2], opening([8, 3])),
            .bytes(
                "an older version of the protocol", code: "unsupportedVersion", kind: .impersonation,
                answer: [0, 0, 4, 2], opening([8, 1])),
            downgrade,
            .bytes(
                "another network", code: "otherNetwork", kind: .impersonation, answer: [0, 0, 5, 2],
                opening(Mallory().hello + Proto.field(2, Array("0123456789abcdef".utf8)))),
            .bytes(
                "no network key, at a node that has one", code: "otherNetwork", kind: .impersonation,
                answer: [0, 0, 5, 2], to: \.carol, opening()),
            .handshake("the right network tag without the key", reason: nil, code: "unauthentic", to: \.carol) {
                arena in
                var mallory = Mallory(name: "outsider")
                mallory.networkKey = SecretBytes(copying: [UInt8](repeating: 8, count: 32))
                mallory.networkTag = LinkConfiguration.networkTag(of: arena.networkKey)
                return mallory
            },
            .handshake("an expired credential", reason: 7, code: "credentialExpired") { _ in
                var mallory = Mallory(name: "expired")
                mallory.notAfter = Mallory.now - day
                return mallory
            },
            .handshake("a credential that is not yet valid", reason: 8, code: "credentialNotYetValid") { _ in
                var mallory = Mallory(name: "early")
                mallory.notBefore = Mallory.now + day
                return mallory
            },
            .handshake("an expired credential and a clock that excuses it", reason: 7, code: "credentialExpired") { _ in
                var mallory = Mallory(name: "excused")
                mallory.notAfter = Mallory.now - day
                mallory.clock = Mallory.now - 2 * day
                return mallory
            },
            .handshake("bob's credential with the attacker's own key", reason: nil, code: "unauthentic") { arena in
                var mallory = Mallory(name: "bob")
                mallory.credential = try await stolenCredential(of: arena.bob)
                return mallory
            },
            .handshake("a credential that the identity has not signed", reason: nil, code: "unauthentic") { _ in
                var mallory = Mallory(name: "forger")
                mallory.forger = SigningKey.generate()
                return mallory
            },
            .handshake("a credential that names bob's device", reason: nil, code: "unauthentic") { arena in
                var mallory = Mallory(name: "device thief")
                mallory.claimedDevice = arena.bob.node.deviceID.bytes
                return mallory
            },
            .handshake("the name bob, which is pinned to another key", reason: 9, code: "closedHere") { _ in
                Mallory(name: "bob")
            },
            conflictIsTold, manyImpostors,
            .handshake("a name that writes from right to left", reason: nil, code: "malformed") { _ in
                Mallory(name: "a\u{202e}bob")
            },
            .handshake("a name with a line break", reason: nil, code: "malformed") { _ in
                Mallory(name: "a\nbob is here")
            },
            .handshake("a name that moves the terminal's cursor", reason: nil, code: "malformed") { _ in
                Mallory(name: "a\u{1b}[2J")
            },
            .handshake("a name of 64 bytes", reason: nil, code: "malformed") { _ in
                Mallory(name: String(repeating: "a", count: 64))
            },
            .handshake("a name that is not in normalization form C", reason: nil, code: "malformed") { _ in
                Mallory(name: "jose\u{301}")
            },
            .handshake("no name", reason: nil, code: "malformed") { _ in Mallory(name: "") },
            .handshake("a credential that ends before 1970", reason: nil, code: "malformed") { _ in
                var mallory = Mallory(name: "ancient")
                mallory.notAfter = -1
                return mallory
            },
            .handshake("a credential of 1,500 bytes", reason: nil, code: "malformed") { _ in
                var mallory = Mallory(name: "large")
                mallory.credential = Proto.field(1, [UInt8](repeating: 0x22, count: 1500))
                return mallory
            },
            lookAlike, ownIdentity, replayedOpening, replayedHandshake, manInTheMiddle,
            relay(
                "a relay that changes nothing", expected: "linked; the text is not among the bytes that it sees",
                fails: false
            ) { $1 },
            relay("a relay that flips one bit of a frame") { number, message in
                guard number == 3 else { return message }
                var changed = message
                changed[10] ^= 1
                return changed
            },
            relay("a relay that sends a frame twice") { number, message in number == 3 ? message + message : message },
            relay("a relay that leaves a frame out") { number, message in number == 3 ? nil : message },
            relay("a relay that flips one bit of the handshake") { number, message in
                guard number == 2 else { return message }
                var changed = message
                changed[20] ^= 1
                return changed
            },
        ]

    /// Anybody who dials can read the second handshake message, so anybody can show this credential.
    static func stolenCredential(of node: RunningNode) async throws -> [UInt8] {
        try await blocking {
            let mallory = Mallory(name: "reader")
            let socket = try HostileSocket(to: node.port, from: "127.1.250.1")
            var handshake = try mallory.handshake(.initiator)
            socket.write(
                HostileSocket.framed(mallory.hello) + HostileSocket.framed(try handshake.writeMessage(payload: [])))
            guard let second = socket.readMessage() else { throw HostileSocket.Failure(description: "no answer") }
            let payload = try handshake.readMessage(second)
            guard let (length, prefix) = Proto.readVarint(payload.dropFirst()) else {
                throw HostileSocket.Failure(description: "no credential")
            }
            return Array(payload.dropFirst(1 + prefix).prefix(Int(length)))
        }
    }

    private static let conflictIsTold = Attack(
        kind: .impersonation, name: "the name bob again, ten times",
        expected: "refused with reason 9; event identityConflict, once"
    ) { arena, source in
        let mallory = Mallory(name: "bob")
        let ends = try await blocking {
            try (0..<10).map { _ in try HostileLink.connect(mallory, to: arena.alice.port, from: source).end() }
        }
        let find: @Sendable (Event) -> Bool? = { event in
            if case .identityConflict(let conflict) = event, conflict.claimedBy == mallory.userID { true } else { nil }
        }
        _ = await arena.alice.events.first(find)
        let count = await arena.alice.events.events.compactMap(find).count
        let refused = ends.count { $0.reason == 9 }
        return Outcome("\(refused) of 10 refused; \(count) event identityConflict", refused == 10 && count == 1)
    }

    private static let manyImpostors = Attack(
        kind: .impersonation, name: "the name bob with 200 keys, from four addresses",
        expected: "refused with reason 9; event identityConflict for some of them"
    ) { arena, source in
        let base = source.dropLast(2)
        let mallories = (0..<200).map { _ in Mallory(name: "bob") }
        let (ends, seconds) = try await blocking {
            let start = ContinuousClock.now
            let ends = try mallories.enumerated().map { number, mallory in
                try HostileLink.connect(mallory, to: arena.alice.port, from: "\(base).\(2 + number % 4)").end()
            }
            return (ends, Int(start.duration(to: .now).components.seconds))
        }
        let claimants = Set(mallories.map(\.userID))
        let find: @Sendable (Event) -> UserID? = { event in
            if case .identityConflict(let conflict) = event, claimants.contains(conflict.claimedBy) {
                conflict.claimedBy
            } else {
                nil
            }
        }
        _ = await arena.alice.events.first(find)
        let told = await arena.alice.events.events.compactMap(find)
        let refused = ends.count { $0.reason == 9 }
        let most = 4 * (Limits.failuresPerAddress + (seconds + 1) * Limits.failuresPerAddressAndSecond)
        return Outcome(
            "\(refused) of 200 refused; \(told.count) events identityConflict",
            refused == 200 && !told.isEmpty && told.count <= most && Set(told).count == told.count)
    }

    private static let lookAlike = Attack(
        kind: .impersonation, name: "a name that looks like bob's, with a Cyrillic o",
        expected: "another user, shown with the letter spelled out; bob's name stays his"
    ) { arena, source in
        let name = "b\u{43e}b"
        let mallory = Mallory(name: name)
        try await blocking {
            let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
            try link.expectHeads()
        }
        let users = await arena.alice.node.users.all
        let shown = users.first { $0.userID == mallory.userID }?.name.displayed(among: users.map(\.name))
        let bob = try await arena.alice.node.users.named("bob").userID
        return Outcome("shown as \(shown ?? "nobody")", shown == "b\\u{43e}b" && bob == arena.bob.node.userID)
    }

    private static let ownIdentity = Attack(
        kind: .impersonation, name: "a copy of the node's own home, on another machine",
        expected: "no link to oneself; both run on"
    ) { arena, source in
        let copy = arena.folder.file("copy")
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for file in ["identity.key", "device.key", "credential"] {
            try FileManager.default.copyItem(atPath: arena.alice.node.home.path + "/" + file, toPath: copy + "/" + file)
        }
        let twin = try await RunningNode.start(Home(path: copy), peers: [arena.alice.port])
        try await Task.sleep(for: .milliseconds(500))
        let links = await arena.alice.node.status().links.filter { $0.userID == arena.alice.node.userID }
        try await twin.stop()
        return Outcome("\(links.count) links to oneself", links.isEmpty)
    }

    private static let replayedOpening = Attack(
        kind: .impersonation, name: "a handshake of the attacker's own, played back byte by byte",
        expected: "closed; event unauthentic"
    ) { arena, source in
        let mallory = Mallory(name: "player")
        let end = try await blocking {
            let first = try HostileSocket(to: arena.alice.port, from: source)
            var handshake = try mallory.handshake(.initiator)
            let opening =
                HostileSocket.framed(mallory.hello) + HostileSocket.framed(try handshake.writeMessage(payload: []))
            first.write(opening)
            guard let second = first.readMessage() else { throw HostileSocket.Failure(description: "no answer") }
            _ = try handshake.readMessage(second)
            let third = HostileSocket.framed(try handshake.writeMessage(payload: mallory.introduction))
            let again = try HostileSocket(to: arena.alice.port, from: source)
            again.write(opening + third)
            _ = again.readMessage()
            return LinkEnd(isClosed: again.readToEnd() == [])
        }
        return await Outcome(end, reason: nil, code: "unauthentic", at: arena.alice, from: source)
    }

    /// A node that dials the relay, and through it bob.
    private static func victim(_ arena: Arena, _ source: String, _ relay: Relay) async throws -> RunningNode {
        let name = "victim \(source)"
        return try await RunningNode.start(Arena.home(name, in: arena.folder), peers: [relay.port])
    }

    private static let replayedHandshake = Attack(
        kind: .impersonation, name: "an honest user's whole link, recorded and played back",
        expected: "nothing taken twice; closed; event unauthentic"
    ) { arena, source in
        let relay = try Relay()
        let honest = try await victim(arena, source, relay)
        try await blocking { try relay.carryOne(to: arena.bob.port, from: source) { $1 } }
        try await honest.waitForLink(to: arena.bob.node.userID)
        let text = "said once \(source)"
        try await honest.node.messages.send(text, to: arena.bob.node.userID)
        _ = await arena.bob.events.first { event -> Bool? in
            if case .messageReceived(let message) = event, message.text == text { true } else { nil }
        }
        try await honest.stop()
        let player = source.dropLast() + "9"
        let recorded = relay.recording.fromInitiator
        let end = try await blocking {
            let socket = try HostileSocket(to: arena.bob.port, from: String(player))
            socket.write(recorded.flatMap(\.self))
            _ = socket.readMessage()
            return LinkEnd(isClosed: socket.readToEnd() == [])
        }
        let times = await arena.bob.events.receivedTexts(from: honest.node.userID).count { $0 == text }
        guard times == 1 else { return Outcome("taken \(times) times", false) }
        return await Outcome(end, reason: nil, code: "unauthentic", at: arena.bob, from: String(player))
    }

    private static let downgrade = Attack(
        kind: .impersonation, name: "a downgrade: the network's tag is taken out of the first word on the way",
        expected: "the dialler refuses: event unauthentic; no link"
    ) { arena, source in
        let relay = try Relay()
        let home = try Arena.home("victim \(source)", in: arena.folder)
        try Arena.write([UInt8](repeating: 7, count: 32), to: home)
        let honest = try await RunningNode.start(home, peers: [relay.port])
        try await blocking {
            try relay.carryOne(to: arena.bob.port, from: source) {
                $0 == 0 ? HostileSocket.framed(Mallory().hello) : $1
            }
        }
        let failure = await honest.events.first { event -> LinkFailure? in
            if case .linkFailed(let failure) = event { failure } else { nil }
        }
        let isMet = await honest.node.users.user(arena.bob.node.userID) != nil
        try await honest.stop()
        return Outcome(
            "event \(failure?.code ?? "none"): \(failure?.message ?? "")", failure?.code == "unauthentic" && !isMet)
    }

    private static let manInTheMiddle = Attack(
        kind: .impersonation, name: "a man in the middle with his own key and bob's credential",
        expected: "the dialler refuses: event unauthentic; bob is not met"
    ) { arena, source in
        let credential = try await stolenCredential(of: arena.bob)
        let relay = try Relay()
        let honest = try await victim(arena, source, relay)
        try await blocking {
            let socket = try relay.accept()
            var mallory = Mallory(name: "bob")
            mallory.credential = credential
            var handshake = try mallory.handshake(.responder)
            guard socket.readMessage() != nil, let first = socket.readMessage() else {
                throw HostileSocket.Failure(description: "the dialler said nothing")
            }
            _ = try handshake.readMessage(first)
            socket.write(HostileSocket.framed(try handshake.writeMessage(payload: mallory.introduction)))
            _ = socket.readToEnd()
        }
        let failure = await honest.events.first { event -> LinkFailure? in
            if case .linkFailed(let failure) = event { failure } else { nil }
        }
        let isMet = await honest.node.users.user(arena.bob.node.userID) != nil
        try await honest.stop()
        return Outcome(
            "event \(failure?.code ?? "none"): \(failure?.message ?? "")", failure?.code == "unauthentic" && !isMet)
    }

    /// - Parameter fails: whether the link should end, with an event at bob's.
    private static func relay(
        _ name: String, expected: String = "the link ends; event unauthentic; nothing forged is taken",
        fails: Bool = true,
        _ change: @escaping @Sendable (Int, [UInt8]) -> [UInt8]?
    ) -> Attack {
        Attack(kind: .impersonation, name: name, expected: expected) { arena, source in
            let relay = try Relay()
            let honest = try await victim(arena, source, relay)
            try await blocking { try relay.carryOne(to: arena.bob.port, from: source, change: change) }
            let text = "a secret of \(source)"
            if !fails {
                try await honest.waitForLink(to: arena.bob.node.userID)
                try await honest.node.messages.send(text, to: arena.bob.node.userID)
                let isTaken = await arena.bob.events.first { event -> Bool? in
                    if case .messageReceived(let message) = event, message.text == text { true } else { nil }
                }
                try await honest.stop()
                let seen = (relay.recording.fromInitiator + relay.recording.fromResponder).contains { message in
                    String(decoding: message, as: UTF8.self).contains("secret")
                }
                return Outcome(
                    "\(isTaken == true ? "delivered" : "lost"), \(seen ? "and read" : "unread") on the way",
                    isTaken == true && !seen)
            }
            let alive = Task {
                try await honest.waitForLink(to: arena.bob.node.userID)
                for number in 0..<3 {
                    try await honest.node.messages.send("\(text) \(number)", to: arena.bob.node.userID)
                }
            }
            let failure = await arena.bob.events.failure(from: source)
            alive.cancel()
            let texts = await arena.bob.events.receivedTexts(from: honest.node.userID)
            try await honest.stop()
            let isInOrder = texts == (0..<texts.count).map { "\(text) \($0)" }
            return Outcome(
                "event \(failure?.code ?? "none"): \(failure?.message ?? "")",
                failure?.code == "unauthentic" && isInOrder)
        }
    }
}
