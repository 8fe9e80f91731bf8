import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation

/// Attacks on private conversations: by who is in, by who was removed, by who owns one, and by who has nothing to do with it.
extension Attack {
    static let privateConversations: [Attack] = [
        uninvited, invitedReads, forgedJoin, wrongAddition, usurper, linkedUsurper, revokedUsurper, strippedControl,
        removedReads, removedWrites, removedSigns, forkingOwner, crowdingOwner, censoringOwner,
    ]

    private static let secret = "kept within"

    /// In the end alice and bob talk as if nothing were.
    private static func within(
        _ name: String, expected: String, isSlow: Bool = false,
        _ run: @escaping @Sendable (Circle, Arena, String) async throws -> Outcome
    ) -> Attack {
        Attack(kind: .conversations, name: name, expected: expected, isSlow: isSlow) { arena, source in
            let circle = try await Circle.open(arena, source)
            let outcome = try await run(circle, arena, source)
            try await circle.check()
            circle.link.close()
            return outcome
        }
    }

    private static func outcome(_ frames: [[UInt8]]) -> Outcome {
        let leaks = frames.count { $0.contains(Array(secret.utf8)) }
        return Outcome("\(leaks) of \(frames.count) frames hold what was written", leaks == 0)
    }

    // MARK: - Those who are not in

    private static let uninvited = within(
        "somebody who was not invited asks for a private conversation", expected: "is given nothing of it"
    ) { circle, arena, source in
        try await circle.conversation.send(secret)
        let log = try await circle.control().last?.place
        let stranger = Mallory(name: "u \(source)")
        let frames = try await blocking {
            let link = try HostileLink.connect(stranger, to: circle.alice.port, from: source)
            try link.expectHeads()
            link.send(
                Mallory.heads(), Mallory.digests(of: [circle.conversationID], isPrivate: true),
                Mallory.heads(of: circle.conversationID, asks: true))
            let control = LogDescription(
                conversationID: circle.conversationID, deviceID: circle.alice.node.deviceID, epoch: 1, kind: .control)
            let end = Mallory.place(log?.sequence ?? 1, log?.chain ?? ChainHash(Bytes32()))
            link.send(Mallory.wanted(control, end: end, known: [Mallory.place(0, .origin(of: control.logID))]))
            return link.frames(within: 2)
        }
        // Not even who is in.
        let isTold = frames.contains { $0.contains(circle.mallory.userID.bytes) }
        return isTold ? Outcome("is told who is in", false) : outcome(frames)
    }

    private static let invitedReads = within(
        "an invited user who has not joined asks for what is written", expected: "is given control entries alone"
    ) { circle, _, _ in
        try await circle.conversation.send(secret)
        let frames = try await blocking {
            try circle.link.with { link in
                link.send(Mallory.heads(), Mallory.heads(of: circle.conversationID, asks: true))
                return link.frames(within: 2)
            }
        }
        return outcome(frames)
    }

    // MARK: - Participants

    private static let forgedJoin = within(
        "a Leave of bob's that a participant of a private conversation has forged",
        expected: "told reason 3, closed; bob belongs to it as before"
    ) { circle, arena, _ in
        let (_, control) = try await circle.join()
        guard let addition = control.first(where: { $0.entry == .add(arena.bob.node.userID) })?.place,
            let end = control.last?.place
        else { return Outcome("bob was not invited", false) }
        let stolen = try await stolenCredential(of: arena.bob)
        let log = LogDescription(
            conversationID: circle.conversationID, deviceID: arena.bob.node.deviceID, epoch: 77)
        let bodies = [
            Mallory.body(.version(end), at: Mallory.now),
            Mallory.body(.leave(answering: addition), at: Mallory.now + 1),
        ]
        let link = try await blocking {
            try circle.link.with { link in
                link.send(link.mallory.entries(log, bodies: bodies, credential: stolen))
                return link.end(within: 5)
            }
        }
        let bob = try await circle.status(of: arena.bob.node.userID, at: arena.alice)?.status
        return Outcome("\(link); bob: \(bob?.rawValue ?? "gone")", link.reason == 3 && bob == .joined)
    }

    private static let wrongAddition = within(
        "a Join that answers an addition of somebody else", expected: "its author is invited as before"
    ) { circle, arena, _ in
        let control = try await circle.control()
        guard let addition = control.first(where: { $0.entry == .add(arena.bob.node.userID) })?.place,
            let end = control.last?.place
        else { return Outcome("bob was not invited", false) }
        var log = ForgedLog(circle.mallory, circle.mallory.log(in: circle.conversationID))
        let frame = log.append(.version(end), .join(answering: addition))
        try await circle.send(frame)
        let status = try await circle.status(of: circle.mallory.userID, at: arena.alice)?.status
        return Outcome("\(status?.rawValue ?? "gone")", status == .invited)
    }

