import EarshotModel
import TestSupport
import Testing

@testable import EarshotDiscovery

/// A node's discovery while it runs, for one test.
struct RunningDiscovery {
    let discovery: Discovery
    let task: Task<Void, any Error>
    /// The devices that are there, by the events consumed so far.
    private let known = Watched<Set<DeviceID>>([])

    init(
        _ name: String, seed: UInt8, port: UInt16, source: any DiscoverySource = DNSSDDaemonSource()
    ) throws {
        let discovery = Discovery(sources: [source], advertising: try advertisement(name, seed: seed, port: port))
        self.discovery = discovery
        task = Task { try await discovery.run() }
    }

    /// Consumes events up to the first that is looked for.
    func wait(for isExpected: (DiscoveryEvent) -> Bool) async throws {
        var last: DiscoveryEvent?
        for await event in discovery.events {
            note(event)
            if isExpected(event) { return }
            last = event
        }
        Issue.record("discovery ended before the expected event; the last was \(last.map { "\($0)" } ?? "none at all")")
    }

    /// Consumes events until the device is known, with this port in all its addresses.
    func waitForDevice(_ seed: UInt8, port: UInt16) async throws {
        try await wait { event in
            switch event {
            case .found(let device), .updated(let device):
                device.deviceID == deviceID(seed) && device.addresses.allSatisfy { $0.port == port }
            case .lost, .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere, .malformed: false
            }
        }
    }

    /// Consumes events until so many devices are there.
    func waitForDevices(_ count: Int) async throws {
        try await withDeadline("\(count) devices are there") {
            for await event in discovery.events {
                note(event)
                if known.value.count == count { return }
            }
            throw CancellationError()
        }
    }

    private func note(_ event: DiscoveryEvent) {
        switch event {
        case .found(let device), .updated(let device): known.update { $0.insert(device.deviceID) }
        case .lost(let deviceID): known.update { $0.remove(deviceID) }
        case .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere, .malformed: break
        }
    }

    func stop() async throws {
        task.cancel()
        try await task.value
    }
}
