import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation

extension Attack {
    private static let forged = Mallory.body("forged", at: Mallory.now)

    /// Attacks with what a peer says of logs: what it holds, what it wants, what it has taken, and how they branch.
    static let logs: [Attack] =
        [
            .frames("heads that name 1,025 logs") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                let heads = (1...UInt64(Limits.logsPerHeads + 1)).map { number in
                    Mallory.head(log, number, chain: .origin(of: log.logID).appending(.of(body: Proto.varint(number))))
                }
                link.send(Mallory.heads(of: log.conversationID, heads))
            },
            .frames("heads that name one end twice") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                let head = Mallory.head(log, 1, chain: .origin(of: log.logID))
                link.send(Mallory.heads(of: log.conversationID, [head, head]))
            },
            .frames("heads of a log that has no entries", code: "malformed") { link, arena in
                let log = arena.alicesLog(to: link.mallory)
                link.send(
                    Mallory.heads(of: log.conversationID, [Mallory.head(log, 0, chain: .origin(of: log.logID))]))
            },
            strangeClaim, longerClaim, endlessClaim, neverPlaced,
            .harmless("heads of a conversation of others") { link, arena in
                let log = arena.alicesLogToBob
                link.send(
                    Mallory.heads(
                        of: log.conversationID, [Mallory.head(log, 1_000, chain: .origin(of: log.logID))]))
            },
            .harmless("a receipt for the attacker's own log") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                let body = Mallory.body("allowed", at: Mallory.now)
                link.send(Mallory.heads(), link.mallory.entries(log, bodies: [body]))
                guard link.waitForReceipt() else { throw HostileSocket.Failure(description: "no receipt") }
                let chain = ChainHash.origin(of: log.logID).appending(.of(body: body))
                link.send(Mallory.receipts([link.mallory.receipt(log.logID, 1, chain: chain)]))
            },
            .harmless("Taken for what was never given") { link, arena in
                let log = arena.alicesLogToBob.logID
                link.send(Mallory.heads(), Mallory.taken(log, through: Mallory.place(1, .origin(of: log))))
            },
            .harmless("Unplaced for what was never asked") { link, arena in
                link.send(Mallory.heads(), Mallory.unplaced(arena.alicesLogToBob))
            },
            falseReceipt("a receipt for more than was sent") { $0.receipt($1, 1_000_000, chain: $2) },
            falseReceipt("a receipt that has handled more than was sent") {
                $0.receipt($1, 1_000_000, chain: $2, handled: 1_000_000)
            },
            falseReceipt("a receipt that has handled another chain") { mallory, log, _ in
                mallory.receipt(log, 1, chain: ChainHash(Bytes32()), handled: 1)
            },
            handledForCarol,
            falseReceipt("a receipt for 2^53 entries") { $0.receipt($1, 1 << 53, chain: $2) },
            falseReceipt("a receipt over another chain") { mallory, log, _ in
                mallory.receipt(log, 1, chain: ChainHash(Bytes32()))
            },
            .frames("Wanted for a log that the node does not have") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(Mallory.heads(), Mallory.wanted(log, end: Mallory.place(1, .origin(of: log.logID))))
            },
            .frames("Wanted for an end that the node does not have") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(
                    Mallory.heads(), link.mallory.entries(log, bodies: [Mallory.body("allowed", at: Mallory.now)]))
                guard link.waitForReceipt() else { throw HostileSocket.Failure(description: "no receipt") }
                link.send(Mallory.wanted(log, end: Mallory.place(1, .origin(of: log.logID))))
            },
            .frames("Wanted for alice's log to bob") { link, arena in
                let log = arena.alicesLogToBob
                link.send(Mallory.heads(), Mallory.wanted(log, end: Mallory.place(1, .origin(of: log.logID))))
            },
            .frames("Wanted with 73 places") { link, arena in
                let log = link.mallory.log(to: arena.alice.node.userID)
                let place = Mallory.place(1, .origin(of: log.logID))
                link.send(
                    Mallory.heads(),
                    Mallory.wanted(log, end: place, known: Array(repeating: place, count: Limits.knownPlaces + 1)))
            },
            .harmless("five logs wanted back at once") { link, arena in
                link.send(Mallory.heads())
                let body = Mallory.body("allowed", at: Mallory.now)
                let logs = (1...5).map { link.mallory.log(to: arena.alice.node.userID, epoch: $0) }
                for log in logs {
                    link.send(link.mallory.entries(log, bodies: [body]))
                    guard link.waitForReceipt() else { throw HostileSocket.Failure(description: "no receipt") }
                }
                for log in logs {
                    let origin = ChainHash.origin(of: log.logID)
                    link.send(
                        Mallory.wanted(
                            log, end: Mallory.place(1, origin.appending(.of(body: body))),
                            known: [Mallory.place(0, origin)]))
                }
            },
            .frames("a log with five branches") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                for number in 0...Limits.branchesPerLog {
                    let body = Mallory.body("allowed", at: Mallory.now + Int64(number))
                    link.send(link.mallory.entries(log, bodies: [body]))
                    guard number < Limits.branchesPerLog else { return }
                    guard link.waitForReceipt() else { throw HostileSocket.Failure(description: "no receipt") }
                }
            },
            .frames("a log that begins after another chain hash than its own") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: [forged], after: ChainHash(Bytes32())))
            },
            .frames("an entry after one that was never sent") { link, arena in
                link.send(Mallory.heads())
                let log = link.mallory.log(to: arena.alice.node.userID)
                link.send(link.mallory.entries(log, bodies: [Mallory.body("allowed", at: Mallory.now)]))
                guard link.waitForReceipt() else { throw HostileSocket.Failure(description: "no receipt") }
                let other = ChainHash.origin(of: log.logID).appending(.of(body: forged))
                link.send(
                    link.mallory.entries(
                        log, from: 2, bodies: [Mallory.body("forged too", at: Mallory.now + 1)], after: other))
            },
            .unmarked("a withheld entry without a mark") { _ in [] },
            .withheld("a withheld entry with the mark of another key") { _, log, hash in
                Proto.field(
                    4, WithheldMark.sign(logID: log.logID, sequence: 1, hash: hash, with: .generate()).bytes)
            },
            .withheld("a withheld entry with the mark of another place") { mallory, log, hash in
                Proto.field(
                    4, WithheldMark.sign(logID: log.logID, sequence: 2, hash: hash, with: mallory.device).bytes)
            },
            .unmarked("a withheld entry that is said to be deleted") { _ in
                Proto.fixed(3, HybridTimestamp(milliseconds: Mallory.now).rawValue)
            },
        ]

    /// Frames of no consequence.
    private static func harmless(
        _ name: String, _ send: @escaping @Sendable (HostileLink, Arena) throws -> Void
    ) -> Attack {
        Attack(kind: .afterAuthentication, name: name, expected: "skipped; the link goes on") { arena, source in
            let answers = try await blocking {
                let link = try HostileLink.connect(Mallory(name: "h \(source)"), to: arena.alice.port, from: source)
                try link.expectHeads()
                try send(link, arena)
                return link.answersPing()
            }
            return Outcome(answers ? "the link answers" : "the link is dead", answers)
        }
    }

    private static func withheld(
        _ name: String, _ rest: @escaping @Sendable (Mallory, LogDescription, EntryHash) -> [UInt8]
    ) -> Attack {
        .frames(name, code: "unauthentic") { link, arena in
            let log = link.mallory.log(to: arena.alice.node.userID)
            link.send(Mallory.heads(), link.mallory.withheld(forged, in: log) { rest(link.mallory, log, $0) })
        }
    }

    /// A hash without its author's mark is no message, whoever sends it: its body is missing.
    private static func unmarked(_ name: String, _ rest: @escaping @Sendable (EntryHash) -> [UInt8]) -> Attack {
        Attack(
            kind: .afterAuthentication, name: name,
            expected: "the receipt says that the content is missing; nothing is shown"
        ) { arena, source in
            let mallory = Mallory(name: "u \(source)")
            let isMissing = try await blocking {
                let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
                let log = mallory.log(to: arena.alice.node.userID)
                link.send(Mallory.heads(), mallory.withheld(forged, in: log, rest))
                let receipt = link.next(3).flatMap { Proto.bytes(1, of: $0) }
                return receipt.flatMap { Proto.bytes(8, of: $0) } != nil
            }
            let shown = try await arena.alice.node.conversations.direct(with: mallory.userID).history(limit: 10)
            return Outcome("missing: \(isMissing); \(shown.count) shown", isMissing && shown.isEmpty)
        }
    }

    // MARK: - Claims

    /// The log may be one that this node forgot: the node asks for its entries, and takes none that it has not signed.
    private static let strangeClaim = Attack(
        kind: .afterAuthentication, name: "a claim of a log that nobody has",
        expected: "the node asks for the entries, and takes none that it has not signed: reason 3"
    ) { arena, source in
        let mallory = Mallory(name: "s \(source)")
        let end = try await blocking {
            let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
            try link.expectHeads()
            let log = arena.alicesLog(to: mallory)
            let chain = ChainHash.origin(of: log.logID).appending(.of(body: forged))
            link.send(Mallory.heads(of: log.conversationID, [Mallory.head(log, 1, chain: chain)]))
            try link.expectWanted()
            link.send(mallory.entries(log, bodies: [forged]))
            return link.end()
        }
        return await Outcome(end, reason: 3, code: "unauthentic", at: arena.alice, from: source)
    }

    /// Alice's log holds one entry; the attacker says that it holds two.
    private static let longerClaim = Attack(
        kind: .afterAuthentication, name: "a claim of more of a log than was written to it",
        expected: "the node asks for the entries, and takes none that it has not signed: reason 3; its log stays"
    ) { arena, source in
        let mallory = Mallory(name: "g \(source)")
        let held = try await Held.link(mallory, arena, source)
        let message = try await arena.alice.node.messages.send("for you", to: mallory.userID)
        let end = try await blocking {
            try held.with { link in
                link.send(Mallory.heads())
                guard let entry = link.nextEntry() else { throw HostileSocket.Failure(description: "no entry") }
                let first = ChainHash.origin(of: entry.log.logID).appending(.of(body: entry.body))
                let body = Mallory.body("forged", at: Mallory.now + 1_000)
                let second = first.appending(.of(body: body))
                link.send(Mallory.heads(of: entry.log.conversationID, [Mallory.head(entry.log, 2, chain: second)]))
                try link.expectWanted()
                link.send(mallory.entries(entry.log, from: 2, bodies: [body], after: first))
                return link.end()
            }
        }
        let history = try await arena.alice.node.conversations.direct(with: mallory.userID).history()
        guard history.map(\.messageID) == [message.messageID] else { return Outcome("the history has changed", false) }
        return await Outcome(end, reason: 3, code: "unauthentic", at: arena.alice, from: source)
    }

    /// A log that the node takes back must not grow meanwhile, so messages to its reader wait.
    private static let endlessClaim = Attack(
        kind: .afterAuthentication, name: "a claim of a log that was never written, heads without an end",
        expected: "a message to the peer is accepted within \(Timing.recovery / 1000) s; told reason 13, closed"
    ) { arena, source in
        let mallory = Mallory(name: "e \(source)")
        let held = try await Held.link(mallory, arena, source)
        let log = arena.alicesLog(to: mallory)
        _ = try await blocking {
            try held.with { link in
                let head = Mallory.head(log, 1, chain: .origin(of: log.logID))
                link.send(Mallory.heads(of: log.conversationID, [head], isComplete: false))
                return link.answersPing()
            }
        }
        let start = ContinuousClock.now
        try await arena.alice.node.messages.send("for you", to: mallory.userID)
        let wait = start.duration(to: .now)
        let end = try await blocking { try held.with { $0.end(within: 5) } }
        return Outcome(
            "accepted after \(wait.milliseconds) ms; \(end)",
            wait < .milliseconds(Timing.recovery + 2_000) && end.reason == 13)
    }

    /// Every branch contains the log's origin, so whoever does not find even that has nothing.
    private static let neverPlaced = Attack(
        kind: .afterAuthentication, name: "a claim, and Unplaced to every question",
        expected: "asked twice; a message to the peer is accepted at once; the link goes on"
    ) { arena, source in
        let mallory = Mallory(name: "u \(source)")
        let held = try await Held.link(mallory, arena, source)
        let log = arena.alicesLog(to: mallory)
        let answers = try await blocking {
            try held.with { link in
                let chain = ChainHash.origin(of: log.logID).appending(.of(body: forged))
                link.send(Mallory.heads(of: log.conversationID, [Mallory.head(log, 1, chain: chain)]))
                for _ in 0..<2 {
                    try link.expectWanted()
                    link.send(Mallory.unplaced(log))
                }
                return link.answersPing()
            }
        }
        let start = ContinuousClock.now
        try await arena.alice.node.messages.send("for you", to: mallory.userID)
        let wait = start.duration(to: .now)
        held.close()
        return Outcome(
            "accepted after \(wait.milliseconds) ms; \(answers ? "the link answers" : "the link is dead")",
            answers && wait < .seconds(5))
    }

    // MARK: - Receipts

    /// Alice has sent the attacker a message; she answers with a receipt that is about something else.
    /// Alice has sent carol a message, and the attacker says that a program of hers has dealt with it.
    private static let handledForCarol = Attack(
        kind: .afterAuthentication, name: "a receipt that has handled alice's message to carol",
        expected: "not handled; the link goes on"
    ) { arena, source in
        let message = try await arena.alice.node.messages.send("for carol", to: arena.carol.node.userID)
        let answers = try await blocking {
            let link = try HostileLink.connect(Mallory(name: "h \(source)"), to: arena.alice.port, from: source)
            try link.expectHeads()
            let (log, sequence) = (message.messageID.log, message.messageID.sequence)
            link.send(
                Mallory.heads(),
                Mallory.receipts([
                    link.mallory.receipt(log, sequence, chain: .origin(of: log), read: sequence, handled: sequence)
                ]))
            return link.answersPing()
        }
        let state = try await arena.alice.node.messages.message(message.messageID).states[arena.carol.node.userID]
        return Outcome(
            "\(state.map { "\($0)" } ?? "no state"); \(answers ? "the link answers" : "the link is dead")",
            answers && [.queued, .sent, .delivered].contains(state))
    }

    private static func falseReceipt(
        _ name: String, _ receipt: @escaping @Sendable (Mallory, LogID, ChainHash) -> [UInt8]
    ) -> Attack {
        Attack(
            kind: .afterAuthentication, name: name, expected: "not delivered; the link goes on"
        ) { arena, source in
            let mallory = Mallory(name: "r \(source)")
            let held = try await Held.link(mallory, arena, source)
            let message = try await arena.alice.node.messages.send("for you", to: mallory.userID)
            let answers = try await blocking {
                try held.with { link in
                    link.send(Mallory.heads())
                    guard let (_, body) = link.nextEntry() else { throw HostileSocket.Failure(description: "no entry") }
                    let log = message.messageID.log
                    let chain = ChainHash.origin(of: log).appending(.of(body: body))
                    link.send(Mallory.receipts([receipt(mallory, log, chain)]))
                    return link.answersPing()
                }
            }
            let state = try await arena.alice.node.messages.message(message.messageID).states[mallory.userID]
            held.close()
            return Outcome(
                "\(state.map { "\($0)" } ?? "no state"); \(answers ? "the link answers" : "the link is dead")",
                answers && state == .sent)
        }
    }
}

extension HostileLink {
    /// The node asks for entries of a log of its own.
    fileprivate func expectWanted() throws {
        while let frame = nextFrame() { if frame.number == 10 { return } }
        throw HostileSocket.Failure(description: "the node asks for nothing")
    }
}
