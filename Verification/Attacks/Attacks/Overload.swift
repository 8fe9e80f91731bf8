import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation
import Synchronization

extension Attack {
    /// Attacks that ask for more than a node should do for one peer.
    static let overload: [Attack] = [
        .flood("100,000 pings") { _, _ in Array(repeating: Mallory.ping, count: 1000).map { $0 } },
        .flood("100,000 frames of a kind that nobody knows") { _, _ in
            Array(repeating: Proto.field(99, [1, 2, 3]), count: 1000)
        },
        .flood("100,000 Noise messages without a frame", pieces: true) { _, _ in Array(repeating: [], count: 1000) },
        .flood("20 MiB of frames that nobody knows") { _, _ in [Proto.field(99, [UInt8](repeating: 1, count: 1 << 18))]
        },
        .flood("an entry that is known already, again and again", saysHeads: true) { mallory, arena in
            let entry = mallory.entries(
                mallory.log(to: arena.alice.node.userID), bodies: [Mallory.body("allowed", at: 1_700_000_000_000)])
            return Array(repeating: entry, count: 500)
        },
        .flood("100,000 questions to dial back") { _, _ in
            (0..<1000).map { Mallory.dialBack(port: 9, nonce: UInt64($0)) }
        },
        .flood("endless heads that are never complete") { _, _ in
            Array(repeating: Mallory.heads(isComplete: false), count: 1000)
        },
        .flood("endless receipts of nothing new", isAcknowledging: true) { _, _ in [] },
        .flood("receipts for a log that nobody has, a million of them", saysHeads: true) { mallory, arena in
            let receipt = mallory.receipt(arena.alicesLog(to: mallory).logID, 1, chain: ChainHash(Bytes32()))
            return [Mallory.receipts(Array(repeating: receipt, count: 1000))]
        },
        .flood("claims of ever more entries of a log that nobody has") { mallory, arena in
            let log = arena.alicesLog(to: mallory)
            return (1...1000).map { number in
                let chain = ChainHash.origin(of: log.logID).appending(.of(body: [UInt8(number % 251)]))
                return Mallory.heads(
                    of: log.conversationID, [Mallory.head(log, UInt64(number), chain: chain)], isComplete: false)
            }
        },
        .flood("endless Unplaced, for questions that nobody has asked", saysHeads: true) { mallory, arena in
            Array(repeating: Mallory.unplaced(arena.alicesLog(to: mallory)), count: 1000)
        },
        .flood("endless Taken, for what nobody has given", saysHeads: true) { mallory, arena in
            let log = arena.alicesLog(to: mallory).logID
            return Array(repeating: Mallory.taken(log, through: Mallory.place(1, .origin(of: log))), count: 1000)
        },
        endlessWanted, lockedOut, relinking, everNewKeys, neverAcknowledges, neverReads, fasterThanTheDisk, yearsAhead,
        blocked, manyIdentities, notAdmitted,
    ]

    /// Sends the same again and again, until the node has had enough.
    static func flood(
        _ name: String, kind: Kind = .afterAuthentication, pieces: Bool = false, saysHeads: Bool = false,
        isAcknowledging: Bool = false,
        _ frames: @escaping @Sendable (Mallory, Arena) -> [[UInt8]]
    ) -> Attack {
        Attack(
            kind: kind, name: name, expected: "closed with reason 17; event tooManyRequests"
        ) { arena, source in
            let mallory = Mallory(name: "f \(source)")
            let held = try await Held.link(mallory, arena, source)
            if saysHeads { _ = try await blocking { try held.with { $0.send(Mallory.heads()) } } }
            var receipts: [UInt8]?
            if isAcknowledging {
                let message = try await arena.alice.node.messages.send("for you", to: mallory.userID)
                receipts = try await blocking {
                    try held.with { link in
                        link.send(Mallory.heads())
                        guard let (_, body) = link.nextEntry() else {
                            throw HostileSocket.Failure(description: "no entry")
                        }
                        let log = message.messageID.log
                        let chain = ChainHash.origin(of: log).appending(.of(body: body))
                        let receipt = mallory.receipt(log, 1, chain: chain)
                        return Mallory.receipts(Array(repeating: receipt, count: 200))
                    }
                }
            }
            let frames = receipts.map { Array(repeating: $0, count: 10) } ?? frames(mallory, arena)
            return try await enough(of: held, arena, source) { link in
                for _ in 0..<100 where !link.socket.isGone { link.flood(frames, pieces: pieces) }
            }
        }
    }

