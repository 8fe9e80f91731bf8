import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation

/// A private conversation of alice's, to which bob belongs, and an attacker is invited.
struct Circle: Sendable {
    typealias Control = (place: LogPlace, entry: ControlEntry)

    let alice: RunningNode
    let bob: RunningNode
    /// As alice sees it.
    let conversation: Conversation
    let mallory: Mallory
    /// The attacker's link to alice.
    let link: Held

    var conversationID: ConversationID { conversation.conversationID }

    static func open(_ arena: Arena, _ source: String) async throws -> Circle {
        let mallory = Mallory(name: "p \(source)")
        let link = try await Held.link(mallory, arena, source)
        let conversation = try await arena.alice.node.conversations.create(
            ConversationDraft(
                uniqueName: "circle-" + source.replacing(".", with: "-"),
                invited: [arena.bob.node.userID, mallory.userID]))
        let circle = Circle(
            alice: arena.alice, bob: arena.bob, conversation: conversation, mallory: mallory, link: link)
        try await accept(circle.conversationID, at: arena.bob)
        try await circle.until(.joined, arena.bob.node.userID, at: arena.alice)
        return circle
    }

    /// A node's user joins.
    static func accept(_ conversationID: ConversationID, at node: RunningNode) async throws {
        try await node.events.until("an invitation") {
            await node.node.conversations.invitations.contains { $0.conversationID == conversationID }
        }
        try await node.node.conversations.conversation(at: .conversation(conversationID)).join()
    }

    /// The conversation as a node sees it.
    func at(_ node: RunningNode) async throws -> Conversation {
        try await node.node.conversations.conversation(at: .conversation(conversationID))
    }

    /// What the attacker is told of who is in.
    func control() async throws -> [Control] {
        let (conversationID, userID) = (conversationID, mallory.userID)
        return try await blocking {
            try link.with { link in
                link.send(Mallory.heads(), Mallory.heads(of: conversationID, asks: true))
                return try link.control(of: conversationID) { $0.contains { $0.entry == .add(userID) } }
            }
        }
    }

    /// The attacker joins.
    /// - Returns: her log, and what she knows of who is in.
    func join() async throws -> (log: ForgedLog, control: [Control]) {
        let control = try await control()
        guard let end = control.last?.place,
            let addition = control.first(where: { $0.entry == .add(mallory.userID) })?.place
        else { throw HostileSocket.Failure(description: "the attacker is not invited") }
        var log = ForgedLog(mallory, mallory.log(in: conversationID))
        let frame = log.append(.version(end), .join(answering: addition))
        try await send(frame)
        try await until(.joined, mallory.userID, at: alice)
        return (log, control)
    }

    /// The attacker sends frames to alice, who has dealt with them when this returns.
    func send(_ frames: [UInt8]...) async throws {
        let alice = alice
        try await blocking {
            try link.with { link in
                for frame in frames { link.send(frame) }
                guard link.goesOn(with: alice) else { throw HostileSocket.Failure(description: "the link is dead") }
            }
        }
    }

    func status(of userID: UserID, at node: RunningNode) async throws -> Participant? {
        try await at(node).participants(limit: Limits.historyPage, includingFormer: true).first { $0.userID == userID }
    }

    func until(_ status: Participant.Status, _ userID: UserID, at node: RunningNode) async throws {
        try await node.events.until("\(node.node.name) to know that somebody is \(status)") {
            do { return try await self.status(of: userID, at: node)?.status == status } catch { return false }
        }
    }

    func history(at node: RunningNode) async throws -> [String] {
        try await at(node).history(limit: Limits.historyPage).map(\.text)
    }

    /// Alice and bob write, and each gets what the other wrote.
    func check() async throws {
        for (author, reader) in [(alice, bob), (bob, alice)] {
            let text = "check: \(author.node.name)"
            let message = try await at(author).send(text)
            let isDelivered = await author.events.first(within: .seconds(15)) { event -> Bool? in
                guard case .messageDelivered(let change) = event else { return nil }
                return change.messageID == message.messageID && change.recipientID == reader.node.userID ? true : nil
            }
            guard isDelivered == true, try await history(at: reader).count(where: { $0 == text }) == 1 else {
                throw HostileSocket.Failure(
                    description: "\(reader.node.name) does not have \(author.node.name)'s message")
            }
        }
    }
}