    /// A control log that says of itself that it goes on after alice's.
    private static func takeover(by author: Mallory, after place: LogPlace, in circle: Circle) -> [UInt8] {
        let proof = PrimaryProof.sign(author.deviceID, in: circle.conversationID, with: author.identity)
        let begin = ControlBegin(
            term: 2, follows: place,
            cause: .takeover(
                RestatedConversation(
                    uniqueName: "taken", attributes: ConversationAttributes(friendlyName: "taken"), members: [])))
        var log = ForgedLog(author, author.log(in: circle.conversationID, kind: .control))
        return log.append(.control(ControlBody(.begin(begin), proof: proof)), isCarried: true)
    }

    private static func ownership(of circle: Circle) async throws -> Outcome {
        var said: [String] = []
        for node in [circle.alice, circle.bob] {
            let owner = try await circle.status(of: circle.alice.node.userID, at: node)
            let bob = try await circle.status(of: circle.bob.node.userID, at: node)
            let isAsBefore = owner?.role == .owner && bob?.status == .joined
            said.append("\(node.node.name): \(isAsBefore ? "as before" : "changed")")
        }
        return Outcome(said.joined(separator: ", "), said.allSatisfy { $0.hasSuffix("as before") })
    }

    private static let usurper = within(
        "a control entry by a participant who does not own the conversation",
        expected: "alice owns it as before, and all are in"
    ) { circle, _, _ in
        let (_, control) = try await circle.join()
        guard let end = control.last?.place else { return Outcome("nothing was said", false) }
        try await circle.send(takeover(by: circle.mallory, after: end, in: circle))
        return try await ownership(of: circle)
    }

    /// The proof is signed with all that the device has: its own key.
    private static let linkedUsurper = within(
        "a stolen linked device of alice's takes her conversation over", expected: "alice's own device writes on"
    ) { circle, arena, _ in
        let (_, control) = try await circle.join()
        guard let end = control.last?.place else { return Outcome("nothing was said", false) }
        let thief = try stolenDevice(of: arena.alice)
        var claimant = thief
        claimant.identity = thief.device
        var log = ForgedLog(thief, thief.log(in: circle.conversationID, kind: .control))
        let proof = PrimaryProof.sign(thief.deviceID, in: circle.conversationID, with: claimant.identity)
        let begin = ControlBegin(
            term: 2, follows: end,
            cause: .takeover(
                RestatedConversation(
                    uniqueName: "taken", attributes: ConversationAttributes(friendlyName: ""), members: [])))
        let frame = log.append(.control(ControlBody(.begin(begin), proof: proof)), isCarried: true)
        try await circle.send(frame)
        return try await ownership(of: circle)
    }

    private static let revokedUsurper = within(
        "a revoked device of alice's removes bob from her conversation, carried by a participant",
        expected: "bob belongs to it as before"
    ) { circle, arena, source in
        let (_, control) = try await circle.join()
        guard let end = control.last?.place else { return Outcome("nothing was said", false) }
        let thief = try stolenDevice(of: arena.alice)
        _ = try await blocking {
            try HostileLink.connect(thief, to: arena.alice.port, from: source).answersPing()
        }
        try await arena.alice.node.devices.revoke(thief.deviceID)
        _ = await arena.bob.events.first { event -> Bool? in
            if case .deviceRevoked(let device) = event, device.deviceID == thief.deviceID { true } else { nil }
        }
        try await circle.send(takeover(by: thief, after: end, in: circle))
        return try await ownership(of: circle)
    }

    private static let strippedControl = within(
        "a carrier that strips a control entry", expected: "not taken; who is in is as before"
    ) { circle, _, _ in
        _ = try await circle.join()
        let owner = Mallory(name: "o")
        let log = owner.log(in: circle.conversationID, kind: .control)
        let body = Mallory.body(.control(ControlBody(.closed)), at: Mallory.now)
        try await circle.send(owner.stripped(log, bodies: [body]))
        return try await ownership(of: circle)
    }

    // MARK: - The removed

    private static let removedReads = within(
        "a removed user asks for what was written after",
        expected: "is told of the removal, and given nothing that came after"
    ) { circle, _, source in
        _ = try await circle.join()
        try await circle.conversation.remove(circle.mallory.userID)
        try await circle.conversation.send(secret)
        try await circle.until(.removed, circle.mallory.userID, at: circle.bob)
        var frames: [[UInt8]] = []
        for node in [circle.alice, circle.bob] {
            frames += try await blocking {
                let link = try HostileLink.connect(circle.mallory, to: node.port, from: source)
                try link.expectHeads()
                link.send(
                    Mallory.heads(), Mallory.digests(of: [circle.conversationID], isPrivate: true),
                    Mallory.heads(of: circle.conversationID, asks: true))
                return link.frames(within: 2)
            }
        }
        return outcome(frames)
    }