    /// Whether the node closes a link because it is asked for too much on it, and after how long.
    private static func enough(
        of held: Held, _ arena: Arena, _ source: String, asking: @escaping @Sendable (HostileLink) -> Void
    ) async throws -> Outcome {
        let (end, time) = try await blocking {
            try held.with { link in
                let start = ContinuousClock.now
                asking(link)
                return (link.end(within: 5), start.duration(to: .now))
            }
        }
        let failure = await arena.alice.events.failure(from: source)
        return Outcome(
            "\(end) after \(time.milliseconds) ms; event \(failure?.code ?? "none")",
            end.isClosed && failure?.code == "tooManyRequests")
    }

    private static func exhaust(_ mallory: Mallory, _ arena: Arena, _ source: String) async throws {
        let held = try await Held.link(mallory, arena, source)
        try await blocking {
            try held.with { link in
                for _ in 0..<100 where !link.socket.isGone {
                    link.flood(Array(repeating: Mallory.ping, count: 1000), pieces: false)
                }
            }
        }
    }

    private static let endlessWanted = Attack(
        kind: .afterAuthentication, name: "the same entry wanted back, again and again",
        expected: "closed with reason 17; event tooManyRequests"
    ) { arena, source in
        let mallory = Mallory(name: "w \(source)")
        let held = try await Held.link(mallory, arena, source)
        let log = mallory.log(to: arena.alice.node.userID)
        let (origin, body) = (ChainHash.origin(of: log.logID), Mallory.body("allowed", at: Mallory.now))
        let wanted = Mallory.wanted(
            log, end: Mallory.place(1, origin.appending(.of(body: body))), known: [Mallory.place(0, origin)])
        _ = try await blocking {
            try held.with { link in
                link.send(Mallory.heads(), mallory.entries(log, bodies: [body]))
                return link.waitForReceipt()
            }
        }
        return try await enough(of: held, arena, source) { link in
            for _ in 0..<100 where !link.socket.isGone {
                link.flood(Array(repeating: wanted, count: 1000), pieces: false)
            }
        }
    }

    private static let lockedOut = Attack(
        kind: .afterAuthentication, name: "a peer that asked too much links again, with another device",
        expected: "refused with reason 17"
    ) { arena, source in
        var mallory = Mallory(name: "l \(source)")
        try await exhaust(mallory, arena, source)
        mallory.device = .generate()
        mallory.agreement = .generate()
        let again = mallory
        let end = try await blocking { try HostileLink.connect(again, to: arena.alice.port, from: source).end() }
        return Outcome("\(end)", end.reason == 17)
    }

    private static let relinking = Attack(
        kind: .afterAuthentication, name: "a peer that links up to 1,000 times, from ever new addresses",
        expected: "refused with reason 17 when it was too much"
    ) { arena, source in
        let mallory = Mallory(name: "k \(source)")
        let base = source.dropLast(2)
        let (links, end) = try await blocking {
            for number in 0..<1_000 {
                let address = "\(base).\(2 + number % 250)"
                let link = try HostileLink.connect(mallory, to: arena.alice.port, from: address)
                let frame = link.nextFrame()
                if frame?.number == 7 {
                    return (number, Proto.readVarint(frame?.content.dropFirst() ?? []).map { UInt32($0.value) })
                }
            }
            return (1_000, nil)
        }
        return Outcome("\(links) links, then reason \(end ?? 0)", end == 17)
    }

    /// Each user stays within their own limit.
    private static let everNewKeys = Attack(
        kind: .afterAuthentication, name: "4,000 requests of one key after the other, all from one address",
        expected: "the third is closed, event tooManyRequests; the fourth is refused with reason 17"
    ) { arena, source in
        let (closed, refused) = try await blocking {
            var closed: [Int] = []
            for number in 1...4 {
                let mallory = Mallory(name: "e \(number) \(source)")
                let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
                if let frame = link.nextFrame(), frame.number == 7 {
                    return (closed, Proto.readVarint(frame.content.dropFirst()).map { (number, $0.value) })
                }
                for _ in 0..<4 { link.flood(Array(repeating: Mallory.ping, count: 1000), pieces: false) }
                if link.end(within: 1).isClosed { closed.append(number) }
            }
            return (closed, nil)
        }
        let failure = await arena.alice.events.failure(from: source)
        let next = refused.map { "key \($0.0) refused with reason \($0.1)" } ?? "nobody refused"
        return Outcome(
            "key \(closed.map(String.init).joined(separator: ", ")) closed; \(next); event \(failure?.code ?? "none")",
            closed == [3] && refused?.0 == 4 && refused?.1 == 17 && failure?.code == "tooManyRequests")
    }

