import EarshotModel
import Testing

@testable import EarshotDiscovery

@Suite("Events of discovery that wait")
struct PendingEventsTests {
    private var pending = PendingEvents()

    private static func device(_ seed: UInt8, port: UInt16 = 1) throws -> DiscoveredDevice {
        DiscoveredDevice(
            deviceID: deviceID(seed), name: try UserName("u"), fingerprint: "", protocolVersion: 1, networkTag: nil,
            addresses: [PeerAddress(host: "10.0.0.1", port: port)])
    }

    private mutating func drain() -> [DiscoveryEvent] {
        var events: [DiscoveryEvent] = []
        while let event = pending.pop() { events.append(event) }
        return events
    }

    @Test("keep the order in which their devices appeared")
    mutating func order() throws {
        pending.push(.sourceAvailable(source: "a"))
        pending.push(.found(try Self.device(2)))
        pending.push(.lost(deviceID(1)))
        #expect(drain() == [.sourceAvailable(source: "a"), .found(try Self.device(2)), .lost(deviceID(1))])
        #expect(pending.count == 0)
    }

    @Test("merge for a device: found and updated become found, with the update")
    mutating func foundUpdated() throws {
        pending.push(.found(try Self.device(1)))
        pending.push(.updated(try Self.device(1, port: 2)))
        #expect(drain() == [.found(try Self.device(1, port: 2))])
    }

    @Test("cancel each other out if a device was found and lost, and start anew after that")
    mutating func foundLost() throws {
        pending.push(.found(try Self.device(1)))
        pending.push(.found(try Self.device(2)))
        pending.push(.lost(deviceID(1)))
        pending.push(.found(try Self.device(1, port: 3)))
        #expect(drain() == [.found(try Self.device(2)), .found(try Self.device(1, port: 3))])
    }

    @Test("become an update if a device was lost and found again, and lost if it was updated and lost")
    mutating func lostFound() throws {
        pending.push(.lost(deviceID(1)))
        pending.push(.found(try Self.device(1, port: 2)))
        #expect(drain() == [.updated(try Self.device(1, port: 2))])
        pending.push(.updated(try Self.device(1)))
        pending.push(.lost(deviceID(1)))
        #expect(drain() == [.lost(deviceID(1))])
    }

    @Test("show the last state of each source")
    mutating func sources() {
        pending.push(.sourceUnavailable(source: "a", reason: "x"))
        pending.push(.sourceAvailable(source: "a"))
        pending.push(.sourceUnavailable(source: "b", reason: "y"))
        #expect(drain() == [.sourceAvailable(source: "a"), .sourceUnavailable(source: "b", reason: "y")])
    }

    @Test("keep the place of a source's latest event, so that the last stack reported is the one in use")
    mutating func stacks() throws {
        for stack in ["daemon", "embedded", "daemon"] { pending.push(.sourceAvailable(source: stack)) }
        #expect(drain() == [.sourceAvailable(source: "embedded"), .sourceAvailable(source: "daemon")])
    }

    @Test("include a bounded number of unreadable records, which push nothing else out")
    mutating func malformed() throws {
        for number in 0..<1000 { pending.push(.malformed(instance: "\(number)", reason: "")) }
        pending.push(.found(try Self.device(1)))
        #expect(pending.count == PendingEvents.malformedLimit + 1)
        #expect(drain().last == .found(try Self.device(1)))
        pending.push(.malformed(instance: "later", reason: ""))
        #expect(drain() == [.malformed(instance: "later", reason: "")])
    }

    @Test("give a slow consumer the same view as a fast one")
    mutating func equivalence() throws {
        var generator = SystemRandomNumberGenerator()
        var truth: [DeviceID: DiscoveredDevice] = [:]
        var view: [DeviceID: DiscoveredDevice] = [:]
        func apply(_ event: DiscoveryEvent) {
            switch event {
            case .found(let device):
                #expect(view.updateValue(device, forKey: device.deviceID) == nil, "found twice")
            case .updated(let device):
                #expect(view.updateValue(device, forKey: device.deviceID) != nil, "updated before it was found")
            case .lost(let deviceID):
                #expect(view.removeValue(forKey: deviceID) != nil, "lost before it was found")
            case .sourceAvailable, .sourceUnavailable, .ownDeviceElsewhere, .malformed: break
            }
        }
        for step in 0..<5000 {
            let device = try Self.device(UInt8.random(in: 1...20, using: &generator), port: UInt16(step % 7 + 1))
            let isThere = truth[device.deviceID] != nil
            if isThere, Bool.random(using: &generator) {
                truth[device.deviceID] = nil
                pending.push(.lost(device.deviceID))
            } else {
                truth[device.deviceID] = device
                pending.push(isThere ? .updated(device) : .found(device))
            }
            if Int.random(in: 0..<3, using: &generator) == 0, let event = pending.pop() { apply(event) }
        }
        for event in drain() { apply(event) }
        #expect(view == truth)
    }
}
