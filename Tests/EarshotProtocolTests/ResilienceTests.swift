import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("On a network that misbehaves a node")
struct ResilienceTests {
    fileprivate static let elsewhere = PeerAddress(host: "10.0.9.9", port: 7)

    @Test("dials what waits at once when the network changes, and waits no longer than at first")
    func networkChanged() {
        var network = MachineNetwork(["alice", "bob"])
        let bob = network.nodes[1].address
        network.nodes[1].address = Self.elsewhere
        network.input(0) { $0.addStaticPeer(bob, now: $1) }
        network.run(for: 40_000)
        let before = network.nodes[0].dials
        network.input(0) { $0.networkChanged(now: $1) }
        #expect(network.nodes[0].dials == before + 1)
        network.run(for: Timing.redialFloor + 10)
        #expect(network.nodes[0].dials == before + 2)
    }

    @Test("finds out within three seconds that a link did not survive a change of the network", arguments: [0, 1])
    func deadLink(_ index: Int) throws {
        var network = MachineNetwork.linkedPair()
        network.cutSilently()
        network.blackHoles = Set(network.nodes.map(\.address))
        network.run(for: 2_000)
        network.input(index) { $0.networkChanged(now: $1) }
        let time = try #require(network.time { !$0.isLinked(index) })
        #expect(time <= Timing.probe + 20)
    }

    @Test("keeps a link that answers after a change of the network, and dials nobody beside it")
    func livingLink() {
        var network = MachineNetwork.linkedPair()
        let dials = network.nodes.map(\.dials)
        network.input(0) { $0.networkChanged(now: $1) }
        network.run(for: 10_000)
        #expect(network.isLinked(0) && network.isLinked(1))
        #expect(network.nodes.map(\.dials) == dials)
        #expect(network.nodes.allSatisfy { !$0.events.names.contains(.linkFailed) })
    }

    @Test("dials nobody beside a link that answers late, but in time")
    func lateAnswer() {
        var network = MachineNetwork.linkedPair()
        // The higher device leaves the lower one a moment to dial, and that is asleep.
        network.nodes[0].isStopped = true
        let dials = network.nodes[1].dials
        network.input(1) { $0.networkChanged(now: $1) }
        network.run(for: Timing.probePatience + 100)
        network.nodes[0].isStopped = false
        network.run(for: 10_000)
        #expect(network.nodes[1].dials == dials)
        #expect(network.isLinked(0) && network.isLinked(1))
    }

    /// A device that comes back is linked within two seconds of being seen, whatever the other thought of it.
    enum Before: CaseIterable {
        case neverSeen, lost, waiting, hangingDial, halfOpenLink, halfOpenLinkOfYoungAge
    }

    @Test("is linked to a device within two seconds of seeing it again", arguments: Before.allCases, [0, 1])
    func seenAgain(_ before: Before, _ index: Int) throws {
        var network = MachineNetwork.linkedPair()
        let other = 1 - index
        switch before {
        case .neverSeen:
            network.restart(index)
        case .lost:
            let deviceID = network.nodes[other].local.deviceID
            network.input(index) { $0.lost(deviceID, now: $1) }
        case .waiting:
            network.cutSilently()
            let address = network.nodes[other].address
            network.nodes[other].address = Self.elsewhere
            network.run(for: 200_000)
            network.nodes[other].address = address
        case .hangingDial:
            network.cutSilently()
            network.blackHoles = Set(network.nodes.map(\.address))
            network.run(for: 100_000)
            network.input(index) { $0.networkChanged(now: $1) }
            network.run(for: 50)
        case .halfOpenLink:
            network.run(for: 20_000)
        case .halfOpenLinkOfYoungAge: break
        }
        network.restart(other, at: PeerAddress(host: "10.0.0.77", port: 8))
        network.see(other, by: index)
        let time = try #require(network.time { $0.isLinked(0) && $0.isLinked(1) })
        #expect(time <= 2_000)
        #expect(network.nodes[index].machine.establishedLinks.map(\.peer.run) == [network.nodes[other].local.link.run])
    }

