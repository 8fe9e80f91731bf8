import Earshot
import EarshotForgery
import EarshotModel
import EarshotProtocol

/// Attacks with control logs that are costly to read: nobody waits for that, neither while they come nor at the next start.
extension Attack {
    static let folding: [Attack] = [slowStart, manyBranches]

    /// A node of its own, with somebody whose control entries it takes.
    private struct Guest {
        let home: Home

        init(_ arena: Arena, _ source: String) throws {
            home = try Arena.home("folder " + source, in: arena.folder)
        }

        /// Sends frames of a private conversation, and waits until the node has dealt with them, or has had enough of them.
        /// - Returns: whether it has dealt with all.
        func tell(
            _ node: RunningNode, from source: String, by mallory: Mallory, of conversationID: ConversationID,
            _ frames: [[UInt8]]
        ) async throws -> Bool {
            try await blocking {
                let link = try HostileLink.connect(mallory, to: node.port, from: source)
                try link.expectHeads()
                link.socket.setPatience(60)
                link.send(Mallory.heads(), Mallory.digests(of: [conversationID], isPrivate: true))
                for frame in frames { link.send(frame) }
                var reason: UInt32?
                let goesOn = link.goesOn(with: node) { frame in
                    guard frame.number == 7 else { return }
                    reason = Proto.readVarint(frame.content.dropFirst()).map { UInt32(truncatingIfNeeded: $0.value) }
                }
                guard goesOn || reason == CloseReason.tooManyRequests.rawValue else {
                    let ended = reason.map { "ended with reason \($0)" } ?? "is dead"
                    throw HostileSocket.Failure(description: "the link \(ended)")
                }
                return goesOn
            }
        }

        /// How long the node takes until it listens, in milliseconds.
        func start() async throws -> (node: RunningNode, milliseconds: Int) {
            let start = ContinuousClock.now
            let node = try await RunningNode.start(home)
            return (node, start.duration(to: .now).milliseconds)
        }
    }

    // MARK: - A start

    /// The control logs of a conversation in which each of 62 terms has 16 candidates, each of which says all of it again.
    private static func candidates(by mallory: Mallory, _ number: UInt8, inviting userID: UserID)
        -> (ConversationID, [[UInt8]])
    {
        let salt = [UInt8](repeating: number, count: ConversationOrigin.saltBytes)
        let origin = ConversationOrigin(creatorID: mallory.userID, salt: salt)
        let conversationID = ConversationID.private(origin)
        let attributes = ConversationAttributes(friendlyName: "")
        let creation = Creation(
            conversationID: conversationID, uniqueName: "plot", attributes: attributes, givesHistory: true)
        let proof = PrimaryProof.sign(mallory.deviceID, in: conversationID, with: mallory.identity)
        var founding = ForgedLog(mallory, mallory.log(in: conversationID, kind: .control))
        var frames = [
            founding.append(.control(ControlBody(.created(creation), origin: origin, proof: proof))),
            founding.append(.control(ControlBody(.add(userID)))),
        ]
        let members = [RestatedConversation.Member(userID: userID, added: founding.place)]
        let restated = RestatedConversation(uniqueName: "plot", attributes: attributes, members: members)
        var follows = founding.place
        for term in UInt64(2)...63 {
            var last = follows
            for candidate in UInt64(0)..<16 {
                var log = ForgedLog(
                    mallory, mallory.log(in: conversationID, epoch: term * 100 + candidate, kind: .control))
                let begin = ControlBegin(term: term, follows: follows, cause: .takeover(restated))
                frames.append(log.append(.control(ControlBody(.begin(begin), proof: proof))))
                last = log.place
            }
            follows = last
        }
        return (conversationID, frames)
    }

    private static let slowStart = Attack(
        kind: .conversations, name: "16 strangers who leave invitations of 62 terms with 16 candidates each",
        expected: "a start takes at most 500 ms longer than without"
    ) { arena, source in
        let guest = try Guest(arena, source)
        var (node, without) = try await guest.start()
        var (told, took): (Int, [String]) = (0, [])
        var longest = without
        for count in [1, 4, 16] {
            for number in told..<count {
                // Each by somebody else from elsewhere, so that none uses up what another may still ask for.
                let stranger = Mallory(name: "stranger \(number)")
                let (conversationID, frames) = candidates(by: stranger, UInt8(number), inviting: node.node.userID)
                _ = try await guest.tell(
                    node, from: "127.0.77.\(number + 1)", by: stranger, of: conversationID, frames)
            }
            told = count
            try await node.stop()
            let (next, milliseconds) = try await guest.start()
            node = next
            longest = max(longest, milliseconds)
            took.append("with \(count) \(milliseconds) ms")
        }
        let shown = await node.node.conversations.invitations.count
        try await node.stop()
        return Outcome(
            "without \(without) ms, \(took.joined(separator: ", ")); \(shown) invitations",
            longest - without <= 500 && shown == 16)
    }

    // MARK: - While they come

    private static let manyBranches = Attack(
        kind: .conversations, name: "an owner whose control log has three branches of 3,000 entries each",
        expected: "no call waits longer than 1 s meanwhile"
    ) { arena, source in
        let (guest, mallory) = (try Guest(arena, source), Mallory(name: "owner \(source)"))
        let (node, _) = try await guest.start()
        let origin = ConversationOrigin(
            creatorID: mallory.userID, salt: [UInt8](repeating: 9, count: ConversationOrigin.saltBytes))
        let conversationID = ConversationID.private(origin)
        let creation = Creation(
            conversationID: conversationID, uniqueName: "plot", attributes: ConversationAttributes(friendlyName: ""),
            givesHistory: true)
        var founding = ForgedLog(mallory, mallory.log(in: conversationID, kind: .control))
        var frames = [
            founding.append(.control(ControlBody(.created(creation), origin: origin))),
            founding.append(.control(ControlBody(.add(node.node.userID)))),
        ]
        for branch in 1...3 {
            var log = founding
            for first in stride(from: UInt64(1), through: 3_000, by: 100) {
                let updates = (first..<first + 100).map { number -> EntryBody.Content in
                    let name = "branch \(branch), " + String(repeating: "x", count: 100)
                    return .control(ControlBody(.update(ConversationAttributes(friendlyName: name, counter: number))))
                }
                frames.append(log.append(updates))
            }
        }
        let called = Task {
            var longest = 0
            while !Task.isCancelled {
                let start = ContinuousClock.now
                _ = try await node.node.conversations.list()
                longest = max(longest, start.duration(to: .now).milliseconds)
            }
            return longest
        }
        let start = ContinuousClock.now
        let goesOn = try await guest.tell(node, from: source, by: mallory, of: conversationID, frames)
        let milliseconds = start.duration(to: .now).milliseconds
        called.cancel()
        let longest = try await called.value
        try await node.stop()
        return Outcome(
            "9,002 entries took \(milliseconds) ms; a call waited \(longest) ms", goesOn && longest <= 1_000)
    }
}