    private static let notAdmitted = Attack(
        kind: .afterAuthentication, name: "100 keys, one after the other, that a node does not admit",
        expected: "refused with reason 16; told of a few times"
    ) { arena, source in
        let guarded = try await RunningNode.start(Arena.home("guarded \(source)", in: arena.folder))
        await guarded.node.users.admit(.only([]))
        let (ends, seconds) = try await blocking {
            let start = ContinuousClock.now
            let ends = try (0..<100).map { number in
                usleep(number < Limits.connectionsPerAddress ? 0 : 70_000)
                return try HostileLink.connect(Mallory(name: "g \(number)"), to: guarded.port, from: source).end()
            }
            return (ends, Int(start.duration(to: .now).components.seconds))
        }
        let told = await guarded.events.events.count { if case .linkFailed = $0 { true } else { false } }
        try await guarded.stop()
        let refused = ends.count { $0.reason == 16 }
        let most = Limits.failuresPerAddress + (seconds + 1) * Limits.failuresPerAddressAndSecond
        return Outcome("\(refused) refused; told of \(told) times", refused == 100 && told > 0 && told <= most)
    }

    private static let large = String(repeating: "x", count: 60_000)

    private static func sendMuch(_ mallory: Mallory, _ arena: Arena) async throws {
        for _ in 0..<8 {
            try await arena.alice.node.messages.send(
                (0..<25).map { _ in MessageDraft(large) }, to: mallory.userID)
        }
    }

    private static let neverAcknowledges = Attack(
        kind: .afterAuthentication, name: "a peer that reads 12 MB and acknowledges nothing",
        expected: "gets the window of 4 MiB and no more; the rest waits"
    ) { arena, source in
        let mallory = Mallory(name: "a \(source)")
        let held = try await Held.link(mallory, arena, source)
        _ = try await blocking { try held.with { $0.send(Mallory.heads()) } }
        try await sendMuch(mallory, arena)
        let bytes = try await blocking {
            try held.with { link in
                link.socket.setPatience(2)
                var bytes = 0
                while let frame = link.nextFrame() { bytes += frame.content.count }
                return bytes
            }
        }
        let waiting = await arena.alice.node.status().undelivered.first { $0.userID == mallory.userID }?.count
        held.close()
        return Outcome(
            "got \(bytes / 1024) KiB; \(waiting ?? 0) of 200 wait",
            bytes > 3 << 20 && bytes <= Limits.windowBytes + Limits.entriesFrameBytes + (1 << 17) && waiting == 200)
    }

    private static let neverReads = Attack(
        kind: .afterAuthentication, name: "a peer that reads nothing of 12 MB",
        expected: "memory grows by 32 MiB at most"
    ) { arena, source in
        let mallory = Mallory(name: "n \(source)")
        let held = try await Held.link(mallory, arena, source)
        _ = try await blocking { try held.with { $0.send(Mallory.heads()) } }
        let before = residentBytes()
        try await sendMuch(mallory, arena)
        try await Task.sleep(for: .seconds(1))
        let growth = (residentBytes() - before) >> 20
        held.close()
        return Outcome("memory grew by \(growth) MiB", growth <= 32)
    }

