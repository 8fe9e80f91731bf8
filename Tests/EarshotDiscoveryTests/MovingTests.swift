import EarshotModel
import TestSupport
import Testing

@testable import EarshotDiscovery

/// What a discovery has told so far.
private struct Told {
    private(set) var events: [DiscoveryEvent] = []
    private(set) var devices: Set<DeviceID> = []
    /// The stacks that were used, one after the other.
    private(set) var stacks: [String] = []
    private(set) var losses: [DeviceID] = []
    private(set) var failures: [String] = []

    mutating func note(_ event: DiscoveryEvent) {
        events.append(event)
        switch event {
        case .found(let device), .updated(let device): devices.insert(device.deviceID)
        case .lost(let deviceID):
            devices.remove(deviceID)
            losses.append(deviceID)
        case .sourceAvailable(let source): stacks.append(source)
        case .sourceUnavailable(_, let reason): failures.append(reason)
        case .ownDeviceElsewhere, .malformed: break
        }
    }
}

extension RealNetworkTests {
    @Suite("Discovery by whichever stack is available", .serialized, .timeLimit(.minutes(3)))
    struct MovingTests {
        private static let daemon = "dns-sd daemon"
        private static let embedded = "embedded DNS-SD stack"

        private let alice = Watched(Told())
        private let bob = Watched(Told())

        /// Waits until something is so by what both have told.
        private func waitForBoth(_ what: String, _ isSo: @escaping @Sendable (Told) -> Bool) async throws {
            for told in [alice, bob] { try await told.wait(for: what) { isSo($0) ? true : nil } }
        }

        @Test("moves to the stack in this process when the daemon goes, and back when it returns, and loses nobody")
        func bothWays() async throws {
            let operations = Watched(0)
            let source = DNSSDSource(
                daemon: DNSSDDaemonSource(),
                embedded: EmbeddedDNSSDSource(gauge: OperationGauge { count in operations.update { $0 = count } }))
            let ofAlice = Discovery(sources: [source], advertising: try advertisement("alice", seed: 1, port: 4001))
            let ofBob = Discovery(sources: [DNSSDSource()], advertising: try advertisement("bob", seed: 2, port: 4002))
            // Carol is found by the daemon only. When she is lost, what the daemon had found is void.
            let ofCarol = Discovery(
                sources: [DNSSDDaemonSource()], advertising: try advertisement("carol", seed: 3, port: 4003))
            try await withThrowingTaskGroup { group in
                for discovery in [ofAlice, ofBob, ofCarol] { group.addTask { try await discovery.run() } }
                for (told, discovery) in [(alice, ofAlice), (bob, ofBob)] {
                    group.addTask { for await event in discovery.events { told.update { $0.note(event) } } }
                }
                try await waitForBoth("found") { $0.devices.count == 2 }
                #expect(ofAlice.status.stack == .used(.daemon))

                try PrivateDaemon.crash()
                try await waitForBoth("the embedded stack is used") { $0.stacks.last == Self.embedded }
                #expect(ofAlice.status.stack == .used(.embedded))
                try await waitForBoth("carol is lost") { $0.devices.count == 1 }

                try await PrivateDaemon.start()
                try await waitForBoth("the daemon is used") { $0.stacks.last == Self.daemon }
                try await operations.wait(for: "the embedded stack is gone") { $0 == 0 ? true : nil }
                try await waitForBoth("carol is back") { $0.devices.count == 2 }
                group.cancelAll()
                try await group.waitForAll()
            }
            let told = alice.value
            #expect(told.losses == [deviceID(3)])
            #expect(told.stacks == [Self.daemon, Self.embedded, Self.daemon])
            #expect(told.failures.isEmpty)
            print("moved there and back: \(told.events.count) events, lost: \(told.losses)")
        }
    }
}
