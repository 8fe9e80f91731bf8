import EarshotModel
import Testing

@testable import EarshotDiscovery

@Suite("The table of devices")
struct DeviceTableTests {
    private var table: DeviceTable

    init() throws {
        let own = try advertisement("me", seed: 0, port: 4000)
        table = DeviceTable(own: own, ownAddresses: { ["10.0.0.1", "fe80::1%eth0"] }, capacity: 3)
    }

    private static func addresses(_ events: [DiscoveryEvent]) -> [String]? {
        switch events.last {
        case .found(let device), .updated(let device): device.addresses.map(\.description)
        default: nil
        }
    }

    @Test("reports a device as found once, however many records it has")
    mutating func foundOnce() throws {
        let record = try record("bob", seed: 1, at: ["10.0.0.1:4000"])
        let first = table.received(.appeared(record), from: "a")
        let expected = DiscoveredDevice(
            deviceID: deviceID(1), name: try UserName("bob"), fingerprint: record.announcement.fingerprint,
            protocolVersion: 2, networkTag: nil, addresses: record.addresses)
        #expect(first == [.found(expected)])
        #expect(table.received(.appeared(record), from: "a") == [])
        #expect(table.received(.appeared(record), from: "b") == [])
    }

    @Test("leaves out this node's own device")
    mutating func ownDevice() throws {
        let own = try record("me", seed: 0, at: ["10.0.0.1:4000"])
        #expect(table.received(.appeared(own), from: "a") == [])
        #expect(table.received(.disappeared(own.key), from: "a") == [])
    }