    private static let removedWrites = within(
        "a removed user writes on, in the name of what they knew before", expected: "shown to nobody"
    ) { circle, _, _ in
        var (log, _) = try await circle.join()
        try await circle.conversation.remove(circle.mallory.userID)
        try await circle.until(.removed, circle.mallory.userID, at: circle.bob)
        let frame = log.append(.text("forged", headers: [:]))
        try await circle.send(frame)
        let shown = try await circle.history(at: circle.alice) + circle.history(at: circle.bob)
        return Outcome("\(shown.count { $0 == "forged" }) of it shown", !shown.contains("forged"))
    }

    private static let removedSigns = within(
        "a removed user's receipt for what was written after", expected: "not delivered to them"
    ) { circle, _, _ in
        _ = try await circle.join()
        try await circle.conversation.remove(circle.mallory.userID)
        let message = try await circle.conversation.send(secret)
        // She cannot know the chain, so she tells what she can guess.
        try await circle.send(
            Mallory.receipts([
                circle.mallory.receipt(message.messageID.log, message.messageID.sequence, chain: ChainHash(Bytes32()))
            ]))
        let states = try await circle.alice.node.messages.message(message.messageID).states
        let state = states[circle.mallory.userID]
        return Outcome(state.map { "\($0)" } ?? "no state", state?.isDelivered != true)
    }

    // MARK: - Owners

    /// A conversation of the attacker's, of which alice and bob are told over links of hers.
    private static func owned(
        _ name: String, expected: String, isSlow: Bool = false,
        _ run: @escaping @Sendable (Arena, Owned, String) async throws -> Outcome
    ) -> Attack {
        Attack(kind: .conversations, name: name, expected: expected, isSlow: isSlow) { arena, source in
            let owned = Owned(by: Mallory(name: "o \(source)"))
            return try await run(arena, owned, source)
        }
    }

    private static let forkingOwner = owned(
        "an owner who tells alice and bob different things of who is in", expected: "both know the same in the end",
        isSlow: true
    ) { arena, owned, source in
        var owned = owned
        let (alice, bob) = (arena.alice.node.userID, arena.bob.node.userID)
        let begin = owned.begin(inviting: [alice, bob])
        for node in [arena.alice, arena.bob] {
            try await owned.tell(node, from: source, begin)
            try await owned.accept(at: node)
        }
        var (one, other) = (owned, owned)
        let (eve, dave) = (Mallory(name: "eve").userID, Mallory(name: "dave").userID)
        let told = owned
        // What a link has brought and is not on the disk yet goes with it, so she tells them until they know.
        for (node, frame, newcomer) in [
            (arena.alice, one.write(.add(eve)), eve), (arena.bob, other.write(.add(dave)), dave),
        ] {
            for _ in 1...5 {
                try await owned.tell(node, from: source, [frame])
                let known: Void? = try? await node.events.until("the addition", within: .seconds(2)) {
                    await told.participants(at: node).contains(newcomer)
                }
                if known != nil { break }
            }
        }
        let expected: Set<UserID> = [owned.owner.userID, alice, bob, eve, dave]
        var known: [Set<UserID>] = []
        for node in [arena.alice, arena.bob] {
            // What is known after that is told.
            _ = try? await node.events.until("both additions at \(node.node.name)", within: .seconds(15)) {
                await told.participants(at: node) == expected
            }
            known.append(await owned.participants(at: node))
        }
        return Outcome(
            "alice knows \(known[0].count), bob \(known[1].count) of 5", known.allSatisfy { $0 == expected })
    }

    private static let crowdingOwner = owned(
        "an owner who adds 200 users", expected: "\(Limits.participants) are in; the link goes on"
    ) { arena, owned, source in
        var owned = owned
        let crowd = (0..<200).map { _ in Mallory(name: "c").userID }
        let frames = owned.begin(inviting: [arena.alice.node.userID] + crowd)
        try await owned.tell(arena.alice, from: source, frames)
        try await owned.accept(at: arena.alice)
        let count = await owned.participants(at: arena.alice).count
        return Outcome("\(count) are in", count == Limits.participants)
    }

    private static let censoringOwner = owned(
        "an owner who removes alice as if she had never written", expected: "alice keeps what she wrote"
    ) { arena, owned, source in
        var owned = owned
        let begin = owned.begin(inviting: [arena.alice.node.userID])
        try await owned.tell(arena.alice, from: source, begin)
        try await owned.accept(at: arena.alice)
        let conversation = try await arena.alice.node.conversations.conversation(
            at: .conversation(owned.conversationID))
        try await conversation.send("mine")
        let remove = owned.write(.remove(arena.alice.node.userID))
        try await owned.tell(arena.alice, from: source, [remove])
        let texts = try await conversation.history().map(\.text)
        return Outcome("alice has \(texts)", texts == ["mine"])
    }
}