    @Test("lets the link win that a peer dials over one that is half open", arguments: [0, 1])
    func newLinkWins(_ index: Int) throws {
        var network = MachineNetwork.linkedPair()
        network.run(for: 5_000)
        let other = 1 - index
        // The other end has noticed, in the same run: it has no link, and dials.
        let connectionID = try #require(network.nodes[other].machine.openConnections.first)
        network.cutSilently()
        network.input(other) { $0.disconnected(connectionID, now: $1) }
        #expect(network.isLinked(index) && !network.isLinked(other))
        let time = try #require(network.time { $0.isLinked(other) })
        #expect(time <= 2_000)
        network.run(for: 60_000)
        #expect(network.isLinked(0) && network.isLinked(1))
        #expect(network.nodes.allSatisfy { $0.machine.establishedLinks.count == 1 })
    }

    @Test("notices that it slept, and asks its links before it takes them for dead", arguments: [0, 1])
    func slept(_ index: Int) {
        var network = MachineNetwork.linkedPair()
        network.nodes[index].isStopped = true
        network.advance(to: network.now.uptime + 40_000)
        network.nodes[index].isStopped = false
        // The other one is still there: nobody has a reason to close.
        network.run(for: 10_000)
        #expect(network.isLinked(0) && network.isLinked(1))
        #expect(network.nodes.allSatisfy { !$0.events.names.contains(.linkFailed) })
    }

    @Test("is linked again within two seconds of waking up, when the others have given it up")
    func wokeUp() throws {
        var network = MachineNetwork.linkedPair()
        network.nodes[0].isStopped = true
        network.run(for: 600_000)
        #expect(!network.isLinked(1))
        network.nodes[0].isStopped = false
        let time = try #require(network.time { $0.isLinked(0) && $0.isLinked(1) })
        #expect(time <= 2_000)
    }

    /// Inputs about what is over, or was never there.
    enum Stale: CaseIterable {
        case found, connected, connectFailed, received, disconnected, probed, expiredFound

        func input(_ machine: inout NodeMachine, now: Moment) -> [NodeAction] {
            let connectionID = ConnectionID(999)
            switch self {
            case .found: return machine.found(machine.local.deviceID, addresses: [], now: now)
            case .connected: return machine.connected(connectionID, to: ResilienceTests.elsewhere, now: now)
            case .connectFailed: return machine.connectFailed(connectionID, reason: "refused", now: now)
            case .received: return machine.received([1], on: connectionID, now: now)
            case .disconnected: return machine.disconnected(connectionID, now: now)
            case .probed: return machine.probed(ProbeID(999), isReachable: true, now: now)
            case .expiredFound:
                let logID = LogDescription(
                    conversationID: .direct(machine.userID, machine.userID), deviceID: machine.local.deviceID, epoch: 9
                ).logID
                return machine.expiredFound(in: logID, sequences: [], nextExpiry: .max, now: now)
            }
        }
    }

    @Test(
        "finds out that it was asleep from whatever it hears first, even about what is over",
        arguments: Stale.allCases)
    func wokenByAnything(_ stale: Stale) {
        var network = MachineNetwork(["alice", "bob"])
        network.nodes[1].address = Self.elsewhere
        network.input(0) { $0.addStaticPeer(PeerAddress(host: "10.0.0.2", port: 7), now: $1) }
        network.run(for: 40_000)
        let before = network.nodes[0].dials
        network.now.uptime += 600_000
        network.now.wallClock += 600_000
        network.input(0) { stale.input(&$0, now: $1) }
        #expect(network.nodes[0].dials == before + 1)
    }

    @Test("that is told that it woke dials at once")
    func toldThatItWoke() {
        var network = MachineNetwork(["alice", "bob"])
        network.nodes[1].address = Self.elsewhere
        network.input(0) { $0.addStaticPeer(PeerAddress(host: "10.0.0.2", port: 7), now: $1) }
        network.run(for: 40_000)
        let before = network.nodes[0].dials
        network.input(0) { $0.woke(now: $1) }
        #expect(network.nodes[0].dials == before + 1)
    }

    @Test("dials at once when the wall clock was set, whether it is told or finds out", arguments: [true, false])
    func clockSet(isTold: Bool) {
        var network = MachineNetwork(["alice", "bob"])
        network.nodes[1].address = Self.elsewhere
        network.input(0) { $0.addStaticPeer(PeerAddress(host: "10.0.0.2", port: 7), now: $1) }
        network.run(for: 40_000)
        let before = network.nodes[0].dials
        network.nodes[0].clockOffset = -Timing.clockJump - 1
        network.input(0) { isTold ? $0.clockChanged(now: $1) : $0.tick(now: $1) }
        #expect(network.nodes[0].dials == before + 1)
        // Told or not, it says so once; not of a little, and not where nothing has changed since.
        network.input(0) { $0.clockChanged(now: $1) }
        network.nodes[0].clockOffset += 10
        network.input(0) { $0.clockChanged(now: $1) }
        let told = network.nodes[0].events.compactMap { if case .clockSet(let change) = $0 { change } else { nil } }
        #expect(told == [ClockChange(forward: -Timing.clockJump - 1)])
    }

