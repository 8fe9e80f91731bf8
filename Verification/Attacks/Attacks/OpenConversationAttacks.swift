import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation

/// Attacks on an open conversation: by who comes, by who belongs to it, and by who passes on what others have written.
extension Attack {
    static let openConversations: [Attack] = [
        .relayed(
            "a Leave of bob's that somebody else has signed", code: "unauthentic", reason: 3,
            expected: "bob belongs to it as before"
        ) { link, gathering, stolen in
            let log = LogDescription(
                conversationID: gathering.conversationID, deviceID: gathering.bob.node.deviceID, epoch: 77)
            link.send(link.mallory.entries(log, bodies: [leave], credential: stolen))
        },
        .relayed(
            "a message of bob's that somebody else has signed", code: "unauthentic", reason: 3,
            expected: "nothing is shown"
        ) { link, gathering, stolen in
            let log = LogDescription(
                conversationID: gathering.conversationID, deviceID: gathering.bob.node.deviceID, epoch: 77)
            link.send(link.mallory.entries(log, bodies: [forged], credential: stolen))
        },
        .relayed(
            "a message of a device that bob's forged credential names", code: "unauthentic", reason: 3,
            expected: "nothing is shown"
        ) { link, gathering, _ in
            // A device of her own, in a credential of bob's that his identity has not signed.
            var author = Mallory(name: "bob")
            author.forger = .generate()
            let log = author.log(in: gathering.conversationID)
            link.send(author.entries(log, bodies: [forged], credential: author.encodedCredential))
        },
        .relayed(
            "a carried entry that its carrier has dated back", code: "unauthentic", reason: 3,
            expected: "nothing is shown"
        ) { link, gathering, _ in
            let author = Mallory(name: "a dated author")
            let log = author.log(in: gathering.conversationID)
            let chain = ChainHash.origin(of: log.logID).appending(.of(body: joinedNow()))
            let checkpoint = Checkpoint.sign(logID: log.logID, sequence: 1, chain: chain, with: author.device)
            let earlier = Mallory.body(.join(), at: Mallory.now - 24 * 3600 * 1000)
            link.send(
                Mallory.entries(
                    log, from: 1, bodies: [earlier], after: .origin(of: log.logID), checkpoint: checkpoint.bytes,
                    credential: author.encodedCredential))
        },
        pinnedName, stripped, announcing, replayed, revokedAuthor, foreignCut, twoTongues, outsidersReceipt,
        falseReceipts,
        overBudget, manyParticipants, manyDigests,
    ]

    private static let forged = Mallory.body("forged", at: Mallory.now)
    private static let leave = Mallory.body(.leave(), at: Mallory.now)

    /// A participant brings entries of somebody else that are not theirs: the link ends, and nothing has changed.
    private static func relayed(
        _ name: String, code: String, reason: UInt32?, expected: String,
        _ send: @escaping @Sendable (HostileLink, Gathering, [UInt8]) throws -> Void
    ) -> Attack {
        let told = reason.map { "told reason \($0), " } ?? ""
        return Attack(kind: .conversations, name: name, expected: "\(told)closed; event \(code); \(expected)") {
            arena, source in
            let gathering = try await Gathering.open(arena, source)
            let stolen = try await stolenCredential(of: arena.bob)
            let mallory = Mallory(name: "m \(source)")
            let end = try await blocking {
                let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
                try link.enter(gathering.conversationID)
                try send(link, gathering, stolen)
                return link.end(within: 5)
            }
            try await gathering.check()
            let shown = try await gathering.history(at: arena.alice).filter { $0.text.contains("forged") }
            guard shown.isEmpty else { return Outcome("shown", false) }
            let bob = try await gathering.participants(at: arena.alice).first { $0.userID == arena.bob.node.userID }
            guard bob?.status == .joined else { return Outcome("bob \(bob?.status.rawValue ?? "is gone")", false) }
            return await Outcome(end, reason: reason, code: code, at: arena.alice, from: source)
        }
    }

    /// What a participant does, and what alice makes of it. In the end alice and bob talk as if nothing were.
    private static func joined(
        _ name: String, expected: String, isSlow: Bool = false,
        _ run: @escaping @Sendable (Gathering, Mallory, String) async throws -> Outcome
    ) -> Attack {
        Attack(kind: .conversations, name: name, expected: expected, isSlow: isSlow) { arena, source in
            let gathering = try await Gathering.open(arena, source)
            let outcome = try await run(gathering, Mallory(name: "p \(source)"), source)
            try await gathering.check()
            return outcome
        }
    }

    // MARK: - Carriers

