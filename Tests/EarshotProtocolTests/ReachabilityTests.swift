import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Asked whether it can be reached, a node")
struct ReachabilityTests {
    private func check(_ network: inout MachineNetwork, _ number: UInt64 = 1) {
        network.input(0) { $0.checkReachability(port: 7001, requestID: RequestID(number), now: $1) }
    }

    /// The node in the middle, and as many others that are linked to it.
    private func star(_ others: Int) -> MachineNetwork {
        var network = MachineNetwork((0...others).map { "user \($0)" })
        for index in 1...others {
            network.see(index, by: 0)
            network.see(0, by: index)
        }
        network.run(for: 5_000)
        return network
    }

    @Test("learns from a peer, which tries the asker's own host and the port that it names", arguments: [true, false])
    func asks(isReachable: Bool) throws {
        var network = MachineNetwork.linkedPair()
        check(&network)
        network.run(for: 10)
        #expect(network.nodes[1].probes.map(\.address.port) == [7001])
        #expect(network.nodes[1].probes.map(\.address.host) == [network.nodes[0].address.host])
        #expect(network.nodes[0].reachability.isEmpty)
        let probe = try #require(network.nodes[1].probes.first?.id)
        network.input(1) { $0.probed(probe, isReachable: isReachable, now: $1) }
        network.run(for: 10)
        let answer = Reachability(userID: network.nodes[1].local.userID, isReachable: isReachable)
        #expect(network.nodes[0].reachability == [RequestID(1): [answer]])
    }

    @Test("answers at once that nobody says anything, without links")
    func withoutLinks() {
        var network = MachineNetwork(["alice"])
        check(&network)
        #expect(network.nodes[0].reachability == [RequestID(1): []])
    }

    @Test("waits six seconds for an answer, and gives everybody who asks meanwhile the same")
    func noAnswer() {
        var network = MachineNetwork.linkedPair()
        check(&network)
        network.run(for: Timing.reachabilityCheck - 10)
        check(&network, 2)
        #expect(network.nodes[0].reachability.isEmpty)
        network.run(for: 20)
        let answer = Reachability(userID: network.nodes[1].local.userID, isReachable: nil)
        #expect(network.nodes[0].reachability == [RequestID(1): [answer], RequestID(2): [answer]])
        #expect(network.nodes[1].probes.count == 1)
    }

    @Test("waits no longer for a peer whose link is gone")
    func linkGone() throws {
        var network = MachineNetwork.linkedPair()
        check(&network)
        let connectionID = try #require(network.nodes[0].machine.openConnections.first)
        network.input(0) { $0.disconnected(connectionID, now: $1) }
        #expect(network.nodes[0].reachability[RequestID(1)]?.map(\.isReachable) == [nil])
    }

    @Test("asks no more than so many users")
    func boundsPeers() {
        var network = star(Limits.reachabilityPeers + 2)
        check(&network)
        network.run(for: 10)
        #expect(network.nodes.map(\.probes.count).reduce(0, +) == Limits.reachabilityPeers)
        network.run(for: Timing.reachabilityCheck)
        let answers = network.nodes[0].reachability[RequestID(1)] ?? []
        #expect(Set(answers.map(\.userID)).count == Limits.reachabilityPeers)
    }

    @Test("tries for a device once in five seconds, whatever it asks and however often it links anew")
    func rate() throws {
        var network = MachineNetwork.linkedPair()
        let begin = network.now.uptime
        for number in 0..<20 as Range<UInt64> {
            let link = try #require(network.nodes[0].machine.openConnections.first)
            network.nodes[0].machine.send(.dialBack(port: 9, nonce: number), on: link)
            network.input(0) { $0.tick(now: $1) }
            network.run(for: 10)
            for probe in network.nodes[1].probes {
                network.input(1) { $0.probed(probe.id, isReachable: true, now: $1) }
            }
            if number == 10 {
                network.input(0) { $0.disconnected(link, now: $1) }
                network.restart(0)
                network.see(1, by: 0)
                network.run(for: 1_000)
            }
        }
        #expect(network.now.uptime - begin < Timing.dialBackInterval)
        #expect(network.nodes[1].probes.count == 1)
        let link = try #require(network.nodes[0].machine.openConnections.first)
        network.run(for: Timing.dialBackInterval)
        network.nodes[0].machine.send(.dialBack(port: 9, nonce: 99), on: link)
        network.input(0) { $0.tick(now: $1) }
        network.run(for: 10)
        #expect(network.nodes[1].probes.count == 2)
    }

    @Test("skips answers that it did not ask for")
    func unasked() throws {
        var network = MachineNetwork.linkedPair()
        check(&network)
        let link = try #require(network.nodes[1].machine.openConnections.first)
        network.nodes[1].machine.send(.dialBackResult(nonce: 4711, isReachable: true), on: link)
        network.input(1) { $0.tick(now: $1) }
        network.run(for: 10)
        #expect(network.nodes[0].reachability.isEmpty)
        #expect(network.isLinked(0))
    }

    @Test("tells of no failure when somebody connects and closes without a byte, and of one after the first byte")
    func silentConnection() {
        var network = MachineNetwork(["alice"])
        let from = PeerAddress(host: "10.0.0.9", port: 40_000)
        for bytes in [[], [0]] as [[UInt8]] {
            var connectionID = ConnectionID(0)
            network.input(0) { machine, now in
                let (accepted, actions) = machine.accepted(from: from, now: now)
                connectionID = accepted
                return actions
            }
            if !bytes.isEmpty { network.input(0) { $0.received(bytes, on: connectionID, now: $1) } }
            network.input(0) { $0.disconnected(connectionID, now: $1) }
            #expect(network.nodes[0].events.names == (bytes.isEmpty ? [] : [.linkFailed]))
        }
    }

    @Test("takes a port that cannot be for malformed", arguments: [0, 65_536, .max] as [UInt32])
    func absurdPort(_ port: UInt32) {
        let wire = Wire.Frame(.dialBack(Wire.DialBack(port: port)))
        let error = #expect(throws: ProtocolError.self) {
            try Frame.decode(Wire.encode(wire), from: DeviceID(Bytes32()))
        }
        #expect(error?.code == .malformed)
    }
}
