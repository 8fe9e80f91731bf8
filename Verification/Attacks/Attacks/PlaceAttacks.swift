import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation

/// Attacks by what stands where it counts for nothing, and by who reads or writes where they do not belong.
extension Attack {
    static let places: [Attack] =
        [
            misplaced(by: .stranger, "texts, reactions and joins of a stranger in control logs"),
            misplaced(by: .invited, "texts, reactions and joins of an invited user in control logs"),
            misplaced(by: .participant, "texts, reactions and joins of a participant in control logs"),
            misplaced(by: .removed, "texts, reactions and joins of a removed user in control logs"),
            outsiderReads, leaverReads, outsidersClaim, unfinishedFrames,
        ]

    private static let secret = "kept within the group"

    // MARK: - Private groups

    private enum Author { case stranger, invited, participant, removed }

    private static func misplaced(by author: Author, _ name: String) -> Attack {
        Attack(
            kind: .conversations, name: name,
            expected: "shown to nobody, two nodes deep; alice and bob talk as if nothing were"
        ) { arena, source in
            let circle = try await Circle.open(arena, source)
            try await circle.conversation.send(secret)
            var (writer, end): (Mallory, LogPlace?) = (circle.mallory, nil)
            switch author {
            case .stranger: writer = Mallory(name: "s \(source)")
            case .invited: break
            case .participant, .removed:
                end = try await circle.join().control.last?.place
                guard author == .removed else { break }
                try await circle.conversation.remove(circle.mallory.userID)
                try await circle.until(.removed, circle.mallory.userID, at: circle.bob)
            }
            if end == nil { end = try await circle.control().last?.place }
            let (told, frames) = (writer, forgeries(by: writer, in: circle.conversationID, behind: end))
            circle.link.close()
            for node in [arena.alice, arena.bob] {
                try await blocking {
                    let link = try HostileLink.connect(told, to: node.port, from: source)
                    try link.expectHeads()
                    link.send(Mallory.heads(), Mallory.digests(of: [circle.conversationID], isPrivate: true))
                    for frame in frames { link.send(frame) }
                    _ = link.goesOn(with: node)
                }
            }
            try await circle.check()
            var shown = 0
            for node in [arena.alice, arena.bob] {
                let history = try await circle.at(node).history(limit: Limits.historyPage)
                shown += history.count { $0.text.contains("forged") || !$0.reactions.isEmpty }
                shown += await node.events.events.count {
                    guard case .messageReceived(let message) = $0 else { return false }
                    return message.conversationID == circle.conversationID && message.text.contains("forged")
                }
            }
            return Outcome("\(frames.count) logs written; \(shown) of it shown", shown == 0)
        }
    }

    /// One log for each kind of entry, alone and behind a `Begin`.
    private static func forgeries(
        by author: Mallory, in conversationID: ConversationID, behind end: LogPlace?
    ) -> [[UInt8]] {
        let known = end ?? LogPlace(logID: LogID(Bytes32()), sequence: 1, chain: ChainHash(Bytes32()))
        let contents: [EntryBody.Content] = [
            .text("forged", headers: [:]), .join(), .leave(), .branches([]), .version(known),
            .amendment(Amendment(target: known, .reaction(emoji: "+", counter: 1, isRemoved: false))),
            .amendment(Amendment(target: known, .retract)),
        ]
        var frames: [[UInt8]] = []
        for (number, content) in contents.enumerated() {
            var bare = ForgedLog(author, author.log(in: conversationID, epoch: UInt64(100 + number), kind: .control))
            frames.append(bare.append(content, isCarried: true))
            guard let end else { continue }
            var log = ForgedLog(author, author.log(in: conversationID, epoch: UInt64(200 + number), kind: .control))
            let proof = PrimaryProof.sign(author.deviceID, in: conversationID, with: author.identity)
            let restated = RestatedConversation(
                uniqueName: "taken", attributes: ConversationAttributes(friendlyName: "taken"), members: [])
            let begin = ControlBegin(term: 2, follows: end, cause: .takeover(restated))
            frames.append(log.append(.control(ControlBody(.begin(begin), proof: proof)), content, isCarried: true))
        }
        return frames
    }

    // MARK: - Open groups

