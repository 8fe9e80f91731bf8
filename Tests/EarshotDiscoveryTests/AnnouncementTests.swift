import EarshotModel
import Testing

@testable import EarshotDiscovery

@Suite("An announcement")
struct AnnouncementTests {
    @Test("says who advertises: version, name, fingerprint, device and network tag")
    func contents() throws {
        let advertisement = try advertisement("Ana María", seed: 7, networkTag: "office")
        let announcement = try Announcement(TXTRecord(parsing: advertisement.txtRecord().encoded))
        #expect(announcement.protocolVersion == 2)
        #expect(announcement.name.text == "Ana María")
        #expect(announcement.deviceID == advertisement.deviceID)
        #expect(announcement.networkTag == "office")
        #expect(announcement.fingerprint == advertisement.userID.fingerprint.replacing(" ", with: ""))
        #expect(announcement.fingerprint.count == 20)
    }

    @Test("has the key net only if there is a network tag")
    func withoutTag() throws {
        let record = try advertisement("bob", seed: 1).txtRecord()
        #expect(record.attributes.map(\.key) == ["v", "name", "id", "dev"])
        #expect(try Announcement(record).networkTag == nil)
    }

    @Test("is not sent with a network tag that readers would refuse")
    func badTag() throws {
        let long = try advertisement("bob", seed: 1, networkTag: String(repeating: "x", count: 65))
        #expect(throws: DiscoveryError.self) { try long.txtRecord() }
        let control = try advertisement("bob", seed: 1, networkTag: "a\nb")
        #expect(throws: DiscoveryError.self) { try control.txtRecord() }
    }

    @Test(
        "is refused if a value is invalid",
        arguments: [
            ("v", "one"), ("v", "0"), ("v", "1000"), ("v", "02"), ("v", "+2"), ("v", "2 "), ("name", ""),
            ("name", "a\u{7}"),
            ("name", "\u{202E}bob"), ("name", "a\u{2069}b"), ("name", "a\u{1B}[2Jb"),
            ("name", String(repeating: "n", count: 64)), ("id", "short"), ("id", String(repeating: "u", count: 20)),
            ("dev", "0"), ("dev", String(repeating: "z", count: 52)), ("net", ""),
            ("net", String(repeating: "n", count: 65)),
        ])
    func wrongValue(key: String, value: String) throws {
        var record = try advertisement("bob", seed: 1).txtRecord()
        try record.set(key, to: value)
        #expect { try Announcement(record) } throws: { ($0 as? DiscoveryError)?.code == .invalidAnnouncement }
    }

    @Test("is refused if one of its keys is missing", arguments: ["v", "name", "id", "dev"])
    func missingKey(key: String) throws {
        var record = TXTRecord()
        for attribute in try advertisement("bob", seed: 1).txtRecord().attributes where attribute.key != key {
            try record.set(attribute.key, to: String(decoding: attribute.value ?? [], as: UTF8.self))
        }
        #expect { try Announcement(record) } throws: { "\($0)".contains("'\(key)'") }
    }

    @Test("of a later version is read")
    func laterVersion() throws {
        var record = try advertisement("bob", seed: 1).txtRecord()
        try record.set("v", to: "3")
        try record.set("new", to: "x")
        #expect(try Announcement(record).protocolVersion == 3)
    }
}

@Suite("An instance name")
struct InstanceNameTests {
    @Test("is the user's name and the beginning of the device id")
    func short() throws {
        let advertisement = try advertisement("bob", seed: 9)
        #expect(advertisement.instanceName == "bob \(advertisement.deviceID.description.prefix(8))")
    }

    @Test("shortens a long name at a character, and never the device")
    func long() throws {
        let family = "👨‍👩‍👧"  // 18 bytes, one character
        let suffix = deviceID(9).description.prefix(8)
        let fitting = try advertisement(family + family + family, seed: 9)
        #expect(fitting.instanceName == "\(family)\(family)\(family) \(suffix)")
        #expect(fitting.instanceName.utf8.count == 63)
        let longer = try advertisement("x" + family + family + family, seed: 9)
        #expect(longer.instanceName == "x\(family)\(family) \(suffix)")
    }

    @Test("has no space at the place where the name was cut")
    func space() throws {
        let start = String(repeating: "a", count: 53)
        let advertisement = try advertisement(start + " bcdef", seed: 9)
        #expect(advertisement.instanceName == "\(start) \(advertisement.deviceID.description.prefix(8))")
    }
}
