import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation

/// Attacks with invitations to private conversations, which anybody can send.
extension Attack {
    static let invitations: [Attack] = [oneStranger, manyStrangers, notInvited]

    /// Says that a node's user belongs to private conversations of which the node knows nothing.
    /// - Returns: how many of them the node asks about.
    private static func invite(
        _ mallory: Mallory, to conversations: [ConversationID], at node: RunningNode, from source: String
    ) throws -> Int {
        let link = try HostileLink.connect(mallory, to: node.port, from: source)
        try link.expectHeads()
        link.send(Mallory.heads(), Mallory.digests(of: conversations, isPrivate: true))
        var asked: Set<[UInt8]> = []
        _ = link.goesOn(with: node) { frame in
            guard frame.number == 1, let conversationID = Proto.bytes(1, of: frame.content),
                conversations.contains(where: { $0.bytes == conversationID })
            else { return }
            asked.insert(conversationID)
        }
        return asked.count
    }

    private static func conversations(of mallory: Mallory, _ count: Int) -> [ConversationID] {
        (0..<count).map { number in
            let salt = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: ConversationOrigin.saltBytes)
            return .private(ConversationOrigin(creatorID: mallory.userID, salt: salt))
        }
    }

    /// On a node of its own: what strangers fill is full for the attacks after this one, too.
    private static func guest(
        _ name: String, expected: String,
        _ run: @escaping @Sendable (RunningNode, String) async throws -> Outcome
    ) -> Attack {
        Attack(kind: .conversations, name: name, expected: expected) { arena, source in
            let home = try Arena.home("guest " + source, in: arena.folder)
            let guest = try await RunningNode.start(home)
            let outcome = try await run(guest, source)
            try await guest.stop()
            return outcome
        }
    }

    private static let oneStranger = guest(
        "a stranger who invites to 40 conversations", expected: "\(Limits.invitationsPerUser) are asked about"
    ) { guest, source in
        let mallory = Mallory(name: "i \(source)")
        let asked = try await blocking {
            try invite(mallory, to: conversations(of: mallory, 40), at: guest, from: source)
        }
        return Outcome("\(asked) asked about", asked == Limits.invitationsPerUser)
    }

    private static let manyStrangers = guest(
        "ten strangers who invite to 16 conversations each",
        expected: "\(Limits.strangersInvitations) are open at once; another stranger's is asked about all the same"
    ) { guest, source in
        let strangers = (0..<11).map { Mallory(name: "i \($0) \(source)") }
        let asked = try await blocking {
            try strangers.dropLast().map { stranger in
                try invite(
                    stranger, to: conversations(of: stranger, Limits.invitationsPerUser), at: guest, from: source)
            }
        }
        let last = try await blocking {
            try invite(strangers[10], to: conversations(of: strangers[10], 1), at: guest, from: source)
        }
        let open = asked.prefix(4).reduce(0, +)
        return Outcome(
            "\(open) of the first four; the last: \(last)", open == Limits.strangersInvitations && last == 1)
    }

    private static let notInvited = guest(
        "control entries of a private conversation that does not have the node's user",
        expected: "no conversation is shown; the link goes on"
    ) { guest, source in
        let mallory = Mallory(name: "n \(source)")
        var owned = Owned(by: mallory)
        let frames = owned.begin(inviting: [])
        let conversationID = owned.conversationID
        let isAlive = try await blocking {
            let link = try HostileLink.connect(mallory, to: guest.port, from: source)
            try link.expectHeads()
            link.send(Mallory.heads(), Mallory.digests(of: [conversationID], isPrivate: true))
            for frame in frames { link.send(frame) }
            return link.goesOn(with: guest)
        }
        let shown = try await guest.node.conversations.list().count { $0.conversation.kind != .direct }
        return Outcome("\(shown) shown; the link \(isAlive ? "goes on" : "is dead")", isAlive && shown == 0)
    }
}