    private static let fasterThanTheDisk = Attack(
        kind: .afterAuthentication, name: "32 MB of messages as fast as can be, past the window",
        expected: "held back by its own disk's pace or closed for it; memory grows by 64 MiB at most"
    ) { arena, source in
        let mallory = Mallory(name: "d \(source)")
        let held = try await Held.link(mallory, arena, source)
        let before = residentBytes()
        let (sent, end) = try await blocking {
            try held.with { link in
                let log = mallory.log(to: arena.alice.node.userID)
                var chain = ChainHash.origin(of: log.logID)
                link.send(Mallory.heads())
                for number in 0..<128 {
                    let bodies = (0..<4).map { Mallory.body(large, at: Mallory.now + Int64(number * 4 + $0)) }
                    guard
                        link.send(
                            mallory.entries(log, from: UInt64(number * 4 + 1), bodies: bodies, after: chain))
                    else { return (number, link.end(within: 1)) }
                    for body in bodies { chain = chain.appending(.of(body: body)) }
                }
                return (128, link.end(within: 2))
            }
        }
        let growth = (residentBytes() - before) >> 20
        return Outcome("\(sent * 240) KB sent, \(end); memory grew by \(growth) MiB", growth <= 64)
    }

    private static let yearsAhead = Attack(
        kind: .afterAuthentication, name: "a message from ten years ahead",
        expected: "taken; event clockSkewed; the node's own clock stays"
    ) { arena, source in
        let mallory = Mallory(name: "t \(source)")
        let held = try await Held.link(mallory, arena, source)
        let log = mallory.log(to: arena.alice.node.userID)
        let body = Mallory.body("allowed", at: Mallory.now + 10 * 365 * 24 * 3600 * 1000)
        try await blocking {
            try held.with { link in
                link.send(Mallory.heads(), mallory.entries(log, bodies: [body]))
                _ = link.waitForReceipt()
            }
        }
        let skew = await arena.alice.events.first { event -> Int64? in
            if case .clockSkewed(let skew) = event, skew.userID == mallory.userID { skew.ahead } else { nil }
        }
        let message = try await arena.alice.node.messages.send("still now", to: mallory.userID)
        let drift = abs(message.timestamp.milliseconds - Mallory.now)
        held.close()
        return Outcome(
            "event \(skew == nil ? "none" : "clockSkewed"); own clock \(drift) ms off", skew != nil && drift < 5_000)
    }

    private static let blocked = Attack(
        kind: .afterAuthentication, name: "a user who was blocked writes, and links again",
        expected: "closed with reason 10 both times; nothing taken"
    ) { arena, source in
        let mallory = Mallory(name: "b \(source)")
        let held = try await Held.link(mallory, arena, source)
        try await arena.alice.node.users.decide(.block, about: mallory.userID)
        let ends = try await blocking {
            try held.with { link in
                link.send(
                    mallory.entries(
                        mallory.log(to: arena.alice.node.userID), bodies: [Mallory.body("forged", at: Mallory.now)]))
                return [link.end(), try HostileLink.connect(mallory, to: arena.alice.port, from: source).end()]
            }
        }
        let taken = await arena.alice.events.receivedTexts(from: mallory.userID)
        return Outcome("\(ends[0]), \(ends[1])", ends.map(\.reason) == [10, 10] && taken.isEmpty)
    }

    private static let manyIdentities = Attack(
        kind: .afterAuthentication, name: "300 links of strangers at once", expected: "256 links; bob keeps his"
    ) { arena, source in
        let base = source.dropLast(2)
        let open = try await blocking {
            let links = try (0..<300).map { number in
                let link = try HostileLink.connect(
                    Mallory(name: "s \(number)"), to: arena.alice.port, from: "\(base).\(2 + number % 250)")
                try link.expectHeads()
                return link
            }
            usleep(300_000)
            return links.count { !$0.socket.isSilentlyClosed }
        }
        let isLinked = await arena.alice.isLinked(to: arena.bob.node.userID)
        let isLost = await arena.bob.events.events.contains { event in
            if case .linkFailed(let failure) = event { failure.closeReason == "overloaded" } else { false }
        }
        return Outcome(
            "\(open) links; bob is \(isLinked && !isLost ? "linked" : "pushed out")", open <= 256 && isLinked && !isLost
        )
    }
}

extension HostileLink {
    /// - Parameter pieces: whether each frame is a Noise message of its own.
    fileprivate func flood(_ frames: [[UInt8]], pieces: Bool) {
        guard pieces else {
            send(plaintext: frames.flatMap { Proto.varint(UInt64($0.count)) + $0 })
            return
        }
        socket.write(frames.flatMap { HostileSocket.framed(seal($0)) })
    }
}

extension HostileSocket {
    /// Whether the connection was reset or closed, whatever there is to read before that.
    fileprivate var isGone: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return false }
        return Int32(entry.revents) & (POLLHUP | POLLERR) != 0
    }
}
