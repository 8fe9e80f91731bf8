import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation
import TestSupport

/// An open conversation of alice and bob, which an attacker can join like anybody.
struct Gathering: Sendable {
    let alice: RunningNode
    let bob: RunningNode
    let conversation: Conversation

    var conversationID: ConversationID { conversation.conversationID }

    /// Alice and bob join a conversation that nobody has used yet, and know of each other.
    static func open(_ arena: Arena, _ source: String) async throws -> Gathering {
        let name = "open-" + source.replacing(".", with: "-")
        let conversation = try await arena.alice.node.conversations.join(named: name)
        try await arena.bob.node.conversations.join(named: name)
        let gathering = Gathering(alice: arena.alice, bob: arena.bob, conversation: conversation)
        for node in [arena.alice, arena.bob] {
            try await node.events.until("both to be in #\(name)") {
                do { return try await gathering.participants(at: node).count == 2 } catch { return false }
            }
        }
        return gathering
    }

    /// Everybody whom a node knows to be in, or to have been in.
    func participants(at node: RunningNode) async throws -> [Participant] {
        try await at(node).participants(limit: Limits.historyPage, includingFormer: true)
    }

    /// What a node shows.
    func history(at node: RunningNode) async throws -> [Message] {
        try await at(node).history(limit: Limits.historyPage)
    }

    private func at(_ node: RunningNode) async throws -> Conversation {
        try await node.node.conversations.open(named: conversation.uniqueName ?? "")
    }

    /// Alice and bob write, and each gets what the other wrote: once, and before everything that is said later.
    /// - Throws: what went wrong.
    func check() async throws {
        for (author, reader) in [(alice, bob), (bob, alice)] {
            let texts = ["check: \(author.node.name) 1", "check: \(author.node.name) 2"]
            for text in texts {
                let message = try await at(author).send(text)
                let isDelivered = await author.events.first(within: .seconds(15)) { event -> Bool? in
                    guard case .messageDelivered(let change) = event else { return nil }
                    return change.messageID == message.messageID && change.recipientID == reader.node.userID
                        ? true : nil
                }
                guard isDelivered == true else {
                    throw HostileSocket.Failure(description: "\(author.node.name)'s message was not delivered")
                }
            }
            let read = try await history(at: reader)
                .filter { $0.senderID == author.node.userID && $0.text.hasPrefix("check: ") }.map(\.text)
            guard read == texts else {
                throw HostileSocket.Failure(description: "\(reader.node.name) has \(read) of \(author.node.name)")
            }
        }
    }

    /// Waits until alice and bob show the same. Ids of branches are each node's own.
    /// - Returns: the texts.
    func waitForAgreement(on count: Int) async throws -> [String] {
        @Sendable func isAgreed() async throws -> Bool {
            let (one, other) = (try await history(at: alice), try await history(at: bob))
            return one.count == count && one.map(\.text) == other.map(\.text)
        }
        do {
            try await bob.events.until("the same at alice and bob", within: .seconds(45)) {
                do { return try await isAgreed() } catch { return false }
            }
        } catch {
            guard try await !isAgreed() else { return try await history(at: alice).map(\.text) }
            let (one, other) = (try await history(at: alice), try await history(at: bob))
            throw HostileSocket.Failure(
                description: "alice has \(one.map(\.text)), and bob has \(other.map(\.text))")
        }
        return try await history(at: alice).map(\.text)
    }
}

extension HostileLink {
    /// Says that the attacker belongs to a conversation, and holds nothing of it.
    /// - Returns: the ends of logs that the node says it holds.
    @discardableResult
    func enter(_ conversationID: ConversationID) throws -> [[UInt8]] {
        try expectHeads()
        send(Mallory.heads(), Mallory.digests(of: [conversationID]))
        while let frame = nextFrame() {
            guard frame.number == 1, Proto.bytes(1, of: frame.content) == conversationID.bytes else { continue }
            send(Mallory.heads(of: conversationID))
            return Proto.fields(frame.content).compactMap { field in
                guard field.number == 2, case .bytes(let head) = field.value else { return nil }
                return head
            }
        }
        throw HostileSocket.Failure(description: "the node says nothing of the conversation")
    }

    /// The next frame of a kind.
    func next(_ number: UInt64, where isWanted: ([UInt8]) -> Bool = { _ in true }) -> [UInt8]? {
        while let frame = nextFrame() { if frame.number == number, isWanted(frame.content) { return frame.content } }
        return nil
    }

    /// Whether the node has dealt with all that came before, and takes a message.
    /// - Parameter body: sees the frames that come meanwhile.
    func goesOn(with node: RunningNode, meanwhile body: ((number: UInt64, content: [UInt8])) -> Void = { _ in }) -> Bool
    {
        // A log that the node does not know: its receipt then comes with a commit, behind all that was sent before.
        let log = mallory.log(to: node.node.userID, epoch: .random(in: 900...1_000_000_000))
        send(mallory.entries(log, bodies: [Mallory.body("allowed", at: Mallory.now)]))
        while let frame = nextFrame() {
            let receipt = frame.number == 3 ? Proto.bytes(1, of: frame.content) : nil
            if receipt.flatMap({ Proto.bytes(1, of: $0) }) == log.logID.bytes { return true }
            body(frame)
        }
        return false
    }

    /// Whether the node says that entries of another's log are on its disk.
    func waitForTaken(_ log: LogDescription) -> Bool {
        next(11) { Proto.bytes(1, of: $0) == log.logID.bytes } != nil
    }
}
