import Earshot
import EarshotModel
import TestSupport
import Testing

/// A node and the Python peer, and what they do with each other.
final class NodeAndPeer {
    let node: Node
    let peer: PythonPeer
    private(set) var peerID: UserID

    init(node: Node, peer: PythonPeer) {
        self.node = node
        self.peer = peer
        peerID = node.userID
    }

    /// - Parameters:
    ///   - sequence: how many entries of the peer's log the node says that it holds.
    ///   - count: how many branches of the peer's logs; `nil` for one, if it holds any entry.
    func link(expectingHeads sequence: UInt64, count: Int? = nil) async throws {
        try peer.obey("link")
        let linked = try await peer.expect("linked")
        #expect(linked.user == Hex.text(node.userID.bytes))
        #expect(linked.device == Hex.text(node.deviceID.bytes))
        #expect(linked.name == node.name.text)
        let heads = try await peer.expect("heads")
        #expect(heads.sequence == sequence)
        #expect(heads.count == count ?? (sequence > 0 ? 1 : 0))
        peerID = try await node.users.named("Python").userID
    }

    /// The peer sends a text: the node has it, acknowledges it, and says when it was read.
    func peerSends(_ text: String, sequence: UInt64 = 1) async throws {
        let received = node.events.events(.messageReceived)
        try peer.obey("send \(text)")
        let message = try await Self.next(received, "'\(text)' arrives")
        #expect(message.text == text)
        #expect(message.senderID == peerID)
        #expect(message.headers == ["client": "python"])
        #expect(message.messageID.sequence == sequence)
        #expect(try await peer.expect("receipt").sequence == sequence)

        try await node.messages.markRead(message.messageID)
        let receipt = try await peer.expect("receipt")
        #expect(receipt.sequence == sequence)
        #expect(receipt.read == sequence)
    }

    /// The node sends a text: the peer has it, and the message's state follows what the peer signs.
    func nodeSends(_ text: String) async throws {
        let (delivered, read) = (node.events.events(.messageDelivered), node.events.events(.messageRead))
        let message = try await node.messages.send(text, to: peerID)
        #expect(try await peer.expect("message").text == text)
        #expect(try await Self.next(delivered, "the peer's receipt").messageID == message.messageID)
        #expect(try await node.messages.message(message.messageID).states == [peerID: .delivered])

        try peer.obey("read")
        #expect(try await Self.next(read, "the peer's read mark").messageID == message.messageID)
        #expect(try await node.messages.message(message.messageID).states == [peerID: .read])
    }

    func close() async throws { try await endLink(by: "close", "closed") }

    /// Has the peer end the link, and waits until the node has noticed.
    /// - Parameter events: what the peer tells of it.
    func endLink(by order: String, _ events: String...) async throws {
        let updates = node.events.events(.userUpdated)
        try peer.obey(order)
        for event in events { try await peer.expect(event) }
        try await withDeadline("the node notices that the link is gone") {
            for try await (user, _) in updates where !user.isOnline { return }
        }
        #expect(await node.status().links.isEmpty)
    }
}
