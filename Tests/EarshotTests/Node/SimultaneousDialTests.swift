import Earshot
import TestSupport
import Testing

@Suite("Two nodes that dial each other at once")
struct SimultaneousDialTests {
    @Test("keep one link, the same one at both ends, and lose nothing", arguments: 0..<4)
    func oneLink(_: Int) async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        let ports = (try LoopbackPort.next(), try LoopbackPort.next())
        let addresses = (PeerAddress(host: "127.0.0.1", port: ports.0), PeerAddress(host: "127.0.0.1", port: ports.1))
        let log = LogWatch()
        async let first: Void = alice.start(port: ports.0, peers: [addresses.1], log: log)
        async let second: Void = bob.start(port: ports.1, peers: [addresses.0], log: log)
        _ = try await (first, second)
        try await alice.waitForLink(to: bob)
        try await bob.waitForLink(to: alice)
        let nodes = (alice.node, bob.node)
        // No event tells that one of two links to a user is gone; the log does.
        try await log.records.wait(for: "one link") { _ -> Bool? in
            let links = await (nodes.0.status().links, nodes.1.status().links)
            guard links.0.count == 1, links.1.count == 1 else { return nil }
            return links.0[0].isOutbound != links.1[0].isOutbound ? true : nil
        }
        let there = try await alice.send("there", to: bob)
        let back = try await bob.send("back", to: alice)
        try await alice.events.state(.delivered, of: there.messageID)
        try await bob.events.state(.delivered, of: back.messageID)
        #expect(await (alice.node.status().links.count, bob.node.status().links.count) == (1, 1))
        // One may have dialled before the other listened; no link that was made has failed.
        #expect(await alice.events.events.compactMap(\.linkFailure).allSatisfy { $0.code == "unreachable" })
        #expect(await alice.events.names(about: there.messageID) == [.messageQueued, .messageSent, .messageDelivered])
    }
}