    private static let pinnedName = joined(
        "a carried message of another user who is called bob", expected: "taken; bob's name stays his"
    ) { gathering, mallory, source in
        let author = Mallory(name: "bob")
        let log = author.log(in: gathering.conversationID)
        let isTaken = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            link.send(author.entries(log, bodies: [joinedNow()], credential: author.encodedCredential))
            return link.waitForTaken(log)
        }
        let named = try await gathering.alice.node.users.named("bob").userID
        return Outcome(
            "\(isTaken ? "taken" : "not taken"); bob is \(named == gathering.bob.node.userID ? "bob" : "another")",
            isTaken && named == gathering.bob.node.userID)
    }

    /// Whoever passes an entry on may have erased what it says. That delivers nothing, and loses nothing.
    private static let stripped = joined(
        "a carrier that strips what it passes on",
        expected: "the receipt says that the content is missing; shown when its author brings it"
    ) { gathering, mallory, source in
        let author = Mallory(name: "s \(source)")
        let log = author.log(in: gathering.conversationID)
        let bodies = [joinedNow(), Mallory.body("whole", at: Mallory.now + 1)]
        let middle = ChainHash.origin(of: log.logID).appending(.of(body: bodies[0]))
        let isMissing = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            link.send(
                author.entries(log, bodies: [bodies[0]], credential: author.encodedCredential),
                author.stripped(log, from: 2, bodies: [bodies[1]], after: middle))
            // Its author is not linked, so the receipt comes to whoever may meet them.
            let receipt = link.next(3) { frame in
                Proto.bytes(1, of: frame).map { Proto.number(2, of: $0) == 2 } ?? false
            }
            return receipt.flatMap { Proto.bytes(1, of: $0) }.flatMap { Proto.bytes(8, of: $0) } != nil
        }
        let before = try await gathering.history(at: gathering.alice).count
        try await blocking {
            let link = try HostileLink.connect(author, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            guard let wanted = link.next(15) else { throw HostileSocket.Failure(description: "nothing is asked for") }
            guard let place = Proto.bytes(2, of: wanted) else { return }
            link.send(
                Proto.field(
                    16,
                    Proto.field(1, log.logID.bytes) + Proto.field(2, place)
                        + Proto.field(3, Proto.field(1, bodies[1]))))
            _ = link.waitForReceipt()
        }
        let after = try await gathering.history(at: gathering.alice).map(\.text)
        return Outcome(
            "missing: \(isMissing); \(before) shown, then \(after)", isMissing && before == 0 && after == ["whole"])
    }

    private static let announcing = joined(
        "a carrier that announces entries which it does not hold",
        expected: "asked, and given up; their author's own are taken all the same"
    ) { gathering, mallory, source in
        let author = Mallory(name: "a \(source)")
        let log = author.log(in: gathering.conversationID)
        let isAsked = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            let chain = ChainHash.origin(of: log.logID).appending(.of(body: forged))
            link.send(
                Mallory.heads(of: gathering.conversationID, [Mallory.head(log, 1_000, chain: chain)]))
            return link.next(10) != nil
        }
        let isTaken = try await blocking {
            let link = try HostileLink.connect(author, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            link.send(author.entries(log, bodies: [joinedNow(), Mallory.body("mine", at: Mallory.now + 1)]))
            return link.waitForReceipt()
        }
        let shown = try await gathering.history(at: gathering.alice).map(\.text)
        return Outcome("asked: \(isAsked); taken: \(isTaken); \(shown)", isAsked && isTaken && shown == ["mine"])
    }

    private static let replayed = joined(
        "a carrier that plays the same entries back, 100 times", expected: "shown once; the link goes on"
    ) { gathering, mallory, source in
        let author = Mallory(name: "r \(source)")
        let log = author.log(in: gathering.conversationID)
        let bodies = [joinedNow(), Mallory.body("once", at: Mallory.now + 1)]
        let frame = author.entries(log, bodies: bodies, credential: author.encodedCredential)
        let isAlive = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            for _ in 0..<100 { link.send(frame) }
            return link.waitForTaken(log) && link.goesOn(with: gathering.alice)
        }
        let shown = try await gathering.history(at: gathering.alice).map(\.text)
        return Outcome("shown: \(shown); the link \(isAlive ? "goes on" : "is dead")", isAlive && shown == ["once"])
    }

    private static let revokedAuthor = joined(
        "what a revoked device of alice's wrote, carried to bob by a friend of the thief",
        expected: "not shown; the link goes on"
    ) { gathering, mallory, source in
        let thief = try stolenDevice(of: gathering.alice)
        _ = try await blocking {
            try HostileLink.connect(thief, to: gathering.alice.port, from: source).answersPing()
        }
        try await gathering.alice.node.devices.revoke(thief.deviceID)
        _ = await gathering.bob.events.first { event -> Bool? in
            if case .deviceRevoked(let device) = event, device.deviceID == thief.deviceID { true } else { nil }
        }
        let log = thief.log(in: gathering.conversationID)
        let isAlive = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.bob.port, from: source)
            try link.enter(gathering.conversationID)
            link.send(thief.entries(log, bodies: [forged], credential: thief.encodedCredential))
            return link.goesOn(with: gathering.bob)
        }
        let shown = try await gathering.history(at: gathering.bob).map(\.text)
        return Outcome("shown: \(shown); the link \(isAlive ? "goes on" : "is dead")", isAlive && shown.isEmpty)
    }

    private static let foreignCut = joined(
        "a participant's cut of alice's device, which her identity has not signed",
        expected: "alice's next message is shown"
    ) { gathering, mallory, source in
        let conversationID = gathering.conversationID
        let cut = DeviceCut.sign(
            gathering.alice.node.deviceID, after: [], in: conversationID, with: mallory.identity)
        let isTaken = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.bob.port, from: source)
            try link.enter(conversationID)
            link.send(
                mallory.entries(
                    mallory.log(in: conversationID),
                    bodies: [joinedNow(), Mallory.body(.cut(cut), at: Mallory.now + 1)]))
            return link.waitForReceipt()
        }
        let message = try await gathering.conversation.send("still here")
        _ = await gathering.bob.events.first(within: .seconds(15)) { event -> Bool? in
            if case .messageReceived(let received) = event, received.messageID == message.messageID {
                true
            } else {
                nil
            }
        }
        let shown = try await gathering.history(at: gathering.bob).map(\.text)
        return Outcome("taken: \(isTaken); shown: \(shown)", isTaken && shown == ["still here"])
    }

    // MARK: - Participants

    private static let twoTongues = joined(
        "a participant that writes one thing to alice and another to bob",
        expected: "both hold both, and show the same", isSlow: true
    ) { gathering, mallory, source in
        let log = mallory.log(in: gathering.conversationID)
        let (join, now) = (joinedNow(), Mallory.now)
        for (text, node) in [("yes", gathering.alice), ("no", gathering.bob)] {
            let isTaken = try await blocking {
                let link = try HostileLink.connect(mallory, to: node.port, from: source)
                try link.enter(gathering.conversationID)
                link.send(mallory.entries(log, bodies: [join, Mallory.body(text, at: now + 1)]))
                return link.waitForReceipt()
            }
            guard isTaken else { return Outcome("\(node.node.name) did not take \(text)", false) }
        }
        let texts = try await gathering.waitForAgreement(on: 2)
        return Outcome("both show \(texts.sorted())", texts.sorted() == ["no", "yes"])
    }

    private static let outsidersReceipt = joined(
        "a receipt for what was written before its signer joined, and joined nothing",
        expected: "not delivered to them; the link goes on"
    ) { gathering, mallory, source in
        let message = try await gathering.conversation.send("for those who are in")
        let isAlive = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            // Who has not joined is given nothing, and may have the hash from somebody else.
            var held = ChainHash(Bytes32())
            do { held = try link.entry(of: message) } catch {}
            link.send(
                Mallory.carried(
                    mallory.receipt(message.messageID.log, message.messageID.sequence, chain: held), of: mallory))
            return link.goesOn(with: gathering.alice)
        }
        let state = try await gathering.alice.node.messages.message(message.messageID).states[mallory.userID]
        return Outcome(
            "\(state.map { "\($0)" } ?? "no state"); the link \(isAlive ? "goes on" : "is dead")",
            isAlive && state?.isDelivered != true)
    }

    private static let falseReceipts = joined(
        "a participant's receipts over another chain, and in another's name",
        expected: "delivered to nobody by that"
    ) { gathering, mallory, source in
        let stranger = Mallory(name: "f \(source)")
        try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            link.send(mallory.entries(mallory.log(in: gathering.conversationID), bodies: [joinedNow()]))
            _ = link.waitForReceipt()
        }
        let message = try await gathering.conversation.send("for those who are in")
        let end = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            let held = try link.entry(of: message)
            let (log, sequence) = (message.messageID.log, message.messageID.sequence)
            link.send(
                Mallory.receipts([mallory.receipt(log, sequence, chain: ChainHash(Bytes32()))]),
                // Signed by another key than that of the device in it.
                Mallory.carried(stranger.receipt(log, sequence, chain: held, key: mallory.device), of: stranger))
            return link.end(within: 2)
        }
        let states = try await gathering.alice.node.messages.message(message.messageID).states
        let deceived = [mallory.userID, stranger.userID].filter { states[$0]?.isDelivered == true }
        return Outcome("\(end); delivered to \(deceived.count) of the two", deceived.isEmpty)
    }

    // MARK: - Strangers

    private static let overBudget = joined(
        "2 MiB that a stranger writes to an open conversation", expected: "1 MiB of it is kept; the link goes on"
    ) { gathering, mallory, source in
        let log = mallory.log(in: gathering.conversationID)
        let (join, text, now) = (joinedNow(), String(repeating: "x", count: 60_000), Mallory.now)
        let isAlive = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            var chain = ChainHash.origin(of: log.logID)
            for number in 1...35 {
                let body = number == 1 ? join : Mallory.body(text, at: now + Int64(number))
                link.send(mallory.entries(log, from: UInt64(number), bodies: [body], after: chain))
                chain = chain.appending(.of(body: body))
            }
            return link.waitForReceipt() && link.goesOn(with: gathering.alice)
        }
        let kept = try await gathering.history(at: gathering.alice)
            .filter { $0.senderID == mallory.userID }.reduce(0) { $0 + $1.text.utf8.count }
        return Outcome(
            "\(kept / 1024) KiB kept; the link \(isAlive ? "goes on" : "is dead")",
            isAlive && kept > 0 && kept <= Limits.strangerBytes)
    }

    private static let manyParticipants = joined(
        "300 users who join an open conversation, over one link",
        expected: "all are remembered, and alice and bob, of \(Limits.rememberedParticipants) at most"
    ) { gathering, mallory, source in
        let authors = (0..<300).map { Mallory(name: "j \($0)") }
        let isAlive = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            for author in authors {
                link.send(
                    author.entries(
                        author.log(in: gathering.conversationID), bodies: [joinedNow()],
                        credential: author.encodedCredential))
            }
            return link.goesOn(with: gathering.alice)
        }
        let participants = try await gathering.participants(at: gathering.alice)
        let known = [gathering.alice, gathering.bob].filter { node in
            participants.contains { $0.userID == node.node.userID }
        }
        return Outcome(
            "\(participants.count) remembered, \(known.count) of alice and bob; the link "
                + (isAlive ? "goes on" : "is dead"),
            isAlive && (300...Limits.rememberedParticipants).contains(participants.count) && known.count == 2)
    }

    private static let manyDigests = joined(
        "digests of 8,000 conversations that nobody has",
        expected: "at most \(Limits.sharedConversations) are noted; the link goes on"
    ) { gathering, mallory, source in
        let isAlive = try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.expectHeads()
            link.send(Mallory.heads())
            let tag = LinkConfiguration.networkTag(of: nil)
            for page in 0..<16 {
                let names = (0..<500).map { "crowd-\(page)-\($0)" }
                for name in names.prefix(8) {
                    link.send(Mallory.digests(of: [.open(name, networkTag: tag)], name: name))
                }
                link.send(Mallory.digests(of: names.map { .open($0, networkTag: "elsewhere") }))
            }
            return link.goesOn(with: gathering.alice)
        }
        let find: @Sendable (Event) -> String? = { event in
            guard case .conversationAdvertised(let told) = event, told.userIDs == [mallory.userID] else { return nil }
            return told.uniqueName
        }
        _ = await gathering.alice.events.first(find)
        let names = await gathering.alice.events.events.compactMap(find).count
        // Of each 508 of them, 8 have a name.
        let most = (Limits.sharedConversations / 508 + 1) * 8
        return Outcome(
            "\(names) names noted; the link \(isAlive ? "goes on" : "is dead")", isAlive && (1...most).contains(names))
    }

    private static func joinedNow() -> [UInt8] { Mallory.body(.join(), at: Mallory.now) }
}

extension HostileLink {
    /// Asks for a message of an open conversation, as anybody may who knows its name.
    /// - Returns: the chain hash after it.
    fileprivate func entry(of message: Message) throws -> ChainHash {
        // The node sends what it has written as soon as it knows that it is not there.
        while let entries = next(2) {
            guard let log = Proto.bytes(1, of: entries), Proto.bytes(1, of: log) == message.conversationID.bytes else {
                continue
            }
            let bodies = Proto.fields(entries).compactMap { field -> [UInt8]? in
                guard field.number == 3, case .bytes(let entry) = field.value else { return nil }
                return Proto.bytes(1, of: entry)
            }
            let first = Proto.number(2, of: entries) ?? 1
            guard let before = Proto.bytes(5, of: entries).flatMap({ ChainHash(bytes: $0) }),
                message.messageID.sequence >= first, message.messageID.sequence < first + UInt64(bodies.count)
            else { continue }
            return bodies.prefix(Int(message.messageID.sequence - first) + 1)
                .reduce(before) { $0.appending(.of(body: $1)) }
        }
        throw HostileSocket.Failure(description: "the node does not give the message")
    }
}