    /// Everything that a node may be asked about a conversation, over one link.
    private static func asked(
        of gathering: Gathering, by mallory: Mallory, _ message: Message, from source: String
    ) async throws -> [[UInt8]] {
        try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.expectHeads()
            let log = LogDescription(
                conversationID: gathering.conversationID, deviceID: gathering.alice.node.deviceID, epoch: 1)
            let origin = Mallory.place(0, .origin(of: message.messageID.log))
            link.send(
                Mallory.heads(), Mallory.digests(of: [gathering.conversationID]),
                Mallory.heads(of: gathering.conversationID, asks: true),
                Mallory.wanted(
                    log, end: Mallory.place(message.messageID.sequence, ChainHash(Bytes32())), known: [origin]))
            return link.frames(within: 2)
        }
    }

    private static func outcome(_ frames: [[UInt8]], _ text: String) -> Outcome {
        let leaks = frames.count { $0.contains(Array(text.utf8)) }
        return Outcome("\(leaks) of \(frames.count) frames hold what was written", leaks == 0)
    }

    private static let outsiderReads = Attack(
        kind: .conversations, name: "somebody who never joined asks for all of an open group",
        expected: "is given nothing that was written"
    ) { arena, source in
        let gathering = try await Gathering.open(arena, source)
        let message = try await gathering.conversation.send(secret)
        let frames = try await asked(of: gathering, by: Mallory(name: "o \(source)"), message, from: source)
        try await gathering.check()
        return outcome(frames, secret)
    }

    private static let leaverReads = Attack(
        kind: .conversations, name: "somebody who has left an open group asks for what came after",
        expected: "is given what was written before at most"
    ) { arena, source in
        let gathering = try await Gathering.open(arena, source)
        let mallory = Mallory(name: "l \(source)")
        let log = mallory.log(in: gathering.conversationID)
        let (join, leave) = (Mallory.body(.join(), at: Mallory.now), Mallory.body(.leave(), at: Mallory.now + 1))
        try await blocking {
            let link = try HostileLink.connect(mallory, to: gathering.alice.port, from: source)
            try link.enter(gathering.conversationID)
            link.send(mallory.entries(log, bodies: [join, leave]))
            guard link.goesOn(with: gathering.alice) else {
                throw HostileSocket.Failure(description: "the link is dead")
            }
        }
        let message = try await gathering.conversation.send(secret)
        let frames = try await asked(of: gathering, by: mallory, message, from: source)
        try await gathering.check()
        return outcome(frames, secret)
    }

    private static let outsidersClaim = Attack(
        kind: .conversations,
        name: "20 users who never joined an open group claim that it goes on after what alice wrote",
        expected: "alice's next message is delivered within 5 s"
    ) { arena, source in
        let gathering = try await Gathering.open(arena, source)
        let message = try await gathering.conversation.send("before")
        let log = LogDescription(
            conversationID: gathering.conversationID, deviceID: gathering.alice.node.deviceID, epoch: 1)
        var links: [Held] = []
        for number in 0..<20 {
            let held = try await Held.link(Mallory(name: "c \(number) \(source)"), arena, source)
            try await blocking {
                let chain = ChainHash.origin(of: log.logID).appending(.of(body: [UInt8(number)]))
                let head = Mallory.head(log, message.messageID.sequence + UInt64(number) + 1, chain: chain)
                _ = try held.with { link in
                    link.send(
                        Mallory.heads(), Mallory.digests(of: [gathering.conversationID]),
                        Mallory.heads(of: gathering.conversationID, [head]))
                }
            }
            links.append(held)
        }
        let start = ContinuousClock.now
        try await gathering.check()
        let milliseconds = start.duration(to: .now).milliseconds
        for held in links { held.close() }
        return Outcome("four messages took \(milliseconds) ms", milliseconds < 5_000)
    }

    // MARK: - Frames

    private static let unfinishedFrames = Attack(
        kind: .afterAuthentication, name: "40 strangers who leave a frame of 1 MiB unfinished each",
        expected: "\(Limits.strangersFrameBytes >> 20) MiB of them at most are kept, and the rest is closed",
        isSlow: true
    ) { arena, source in
        let open = try await blocking {
            let links = try (0..<40).map { number in
                let link = try HostileLink.connect(
                    Mallory(name: "u \(number)"), to: arena.alice.port, from: source)
                link.send(plaintext: Proto.varint(1_040_000) + [UInt8](repeating: 7, count: 1_000_000))
                return link
            }
            return links.count { !$0.end(within: 1).isClosed }
        }
        return Outcome("\(open) of 40 are kept", (1...17).contains(open))
    }
}