/// A private conversation of an attacker's.
struct Owned: Sendable {
    let owner: Mallory
    private let origin: ConversationOrigin
    private var log: ForgedLog

    init(by owner: Mallory) {
        self.owner = owner
        origin = ConversationOrigin(
            creatorID: owner.userID, salt: (0..<ConversationOrigin.saltBytes).map { _ in .random(in: 0...255) })
        log = ForgedLog(owner, owner.log(in: .private(origin), kind: .control))
    }

    var conversationID: ConversationID { .private(origin) }

    /// Frames with its first entries.
    mutating func begin(inviting userIDs: [UserID]) -> [[UInt8]] {
        let creation = Creation(
            conversationID: conversationID, uniqueName: "plot", attributes: ConversationAttributes(friendlyName: ""),
            givesHistory: true)
        let created = log.append(.control(ControlBody(.created(creation), origin: origin)))
        return [created] + userIDs.map { write(.add($0)) }
    }

    /// A frame with one entry, as all control entries are sent.
    mutating func write(_ entry: ControlEntry) -> [UInt8] { log.append(.control(ControlBody(entry))) }

    /// Brings entries to a node, which has dealt with them when this returns.
    func tell(_ node: RunningNode, from source: String, _ frames: [[UInt8]]) async throws {
        try await blocking {
            let link = try HostileLink.connect(owner, to: node.port, from: source)
            try link.expectHeads()
            link.send(Mallory.heads(), Mallory.digests(of: [conversationID], isPrivate: true))
            for frame in frames { link.send(frame) }
            guard link.goesOn(with: node) else { throw HostileSocket.Failure(description: "the link is dead") }
        }
    }

    /// A node's user joins.
    func accept(at node: RunningNode) async throws {
        try await Circle.accept(conversationID, at: node)
    }

    func participants(at node: RunningNode) async -> Set<UserID> {
        do {
            let conversation = try await node.node.conversations.conversation(at: .conversation(conversationID))
            return Set(try await conversation.participants(limit: Limits.historyPage).map(\.userID))
        } catch { return [] }
    }
}

extension HostileLink {
    /// Reads control entries of a conversation, until enough of them have come.
    func control(
        of conversationID: ConversationID, until isEnough: ([Circle.Control]) -> Bool
    ) throws -> [Circle.Control] {
        var control: [Circle.Control] = []
        while !isEnough(control) {
            guard
                let frame = next(
                    2,
                    where: {
                        Proto.bytes(1, of: $0).map { log in
                            Proto.bytes(1, of: log) == conversationID.bytes && Proto.number(4, of: log) == 1
                        } ?? false
                    }), let wire = Proto.bytes(1, of: frame),
                let deviceID = Proto.bytes(2, of: wire).flatMap(DeviceID.init),
                let epoch = Proto.number(3, of: wire), var chain = Proto.bytes(5, of: frame).flatMap(ChainHash.init),
                var sequence = Proto.number(2, of: frame)
            else { throw HostileSocket.Failure(description: "the node says nothing of who is in") }
            let log = LogDescription(conversationID: conversationID, deviceID: deviceID, epoch: epoch, kind: .control)
            for case (3, .bytes(let entry)) in Proto.fields(frame) {
                guard let body = Proto.bytes(1, of: entry) else { continue }
                chain = chain.appending(.of(body: body))
                if case .control(let entry) = try EntryBody(decoding: body).content {
                    control.append((LogPlace(logID: log.logID, sequence: sequence, chain: chain), entry.entry))
                }
                sequence += 1
            }
        }
        return control
    }

    /// All frames until the node is silent for so many seconds, or closes.
    func frames(within seconds: Int) -> [[UInt8]] {
        socket.setPatience(seconds)
        defer { socket.setPatience(10) }
        var frames: [[UInt8]] = []
        while let frame = nextFrame() { frames.append(frame.content) }
        return frames
    }
}