    @Test("reports this node's own device elsewhere: at another port, or at an address of another host")
    mutating func copies() throws {
        let port = try record("me", seed: 0, on: "eth0", at: ["10.0.0.1:5000"])
        let host = try record("me", seed: 0, on: "wlan0", at: ["10.0.0.7:4000", "10.0.0.1:4000"])
        let local = try record("me", seed: 0, on: "eth0", .ipv6, at: ["[fe80::1%eth0]:4000"])
        #expect(table.received(.appeared(local), from: "a") == [])
        let first = [PeerAddress(host: "10.0.0.1", port: 5000)]
        #expect(table.received(.appeared(port), from: "a") == [.ownDeviceElsewhere(addresses: first)])
        #expect(table.received(.appeared(port), from: "a") == [], "told once")
        #expect(table.received(.appeared(port), from: "b") == [], "nothing new")
        let both = first + [PeerAddress(host: "10.0.0.7", port: 4000)]
        #expect(table.received(.appeared(host), from: "a") == [.ownDeviceElsewhere(addresses: both)])
        #expect(table.received(.disappeared(port.key), from: "a") == [])
        #expect(
            table.received(.unavailable(reason: "x"), from: "b").last
                == .ownDeviceElsewhere(addresses: Array(both.dropFirst())), "one of the two is gone")
        #expect(
            table.received(.appeared(port), from: "a") == [.ownDeviceElsewhere(addresses: both)], "it has come back")
        #expect(table.received(.disappeared(host.key), from: "a") == [.ownDeviceElsewhere(addresses: first)])
        #expect(table.received(.disappeared(port.key), from: "a") == [.ownDeviceElsewhere(addresses: [])], "all gone")
        #expect(table.received(.disappeared(port.key), from: "a") == [])
    }

    @Test("keeps a bounded number of records of this node's own device")
    mutating func copyLimit() throws {
        for number in 0..<DeviceTable.recordsPerDevice {
            let copy = try record("me", seed: 0, on: "eth\(number)", at: ["10.0.1.\(number):1"])
            #expect(table.received(.appeared(copy), from: "a").count == 1)
        }
        #expect(table.received(.appeared(try record("me", seed: 0, on: "x", at: ["10.0.2.1:1"])), from: "a") == [])
    }

    @Test("says which stack works, or why none does")
    mutating func stack() {
        #expect(table.stack == .none(reason: "no source has answered yet"))
        _ = table.received(.unavailable(reason: "gone"), from: "a")
        #expect(table.stack == .none(reason: "a: gone"))
        #expect(
            table.received(.available(.embedded), from: "b") == [.sourceAvailable(source: "embedded DNS-SD stack")])
        #expect(table.stack == .used(.embedded))
        #expect(table.received(.available(.daemon), from: "b") == [.sourceAvailable(source: "dns-sd daemon")])
        #expect(table.stack == .used(.daemon))
    }

    @Test("loses a device only with its last record")
    mutating func lastRecord() throws {
        let v4 = try record("bob", seed: 1, .ipv4, at: ["10.0.0.1:4000"])
        let v6 = try record("bob", seed: 1, .ipv6, at: ["[fd00::1]:4000"])
        let wlan = try record("bob", seed: 1, on: "wlan0", at: ["10.9.0.1:4000"])
        for (report, source) in [(v4, "a"), (v6, "a"), (wlan, "a"), (v4, "b")] {
            _ = table.received(.appeared(report), from: source)
        }
        #expect(Self.addresses(table.received(.disappeared(v6.key), from: "a")) == ["10.0.0.1:4000", "10.9.0.1:4000"])
        #expect(Self.addresses(table.received(.disappeared(wlan.key), from: "a")) == ["10.0.0.1:4000"])
        #expect(table.received(.disappeared(v4.key), from: "a") == [], "the other source still sees it")
        #expect(table.received(.disappeared(v4.key), from: "b") == [.lost(deviceID(1))])
        #expect(table.received(.disappeared(v4.key), from: "b") == [])
    }

    @Test("orders addresses: routable, link-local, loopback")
    mutating func order() throws {
        _ = table.received(.appeared(try record("bob", seed: 1, on: "lo", at: ["127.0.0.1:4000"])), from: "a")
        let local = try record("bob", seed: 1, .ipv6, at: ["[fe80::1%eth0]:4000"])
        _ = table.received(.appeared(local), from: "a")
        let events = table.received(.appeared(try record("bob", seed: 1, at: ["10.0.0.1:4000"])), from: "a")
        #expect(Self.addresses(events) == ["10.0.0.1:4000", "[fe80::1%eth0]:4000", "127.0.0.1:4000"])
    }

    @Test("keeps a bounded number of addresses of a record, the best of each record first")
    mutating func addressLimit() throws {
        let many = (10...30).map { "10.0.0.\($0):4000" }
        _ = table.received(.appeared(try record("bob", seed: 1, on: "lo", at: ["127.0.0.1:4000"])), from: "a")
        let events = table.received(.appeared(try record("bob", seed: 1, at: many)), from: "a")
        let best = many.prefix(Limits.addressesPerDevice)
        #expect(Self.addresses(events) == [best[0], "127.0.0.1:4000"] + best.dropFirst())
    }

    @Test("keeps its addresses when somebody else advertises others for the same device")
    mutating func forgedAddresses() throws {
        let honest = try record("bob", seed: 1, at: ["192.168.1.7:4000", "192.168.1.8:4000"])
        _ = table.received(.appeared(honest), from: "a")
        let one = try record("bob", seed: 1, on: "forged", at: (1...8).map { "10.0.0.\($0):1" })
        let pooled = Self.addresses(table.received(.appeared(one), from: "a")) ?? []
        #expect(Set(pooled.prefix(4)) == ["10.0.0.1:1", "192.168.1.7:4000", "10.0.0.2:1", "192.168.1.8:4000"])
        for number in 2..<DeviceTable.recordsPerDevice {
            let forged = (1...8).map { "10.0.\(number).\($0):1" }
            let record = try record("bob", seed: 1, on: "forged \(number)", at: forged)
            let addresses = Self.addresses(table.received(.appeared(record), from: "a")) ?? []
            #expect(addresses.prefix(number + 1).contains("192.168.1.7:4000"), "\(number) forged records")
            #expect(addresses.count <= Limits.advertisedAddresses)
        }
    }

    @Test("replaces the old port with the new one")
    mutating func newPort() throws {
        _ = table.received(.appeared(try record("bob", seed: 1, at: ["10.0.0.1:4000"])), from: "a")
        let events = table.received(.appeared(try record("bob", seed: 1, at: ["10.0.0.1:4001"])), from: "a")
        #expect(Self.addresses(events) == ["10.0.0.1:4001"])
    }

    @Test("keeps the newest name of a device")
    mutating func newName() throws {
        _ = table.received(.appeared(try record("bob", seed: 1, at: ["10.0.0.1:4000"])), from: "a")
        let events = table.received(.appeared(try record("robert", seed: 1, .ipv6, at: ["[fd00::1]:4000"])), from: "a")
        guard case .updated(let device) = events.first else {
            Issue.record("not an update: \(events)")
            return
        }
        #expect(device.name.text == "robert")
        #expect(device.addresses.count == 2)
    }

    @Test(
        "counts a device as one of this node's network while any of its records says so, even if a newer one does not")
    mutating func otherNetwork() throws {
        let bob = try record("bob", seed: 1, at: ["10.0.0.1:4000"])
        let lie = try record("bob", seed: 1, on: "wlan0", at: ["10.6.6.6:4000"], networkTag: "other")
        _ = table.received(.appeared(bob), from: "a")
        #expect(table.received(.appeared(lie), from: "a") == [], "nothing of it counts")
        guard case .updated(let device) = table.received(.disappeared(bob.key), from: "a").first else {
            Issue.record("bob is still there")
            return
        }
        #expect(device.networkTag == "other")
        #expect(Self.addresses(table.received(.appeared(bob), from: "a")) == ["10.0.0.1:4000"])
    }

    @Test("counts a device as one of this node's version while any of its records says so")
    mutating func otherVersion() throws {
        let bob = try record("bob", seed: 1, at: ["10.0.0.1:4000"])
        let old = bob.announcement
        let announcement = Announcement(
            deviceID: old.deviceID, name: old.name, fingerprint: old.fingerprint, protocolVersion: 1, networkTag: nil)
        let key = ServiceRecord.Key(instance: "other", interface: "eth0", family: .ipv4)
        let lie = ServiceRecord(key: key, announcement: announcement, addresses: bob.addresses)
        _ = table.received(.appeared(bob), from: "a")
        #expect(table.received(.appeared(lie), from: "a") == [])
    }

    @Test("loses a device when another one takes over its record")
    mutating func takeover() throws {
        let bob = try record("bob", seed: 1, at: ["10.0.0.1:4000"])
        _ = table.received(.appeared(bob), from: "a")
        let eve = ServiceRecord(
            key: bob.key, announcement: try announcement("eve", seed: 2), addresses: bob.addresses)
        let events = table.received(.appeared(eve), from: "a")
        #expect(events.count == 2)
        #expect(events.first == .lost(deviceID(1)))
        #expect(table.received(.disappeared(bob.key), from: "a") == [.lost(deviceID(2))])
    }

    @Test("loses devices that only an unavailable source saw, and reports the source once")
    mutating func unavailable() throws {
        let bob = try record("bob", seed: 1, at: ["10.0.0.1:4000"])
        let eve = try record("eve", seed: 2, at: ["10.0.0.2:4000"])
        #expect(table.received(.available(.other("a")), from: "a") == [.sourceAvailable(source: "a")])
        #expect(table.received(.available(.other("a")), from: "a") == [])
        for (record, source) in [(bob, "a"), (eve, "a"), (eve, "b")] {
            _ = table.received(.appeared(record), from: source)
        }
        let gone = DiscoveryEvent.sourceUnavailable(source: "a", reason: "gone")
        #expect(table.received(.unavailable(reason: "gone"), from: "a") == [gone, .lost(deviceID(1))])
        #expect(table.received(.unavailable(reason: "gone"), from: "a") == [])
        #expect(table.received(.available(.other("a")), from: "a") == [.sourceAvailable(source: "a")])
    }

    @Test("tracks a bounded number of devices, and reports the first one beyond it")
    mutating func capacity() throws {
        for seed in 1...3 as ClosedRange<UInt8> {
            let events = table.received(.appeared(try record("u", seed: seed, at: ["10.0.0.1:1"])), from: "a")
            #expect(events.count == 1)
        }
        let fourth = try record("u", seed: 4, at: ["10.0.0.1:1"])
        guard case .malformed("instance 4", _) = table.received(.appeared(fourth), from: "a").first else {
            Issue.record("the fourth of three is taken")
            return
        }
        let second = ServiceRecord.Key(instance: "instance 2", interface: "eth0", family: .ipv4)
        _ = table.received(.disappeared(second), from: "a")
        #expect(Self.addresses(table.received(.appeared(fourth), from: "a")) == ["10.0.0.1:1"])
    }

    @Test("tracks ten thousand devices, and reports one more")
    mutating func flood() throws {
        let own = try advertisement("me", seed: 0, port: 4000)
        table = DeviceTable(own: own, ownAddresses: { [] })
        let said = try announcement("u", seed: 1)
        for number in 0...Limits.discoveredDevices {
            let bytes = [UInt8](repeating: 7, count: 30) + [UInt8(number >> 8), UInt8(number & 0xff)]
            let announcement = Announcement(
                deviceID: DeviceID(try #require(Bytes32(bytes))), name: said.name, fingerprint: said.fingerprint,
                protocolVersion: 2, networkTag: nil)
            let key = ServiceRecord.Key(instance: "i\(number)", interface: "eth0", family: .ipv4)
            let address = PeerAddress(host: "10.0.0.1", port: 1)
            let record = ServiceRecord(key: key, announcement: announcement, addresses: [address])
            let events = table.received(.appeared(record), from: "a")
            if number < Limits.discoveredDevices { continue }
            guard case .malformed = events.first else {
                Issue.record("one device too many is taken: \(events)")
                return
            }
        }
        #expect(table.deviceCount == Limits.discoveredDevices)
    }

    @Test("tracks a bounded number of records of one device")
    mutating func recordLimit() throws {
        for number in 0..<DeviceTable.recordsPerDevice {
            _ = table.received(.appeared(try record("u", seed: 1, on: "eth\(number)", at: ["10.0.0.1:1"])), from: "a")
        }
        let events = table.received(.appeared(try record("u", seed: 1, on: "more", at: ["10.0.0.9:1"])), from: "a")
        guard case .malformed = events.first else {
            Issue.record("one record too many is taken: \(events)")
            return
        }
    }
}
