import EarshotModel
import Synchronization
import Testing

@testable import EarshotDiscovery

/// A source that says what a test has it say.
private struct ScriptedSource: DiscoverySource {
    struct Failure: Error {}

    let name: String
    let reports: [SourceReport]
    var fails = false

    func run(advertising: Advertisement, reporting: @escaping @Sendable (SourceReport) -> Void) async throws {
        for report in reports { reporting(report) }
        if fails { throw Failure() }
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw CancellationError()
    }
}

@Suite("A node's discovery", .timeLimit(.minutes(1)))
struct DiscoveryTests {
    @Test("merges its sources, and its events end when it is cancelled")
    func merging() async throws {
        let bob = try record("bob", seed: 1, at: ["10.0.0.1:4000"])
        let bobElsewhere = try record("bob", seed: 1, at: ["10.9.0.1:4000"])
        let own = try record("me", seed: 9, at: ["127.0.0.1:4000"])
        let discovery = Discovery(
            sources: [
                ScriptedSource(name: "a", reports: [.available(.other("a")), .appeared(own), .appeared(bob)]),
                ScriptedSource(name: "b", reports: [.appeared(bobElsewhere)]),
            ], advertising: try advertisement("me", seed: 9))
        let running = Task { try await discovery.run() }
        var isAvailable = false
        var addresses: Set<String> = []
        for await event in discovery.events {
            switch event {
            case .sourceAvailable(let source): isAvailable = source == "a"
            case .found(let device), .updated(let device):
                #expect(device.deviceID == deviceID(1))
                addresses = Set(device.addresses.map(\.host))
            case .lost, .ownDeviceElsewhere, .malformed, .sourceUnavailable: Issue.record("\(event)")
            }
            if isAvailable, addresses == ["10.0.0.1", "10.9.0.1"] { running.cancel() }
        }
        #expect(addresses.count == 2)
        try await running.value
    }

    @Test("goes on without a failed source, and says so")
    func failure() async throws {
        let bob = try record("bob", seed: 1, at: ["10.0.0.1:4000"])
        let discovery = Discovery(
            sources: [
                ScriptedSource(name: "bad", reports: [.available(.other("bad"))], fails: true),
                ScriptedSource(name: "good", reports: [.appeared(bob)]),
            ], advertising: try advertisement("me", seed: 9))
        let running = Task { try await discovery.run() }
        var seen: Set<String> = []
        for await event in discovery.events {
            switch event {
            case .found: seen.insert("bob")
            case .sourceUnavailable(let source, let reason): seen.insert("\(source) \(reason)")
            case .sourceAvailable, .updated, .lost, .ownDeviceElsewhere, .malformed: break
            }
            if seen == ["bob", "bad Failure()"] { running.cancel() }
        }
        try await running.value
    }

    @Test("can run only once")
    func twice() async throws {
        let discovery = Discovery(sources: [], advertising: try advertisement("me", seed: 9))
        let running = Task { try await discovery.run() }
        running.cancel()
        try await running.value
        await #expect { try await discovery.run() } throws: { ($0 as? DiscoveryError)?.code == .alreadyRunning }
    }

    @Test("lets a consumer stop waiting when its own task is cancelled")
    func consumerCancelled() async throws {
        let discovery = Discovery(sources: [], advertising: try advertisement("me", seed: 9))
        let consumer = Task {
            for await event in discovery.events { Issue.record("\(event)") }
        }
        consumer.cancel()
        await consumer.value
    }
}
