import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

/// What strangers make a node tell and do, who have shown who they are: an identity costs nothing.
@Suite("A node to which strangers with ever new identities come")
struct StrangerNoticesTests {
    /// Bob knows Alice by name, and has not written to her.
    private var pair = MachinePair.linked()

    /// Somebody dials Bob, and goes through the whole handshake.
    private mutating func dial(as local: LocalDevice, from host: String) throws {
        var keys = SeededGenerator(seed: UInt64(pair.now.uptime))
        var dialler = try LinkMachine(
            role: .initiator, configuration: local.link, ephemeralKey: keys.agreementKey(), now: pair.now)
        let address = PeerAddress(host: host, port: 1000)
        let (connectionID, actions) = pair.bob.machine.accepted(from: address, now: pair.now)
        pair.bob.perform(actions)
        var bytes = dialler.start().written.flatMap(\.self)
        while !bytes.isEmpty {
            pair.bob.output = []
            pair.bob.perform(pair.bob.machine.received(bytes, on: connectionID, now: pair.now))
            var answer = dialler.received(pair.bob.output, now: pair.now)
            if !answer.peers.isEmpty { answer = dialler.accept(now: pair.now) }
            bytes = answer.written.flatMap(\.self)
        }
        pair.bob.output = []
        while !pair.bob.commits.isEmpty { pair.commitBob() }
    }

    private func stranger(_ name: String, _ number: Int) -> LocalDevice { device(name, seed: UInt64(1000 + number)) }

    private var failures: [LinkFailure] {
        pair.bob.events.compactMap { if case .linkFailed(let failure) = $0 { failure } else { nil } }
    }

    private var claimants: [UserID] {
        pair.bob.events.compactMap {
            if case .identityConflict(let conflict) = $0 { conflict.claimedBy } else { nil }
        }
    }

    /// What one address may make a node tell in thirty seconds, and a little more.
    private static let fewNotices = Limits.failuresPerAddress + 31 * Limits.failuresPerAddressAndSecond

    @Test("tells of the strangers of one address whom it does not admit a few times, and how many there were")
    mutating func refusals() throws {
        pair.bob.perform(pair.bob.machine.admit(.only([pair.alice.local.userID]), now: pair.now))
        for number in 0..<300 {
            try dial(as: stranger("stranger", number), from: "10.0.0.9")
            pair.now.uptime += 100
        }
        #expect(failures.allSatisfy { $0.closeReason == "notAdmitted" })
        #expect((Limits.failuresPerAddress...Self.fewNotices).contains(failures.count))
        #expect(failures.contains { $0.message.contains("more such connections") })
        // Who comes from elsewhere is told of all the same.
        let other = stranger("stranger", 999)
        try dial(as: other, from: "10.0.0.10")
        #expect(failures.last?.userID == other.userID)
    }

    @Test("tells every time of somebody to whom it has written")
    mutating func known() throws {
        let alice = pair.alice.local
        pair = .linked(bob: .met(alice, by: pair.bob.local, hasWritten: true))
        pair.bob.perform(pair.bob.machine.admit(.only([]), now: pair.now))
        let before = failures.count
        for _ in 0..<40 {
            try dial(as: alice, from: "10.0.0.9")
            pair.now.uptime += 100
        }
        #expect(failures.count - before == 40)
    }

    @Test("tells of an impostor once, and of a crowd of them a few times")
    mutating func impostors() throws {
        for number in 0..<300 {
            try dial(as: stranger("alice", number), from: "10.0.0.9")
            pair.now.uptime += 100
        }
        #expect(claimants.first == stranger("alice", 0).userID)
        #expect(Set(claimants).count == claimants.count)
        #expect((Limits.failuresPerAddress...Self.fewNotices).contains(claimants.count))
        // One who comes from elsewhere is told of at once, and so is one who was passed over, when it is quiet again.
        let elsewhere = stranger("alice", 998)
        try dial(as: elsewhere, from: "10.0.0.10")
        #expect(claimants.last == elsewhere.userID)
        let passed = try #require((0..<300).map { stranger("alice", $0) }.first { !claimants.contains($0.userID) })
        pair.now.uptime += 2_000
        try dial(as: passed, from: "10.0.0.9")
        #expect(claimants.last == passed.userID)
        try dial(as: passed, from: "10.0.0.9")
        #expect(claimants.count { $0 == passed.userID } == 1)
    }

    @Test("dials somebody whom it does not admit ever more seldom, however often they are advertised")
    func redialling() {
        var group = MachineGroup()
        let (alice, bob) = (group.add("alice"), group.add("bob"))
        group.admit(.only([]), by: alice)
        for _ in 0..<240 {
            group.find(bob, by: alice)
            group.pass(250)
        }
        #expect((1...10).contains(group.members[bob].machine.peers.connectionCount))
        // And the other way round, where it is told that it is not wanted.
        let carol = group.add("carol")
        let before = group.members[alice].machine.peers.connectionCount
        for _ in 0..<240 {
            group.find(alice, by: carol)
            group.pass(250)
        }
        // Alice's own dials of Bob among them.
        #expect((1...12).contains(group.members[alice].machine.peers.connectionCount - before))
        // A change of mind is not held up by that.
        group.admit(.everybody, by: alice)
        #expect(group.isLinked(alice, bob))
    }
}
