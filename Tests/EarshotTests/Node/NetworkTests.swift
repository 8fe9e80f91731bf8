import Earshot
import EarshotDiscovery
import TestSupport
import Testing

@Suite("Nodes of several networks")
struct NetworkTests {
    @Test("link and talk where they have one key; others are refused, and both sides are told what to do")
    func separate() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        let (mallory, carol) = (try TestUser("mallory"), try TestUser("carol"))
        let key = try alice.home.createNetworkKey()
        try bob.home.joinNetwork(NetworkKey(typed: key.text))
        let other = try mallory.home.createNetworkKey()

        try await TestUser.meet(alice, bob)
        let message = try await alice.send("among us", to: bob)
        try await alice.events.state(.delivered, of: message.messageID)

        for (outsider, tag) in [(mallory, other.tag), (carol, nil)] {
            try await outsider.start(peers: [alice.address])
            let refused = try await outsider.events.first("the outsider is told") { $0.linkFailure }
            #expect(refused.code == "otherNetwork")
            #expect(refused.message.contains(tag ?? "this node has no network key"))
            let refusing = try await alice.events.first("Alice is told of the outsider") { event in
                event.linkFailure.flatMap { $0.message.contains(tag ?? "the peer has no network key") ? $0 : nil }
            }
            #expect(refusing.code == "otherNetwork")
            #expect(refusing.message.contains(key.tag))
            // Not every embedder has the commands.
            for failure in [refused, refusing] { #expect(!failure.message.contains("earshot ")) }
            #expect(await outsider.node.users.all.isEmpty)
            #expect(await outsider.node.status().links.isEmpty)
        }
        #expect(await alice.node.users.all.map(\.userID) == [bob.userID])
    }

    @Test("do not meet where they dial from a network without a key to one with a key")
    func outwards() async throws {
        let (alice, carol) = (try TestUser("alice"), try TestUser("carol"))
        try alice.home.createNetworkKey()
        try await carol.start()
        try await alice.start(peers: [carol.address])
        for user in [alice, carol] {
            let failure = try await user.events.first("\(user.userID) is told") { $0.linkFailure }
            #expect(failure.code == "otherNetwork")
            #expect(await user.node.users.all.isEmpty)
        }
    }

    @Test("count the networks that discovery sees beside their own, tell of each once, and dial nobody there")
    func discovered() async throws {
        let (alice, bob) = (try TestUser("alice"), try TestUser("bob"))
        let key = try alice.home.createNetworkKey()
        try bob.home.joinNetwork(key)
        try await bob.start()
        let source = TestSource()
        try await alice.start(sources: [source])
        let node = alice.node

        try await source.report(.appeared(source.record("x1", seed: 1, tag: "aaaa")), to: alice)
        try await source.report(.appeared(source.record("x2", seed: 2, tag: "aaaa")), to: alice)
        try await source.report(.appeared(source.record("x3", seed: 3, tag: nil)), to: alice)
        #expect(await node.status().otherNetworks == 3)
        try await source.report(.appeared(source.record("bob", of: bob, tag: key.tag)), to: alice)
        try await alice.waitForLink(to: bob)
        #expect(await alice.events.otherNetworks == [OtherNetwork(tag: "aaaa"), OtherNetwork(tag: nil)])

        try await source.report(.disappeared(source.record("x1", seed: 1, tag: "aaaa").key), to: alice)
        #expect(await node.status().otherNetworks == 2)
        try await source.report(.appeared(source.record("x3", seed: 3, tag: key.tag)), to: alice)
        #expect(await node.status().otherNetworks == 1)
        try await source.report(.appeared(source.record("x1", seed: 1, tag: "aaaa")), to: alice)
        #expect(await node.status().otherNetworks == 2)
        #expect(await alice.events.otherNetworks.count == 2)
        #expect(await node.status().networkTag == key.tag)
        #expect(await node.users.all.map(\.userID) == [bob.userID])
    }

    @Test("are told once where a copy of their home is advertised, and their status says where")
    func copied() async throws {
        let alice = try TestUser("alice")
        let source = TestSource()
        try await alice.start(sources: [source])
        let elsewhere = PeerAddress(host: "192.0.2.9", port: 7000)
        let record = try source.record("alice", of: alice, at: [elsewhere], tag: nil)
        for _ in 1...2 { try await source.report(.appeared(record), to: alice) }
        #expect(await alice.node.status().copies == [elsewhere])
        let copies = await alice.events.events.filter { if case .deviceCopied = $0 { true } else { false } }
        #expect(copies == [.deviceCopied(DeviceCopy(addresses: [elsewhere]))])
        try await source.report(.disappeared(record.key), to: alice)
        #expect(await alice.node.status().copies.isEmpty)
    }
}

extension EventRecorder {
    fileprivate var otherNetworks: [OtherNetwork] {
        events.compactMap { if case .otherNetworkSeen(let network) = $0 { network } else { nil } }
    }
}
