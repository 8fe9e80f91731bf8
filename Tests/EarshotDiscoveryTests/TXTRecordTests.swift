import Testing

@testable import EarshotDiscovery

/// Builds rdata from strings: each with its length before it.
private func rdata(_ strings: String...) -> [UInt8] {
    strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
}

@Suite("A TXT record (RFC 6763 section 6)")
struct TXTRecordTests {
    @Test("is encoded as strings with their length before them")
    func encoding() throws {
        var record = TXTRecord()
        try record.set("v", to: "1")
        try record.set("name", to: "bob")
        #expect(record.encoded == rdata("v=1", "name=bob"))
    }

    @Test("is a single empty string if it has no attributes")
    func empty() throws {
        #expect(TXTRecord().encoded == [0])
        #expect(try TXTRecord(parsing: [0]).attributes.isEmpty)
        #expect(try TXTRecord(parsing: []).attributes.isEmpty)
    }

    @Test("is read back as it was written")
    func roundTrip() throws {
        var record = TXTRecord()
        try record.set("a", to: "=x=")
        try record.set("b", to: "")
        try record.set("c", to: "grüße")
        #expect(try TXTRecord(parsing: record.encoded) == record)
    }

    @Test("tells a key without value from an empty value")
    func noValue() throws {
        let record = try TXTRecord(parsing: rdata("flag", "empty="))
        #expect(record.attributes.map(\.value) == [nil, []])
        #expect(record.text("flag") == nil)
        #expect(record.text("empty") == "")
    }

    @Test("compares keys without regard to case, and the first one counts")
    func duplicates() throws {
        let record = try TXTRecord(parsing: rdata("Name=first", "nAME=second"))
        #expect(record.text("name") == "first")
        #expect(record.attributes.count == 1)
    }

    @Test("ignores empty strings and strings without a key")
    func ignored() throws {
        #expect(try TXTRecord(parsing: rdata("", "=lost", "a=1")).attributes.map(\.key) == ["a"])
    }

    @Test("replaces a value that is set again")
    func replacing() throws {
        var record = TXTRecord()
        try record.set("a", to: "1")
        try record.set("A", to: "2")
        #expect(record.encoded == rdata("A=2"))
    }

    @Test(
        "is refused if it is garbage",
        arguments: [
            [5, 0x61],  // shorter than its length says
            [255],
            [3, 0x07, 0x3d, 0x31],  // a control character in a key
            [3, 0xc3, 0xbc, 0x3d],  // a key that is not ASCII
        ] as [[UInt8]])
    func garbage(bytes: [UInt8]) {
        #expect { try TXTRecord(parsing: bytes) } throws: { ($0 as? DiscoveryError)?.code == .malformedTXT }
    }

    @Test("never crashes its reader, whatever its bytes are")
    func fuzz() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            // Small bytes are often a length that fits, so that some records are read to their end.
            let mask: UInt8 = Bool.random(using: &generator) ? 0x0f : 0xff
            let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator) & mask
            }
            do {
                let announcement = try Announcement(TXTRecord(parsing: bytes))
                Issue.record("random bytes announce \(announcement)")
            } catch {
                #expect([.malformedTXT, .invalidAnnouncement].contains(error.code))
            }
        }
    }

    @Test("is bounded, read and written")
    func bounds() throws {
        let long = [UInt8](repeating: 0, count: TXTRecord.maximumBytes + 1)
        #expect { try TXTRecord(parsing: long) } throws: { ($0 as? DiscoveryError)?.code == .malformedTXT }
        var record = TXTRecord()
        try record.set("k", to: String(repeating: "x", count: 253))
        #expect { try record.set("k", to: String(repeating: "x", count: 254)) } throws: {
            ($0 as? DiscoveryError)?.code == .valueTooLong
        }
        for key in ["l", "m", "n", "o"] { try record.set(key, to: String(repeating: "x", count: 253)) }
        #expect { try record.set("p", to: String(repeating: "x", count: 20)) } throws: {
            ($0 as? DiscoveryError)?.code == .valueTooLong
        }
    }
}
