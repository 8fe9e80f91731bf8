import EarshotModel
import Testing

@testable import EarshotDiscovery

extension RealNetworkTests {
    @Suite("Discovery by the system's daemon", .serialized, .timeLimit(.minutes(1)))
    struct DaemonTests {
        @Test("lets two nodes on one host find each other, and neither of them itself")
        func bothWays() async throws {
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            try await bob.waitForDevice(1, port: 4001)
            try await alice.stop()
            try await bob.stop()
            for await event in bob.discovery.events {
                switch event {
                case .found(let device), .updated(let device): #expect(device.deviceID == deviceID(1))
                case .lost, .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere, .malformed: continue
                }
            }
        }

        @Test("finds a node that was there before within a second")
        func quick() async throws {
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            try await alice.waitForDevice(2, port: 4002)
            try await bob.waitForDevice(1, port: 4001)
            let start = ContinuousClock.now
            let carol = try RunningDiscovery("carol", seed: 3, port: 4003)
            try await carol.waitForDevice(2, port: 4002)
            #expect(ContinuousClock.now - start < .seconds(1))
            for node in [alice, bob, carol] { try await node.stop() }
        }

        @Test("gives routable addresses first and the loopback last")
        func addressOrder() async throws {
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
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
        }

        @Test("ignores skipped interfaces")
        func skipped() async throws {
            let configuration = DiscoveryConfiguration(skippedInterfaces: ["eth*"])
            let alice = try RunningDiscovery(
                "alice", seed: 1, port: 4001, source: DNSSDDaemonSource(configuration: configuration))
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            try await alice.wait { event in
                switch event {
                case .found(let device), .updated(let device):
                    device.addresses.allSatisfy { ["127.0.0.1", "::1"].contains($0.host) }
                case .lost, .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere, .malformed: false
                }
            }
            try await alice.stop()
            try await bob.stop()
        }

        @Test("sees a goodbye, and the new port of a node that returns with the same name")
        func goodbyeAndReturn() async throws {
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            try await bob.stop()
            try await alice.wait { $0 == .lost(deviceID(2)) }
            let again = try RunningDiscovery("bob", seed: 2, port: 5002)
            try await alice.waitForDevice(2, port: 5002)
            try await alice.stop()
            try await again.stop()
        }

        @Test("sees the new port of a node that restarts at once")
        func restart() async throws {
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            try await bob.stop()
            let again = try RunningDiscovery("bob", seed: 2, port: 5002)
            try await alice.waitForDevice(2, port: 5002)
            try await alice.stop()
            try await again.stop()
        }

        @Test("reports unreadable records, and goes on")
        func malformed() async throws {
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            let client = try DaemonClient(gauge: OperationGauge(), wakeUp: WakeUp())
            let stranger = try client.advertise("stranger 3", port: 9, txt: [3] + Array("x=y".utf8))
            try await alice.wait { event in
                switch event {
                case .malformed(let instance, _): instance.hasPrefix("stranger ")
                case .found, .updated, .lost, .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere: false
                }
            }
            withExtendedLifetime(stranger) {}
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            try await alice.stop()
            try await bob.stop()
        }

        @Test("reports that the daemon is gone, and finds everyone again when it is back")
        func daemonRestart() async throws {
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            try await bob.waitForDevice(1, port: 4001)
            try await PrivateDaemon.stop()
            for node in [alice, bob] {
                try await node.wait { event in
                    switch event {
                    case .sourceUnavailable: true
                    case .found, .updated, .lost, .sourceAvailable, .ownDeviceElsewhere, .malformed: false
                    }
                }
            }
            try await PrivateDaemon.start()
            for node in [alice, bob] { try await node.wait { $0 == .sourceAvailable(source: "dns-sd daemon") } }
            try await alice.waitForDevice(2, port: 4002)
            try await bob.waitForDevice(1, port: 4001)
            try await alice.stop()
            try await bob.stop()
        }

        @Test("can be cancelled while no daemon answers")
        func cancelledWithoutDaemon() async throws {
            try await PrivateDaemon.stop()
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            try await alice.wait { event in
                switch event {
                case .sourceUnavailable: true
                case .found, .updated, .lost, .sourceAvailable, .ownDeviceElsewhere, .malformed: false
                }
            }
            try await alice.stop()
            try await PrivateDaemon.start()
        }

        @Test("leaves no connection to the daemon behind")
        func cleanUp() async throws {
            let before = try OpenFiles.current()
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001)
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002)
            try await alice.waitForDevice(2, port: 4002)
            let opened = try OpenFiles.current().subtracting(before)
            #expect(!opened.isEmpty)
            try await alice.stop()
            try await bob.stop()
            #expect(try OpenFiles.current().isDisjoint(with: opened))
        }
    }
}
