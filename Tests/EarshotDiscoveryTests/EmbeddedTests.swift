import EarshotModel
import TestSupport
import Testing

@testable import EarshotDiscovery

extension RealNetworkTests {
    @Suite("Discovery by a stack in this process", .serialized, .timeLimit(.minutes(3)))
    struct EmbeddedTests {
        private static func embedded(_ name: String, seed: UInt8, port: UInt16) throws -> RunningDiscovery {
            try RunningDiscovery(name, seed: seed, port: port, source: EmbeddedDNSSDSource())
        }

        @Test("sees a node of the daemon, and is seen by it, on the same host")
        func withDaemon() async throws {
            let alice = try Self.embedded("alice", seed: 1, port: 4001)
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            try await bob.waitForDevice(1, port: 4001)
            #expect(alice.discovery.status.stack == .used(.embedded))
            #expect(bob.discovery.status.stack == .used(.daemon))
            try await alice.stop()
            try await bob.wait { $0 == .lost(deviceID(1)) }
            try await bob.stop()
        }

        @Test("needs no daemon: two stacks in one process see each other, with every address in its order")
        func withoutDaemon() async throws {
            try await PrivateDaemon.stop()
            let alice = try Self.embedded("alice", seed: 1, port: 4001)
            let bob = try Self.embedded("bob", seed: 2, port: 4002)
            try await bob.waitForDevice(1, port: 4001)
            try await alice.wait { event in
                switch event {
                case .found(let device), .updated(let device):
                    device.addresses.first?.host == "10.77.0.1"
                        && device.addresses.contains { $0.host.hasSuffix("%eth0") }
                        && device.addresses.suffix(2).map(\.host) == ["127.0.0.1", "::1"]
                case .lost, .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere, .malformed: false
                }
            }
            try await alice.stop()
            try await bob.stop()
            try await PrivateDaemon.start()
        }

        @Test("advertises a node by the same instance name as the daemon", arguments: [true, false])
        func instanceName(isEmbedded: Bool) async throws {
            let bob =
                isEmbedded
                ? try Self.embedded("bob", seed: 2, port: 4002) : try RunningDiscovery("bob", seed: 2, port: 4002)
            let seen = Watched<Set<String>>([])
            let watching = Task {
                try await EmbeddedDNSSDSource().run(advertising: try advertisement("alice", seed: 1, port: 4001)) {
                    if case .appeared(let record) = $0 { seen.update { $0.insert(record.key.instance) } }
                }
            }
            let names = try await seen.wait(for: "bob is seen") { $0.isEmpty ? nil : $0 }
            #expect(names == [try advertisement("bob", seed: 2).instanceName])
            watching.cancel()
            try await watching.value
            try await bob.stop()
        }

        @Test("does not advertise on a skipped interface")
        func skipped() async throws {
            let quiet = EmbeddedDNSSDSource(configuration: DiscoveryConfiguration(skippedInterfaces: ["eth*"]))
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001, source: quiet)
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            let isFound = { @Sendable (event: DiscoveryEvent) -> Bool in
                switch event {
                case .found(let device), .updated(let device):
                    // That of the loopback is the last of its kind: what came over the cable would stand before it.
                    device.addresses.map(\.host) == ["127.0.0.1", "::1"]
                case .lost, .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere, .malformed: false
                }
            }
            try await bob.wait(for: isFound)
            try await alice.wait(for: isFound)
            try await alice.stop()
            try await bob.stop()
        }

        @Test("sees a goodbye, and the new port of a node that returns with the same name")
        func goodbyeAndReturn() async throws {
            let alice = try Self.embedded("alice", seed: 1, port: 4001)
            let bob = try Self.embedded("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            try await bob.stop()
            try await alice.wait { $0 == .lost(deviceID(2)) }
            let again = try Self.embedded("bob", seed: 2, port: 5002)
            try await alice.waitForDevice(2, port: 5002)
            try await alice.stop()
            try await again.stop()
        }

        @Test("reports a copy of this node, though both want the same names", arguments: [true, false])
        func copy(isCopyEmbedded: Bool) async throws {
            let alice = try Self.embedded("alice", seed: 1, port: 4001)
            let copy =
                isCopyEmbedded
                ? try Self.embedded("alice", seed: 1, port: 5001) : try RunningDiscovery("alice", seed: 1, port: 5001)
            for (node, port) in [(alice, 5001), (copy, 4001)] as [(RunningDiscovery, UInt16)] {
                try await node.wait { event in
                    switch event {
                    case .ownDeviceElsewhere(let addresses): addresses.allSatisfy { $0.port == port }
                    case .found, .updated, .lost, .sourceAvailable, .sourceUnavailable, .malformed: false
                    }
                }
            }
            try await alice.stop()
            try await copy.stop()
        }

        @Test("ends its lookups when they are answered, and looks again for whom is sought")
        func lookups() async throws {
            let operations = Watched(0)
            let source = EmbeddedDNSSDSource(gauge: OperationGauge { count in operations.update { $0 = count } })
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001, source: source)
            let bob = try Self.embedded("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            // The stack, the lookup of instances, and the host and its service on each of two interfaces.
            let idle = 6
            try await operations.wait(for: "the lookup of bob has ended") { $0 == idle ? true : nil }
            alice.discovery.seek(deviceID(2))
            try await operations.wait(for: "a lookup of bob that stays open") { $0 == idle + 3 ? true : nil }
            try await operations.wait(for: "it has ended as well") { $0 == idle ? true : nil }
            #expect(alice.discovery.status.deviceCount == 1)
            try await alice.stop()
            try await bob.stop()
        }

        @Test("ends at once when it is cancelled, and leaves nothing open")
        func cleanUp() async throws {
            let before = try OpenFiles.current()
            let alice = try Self.embedded("alice", seed: 1, port: 4001)
            let bob = try Self.embedded("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            #expect(alice.discovery.status.operationCount > 3)
            let opened = try OpenFiles.current().subtracting(before)
            #expect(!opened.isEmpty)
            let start = ContinuousClock.now
            try await alice.stop()
            try await bob.stop()
            let time = ContinuousClock.now - start
            #expect(time < .seconds(1))
            #expect(alice.discovery.status.operationCount == 0)
            #expect(bob.discovery.status.operationCount == 0)
            #expect(try OpenFiles.current().isDisjoint(with: opened))
            print("two stacks ended in \(time), and closed \(opened.count) sockets and pipes")
        }

        @Test("leaves nothing behind when a thousand nodes come and go")
        func churn() async throws {
            let operations = Watched(0)
            let source = EmbeddedDNSSDSource(gauge: OperationGauge { count in operations.update { $0 = count } })
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001, source: source)
            let bob = try Self.embedded("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            let discovery = alice.discovery
            #expect(discovery.status.deviceCount == 1)
            let before = (operations: operations.value, files: try OpenFiles.current())
            var most = 0
            var opened: Set<String> = []
            for round in 0..<10 {
                let crowd = Task { try await Crowd.appear(round * 100..<(round + 1) * 100, on: "eth0") }
                try await alice.waitForDevices(101)
                most = max(most, operations.value)
                opened.formUnion(try OpenFiles.current().subtracting(before.files))
                crowd.cancel()
                try await crowd.value
                try await alice.waitForDevices(1)
            }
            let after = try await operations.wait(for: "what was opened is closed") {
                $0 <= before.operations ? $0 : nil
            }
            #expect(!opened.isEmpty)
            #expect(try OpenFiles.current().isDisjoint(with: opened))
            print("a thousand came and went: operations \(before.operations) -> \(most) at the most -> \(after)")
            try await alice.stop()
            try await bob.stop()
        }
    }
}
