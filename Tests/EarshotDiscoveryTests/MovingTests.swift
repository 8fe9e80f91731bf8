import EarshotModel
import Synchronization
import Testing

@testable import EarshotDiscovery

/// Takes down what a discovery tells.
private final class EventLog: Sendable {
    private let events = Mutex<[DiscoveryEvent]>([])

    var all: [DiscoveryEvent] { events.withLock { $0 } }
    func append(_ event: DiscoveryEvent) { events.withLock { $0.append(event) } }

    var losses: [DiscoveryEvent] {
        all.filter { event in
            switch event {
            case .lost: true
            case .found, .updated, .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere, .malformed: false
            }
        }
    }

    var sources: [DiscoveryEvent] {
        all.filter { event in
            switch event {
            case .sourceAvailable, .sourceUnavailable: true
            case .found, .updated, .lost, .ownDeviceElsewhere, .malformed: false
            }
        }
    }
}

extension RealNetworkTests {
    @Suite("Discovery by whichever stack is available", .serialized, .timeLimit(.minutes(3)))
    struct MovingTests {
        @Test("moves to the stack in this process when the daemon goes, and back when it returns, and loses nobody")
        func bothWays() async throws {
            let embedded = EmbeddedDNSSDSource()
            let source = DNSSDSource(daemon: DNSSDDaemonSource(), embedded: embedded)
            let alice = Discovery(
                sources: [source], advertising: try advertisement("alice", seed: 1, port: 4001))
            let log = EventLog()
            let bob = Discovery(sources: [DNSSDSource()], advertising: try advertisement("bob", seed: 2, port: 4002))
            // Carol is found by the daemon only. When she is lost, what the daemon had found is void.
            let carol = Discovery(
                sources: [DNSSDDaemonSource()], advertising: try advertisement("carol", seed: 3, port: 4003))
            try await withThrowingTaskGroup { group in
                group.addTask { try await alice.run() }
                group.addTask { try await carol.run() }
                group.addTask { try await bob.run() }
                group.addTask { for await event in alice.events { log.append(event) } }
                try await waitUntil("found") { alice.status.deviceCount == 2 && bob.status.deviceCount == 2 }
                #expect(alice.status.stack == .used(.daemon))

                try PrivateDaemon.crash()
                try await waitUntil("embedded") {
                    alice.status.stack == .used(.embedded) && bob.status.stack == .used(.embedded)
                }
                try await waitUntil("carol is lost") { alice.status.deviceCount == 1 && bob.status.deviceCount == 1 }

                try await PrivateDaemon.start()
                try await waitUntil("daemon") {
                    alice.status.stack == .used(.daemon) && bob.status.stack == .used(.daemon)
                }
                try await waitUntil("the embedded stack is gone") { embedded.operationCount == 0 }
                try await waitUntil("carol is back") { alice.status.deviceCount == 2 && bob.status.deviceCount == 2 }
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(log.losses == [.lost(deviceID(3))])
            #expect(
                log.sources
                    == ["dns-sd daemon", "embedded DNS-SD stack", "dns-sd daemon"].map { .sourceAvailable(source: $0) })
            print("moved there and back: \(log.all.count) events, lost: \(log.losses)")
        }
    }
}