    @Test("does not take a clock that runs a little fast for one that was set")
    func clockDrifts() {
        var network = MachineNetwork(["alice", "bob"])
        network.nodes[1].address = Self.elsewhere
        network.input(0) { $0.addStaticPeer(PeerAddress(host: "10.0.0.2", port: 7), now: $1) }
        network.run(for: 40_000)
        let before = network.nodes[0].dials
        for _ in 0..<100 {
            network.nodes[0].clockOffset += 1_000
            network.advance(to: network.now.uptime + 10)
            network.input(0) { $0.tick(now: $1) }
        }
        #expect(network.nodes[0].dials == before)
    }

    @Test(
        "tells once a run of a user whose clock is far away, ahead or behind", arguments: [90_000, -90_000] as [Int64])
    func clockSkewed(_ ahead: Int64) {
        var network = MachineNetwork(["alice", "bob"])
        network.nodes[1].clockOffset = ahead
        for _ in 0..<3 {
            network.restart(1)
            network.see(1, by: 0)
            network.run(for: 5_000)
        }
        let skews = network.nodes[0].events.compactMap { if case .clockSkewed(let skew) = $0 { skew } else { nil } }
        #expect(skews == [ClockSkew(userID: network.nodes[1].local.userID, ahead: ahead)])
        #expect(network.nodes[0].machine.peerClocks.map(\.offset) == [ahead])
        #expect(network.nodes[1].machine.peerClocks.map(\.offset) == [-ahead])
    }

    @Test("says nothing of clocks that are a minute apart at most")
    func clockTolerated() {
        var network = MachineNetwork(["alice", "bob"])
        network.nodes[1].clockOffset = Timing.clockTolerance
        network.see(1, by: 0)
        network.run(for: 5_000)
        #expect(network.isLinked(0))
        #expect(!network.nodes[0].events.names.contains(.clockSkewed))
    }

    @Test("remembers the clock of a peer that it refuses, and counts anew when its own is set")
    func refusedClock() {
        let year: Int64 = 365 * 24 * 3600 * 1000
        var network = MachineNetwork(["alice", "bob"])
        network.nodes[1].clockOffset = -60 * year
        let late = device("bob", notBefore: 0, notAfter: network.now.wallClock - 40 * year)
        network.nodes[1].local = late
        network.restart(1)
        network.see(1, by: 0)
        network.run(for: 1_000)
        #expect(!network.isLinked(0))
        #expect(network.nodes[0].machine.peerClocks.isEmpty)  // Before 1970 no clock can be.
        network.nodes[1].clockOffset = -50 * year
        network.run(for: 40_000)
        #expect(network.nodes[0].machine.peerClocks.map(\.offset) == [-50 * year])
        network.nodes[0].clockOffset = -50 * year
        network.input(0) { $0.clockChanged(now: $1) }
        #expect(network.nodes[0].machine.peerClocks.map(\.offset) == [0])
        network.run(for: 1_000)
        #expect(network.isLinked(0))
    }

    @Test("remembers the clocks of so many users, the latest seen")
    func boundsClocks() {
        var clocks = PeerClocks()
        for number in 0..<Limits.peerClocks + 10 {
            let peer = LinkPeer(
                credential: device("user \(number)", seed: UInt64(number)).link.credential, run: 1,
                clockOffset: Int64(number))
            clocks.note(peer)
        }
        #expect(clocks.entries.count == Limits.peerClocks)
        #expect(clocks.entries.map(\.offset).min() == 10)
    }

    @Test("calls nobody who is not advertised after a day, and is quiet then")
    func forgets() {
        var network = MachineNetwork.linkedPair()
        let deviceID = network.nodes[1].local.deviceID
        network.input(0) { $0.lost(deviceID, now: $1) }
        network.nodes[1].address = Self.elsewhere
        network.nodes[1].isStopped = true
        network.cutSilently()
        network.run(for: Timing.remembered + 120_000)
        #expect(!network.isLinked(0))
        #expect(network.nodes[0].machine.dialTargetCount == 0)
        #expect(network.nodes[0].machine.deadline(now: network.now) == .max)
    }
}
