import Testing

@testable import EarshotDiscovery

@Suite("A datagram on the port of multicast DNS")
struct DNSMessageCheckTests {
    private static let service = "_earshot._tcp.local"

    @Test("is fit if it asks: with known answers, truncated, as a probe, for any type, with options")
    func questions() {
        let asked = [(DNSMessage.name(Self.service), DNSMessage.RecordType.pointer)]
        let known = DNSMessage.Record(
            name: DNSMessage.pointer(to: 12), type: .pointer, data: DNSMessage.name("bob", thenAt: 12))
        let proposed = DNSMessage.Record(
            name: DNSMessage.pointer(to: 12), type: .service,
            data: [0, 0, 0, 0, 15, 160] + DNSMessage.name("bob.local"))
        let options = DNSMessage.Record(name: [0], type: .options, data: [0, 4, 0, 2, 1, 2])
        expectFit(DNSMessage(flags: 0, questions: asked))
        expectFit(DNSMessage(flags: 0, questions: asked, answers: [known]))
        expectFit(DNSMessage(flags: 0x0200, questions: asked, answers: [known, known]))
        expectFit(
            DNSMessage(flags: 0, questions: [(DNSMessage.name("bob.local"), .any)], authorities: [proposed]))
        expectFit(DNSMessage(flags: 0, questions: asked, additionals: [options]))
        // A question for aliases makes none.
        expectFit(DNSMessage(flags: 0, questions: [(DNSMessage.name("bob.local"), .canonicalName)]))
    }

    @Test("is fit if it answers with any type that stacks send, and with compressed names")
    func announcement() {
        let instance = DNSMessage.name("bob", thenAt: 12)
        let message = DNSMessage(
            answers: [
                DNSMessage.Record(name: DNSMessage.name(Self.service), type: .pointer, data: instance),
                DNSMessage.Record(name: instance, type: .text, data: [3] + Array("v=1".utf8)),
                DNSMessage.Record(
                    name: instance, type: .service,
                    // local, within _earshot._tcp.local, which stands behind the header.
                    data: [0, 0, 0, 0, 15, 160] + DNSMessage.name("host", thenAt: 12 + 9 + 5)),
            ],
            additionals: [
                DNSMessage.Record(name: DNSMessage.name("host.local"), type: .a, data: [10, 0, 0, 1]),
                DNSMessage.Record(
                    name: DNSMessage.name("host.local"), type: .ipv6, data: [UInt8](repeating: 1, count: 16)),
                DNSMessage.Record(name: DNSMessage.name("host.local"), type: .hostInfo, data: [3, 65, 82, 77, 0]),
                DNSMessage.Record(
                    name: instance, type: .nextSecure, data: instance + [0, 5, 0, 0, 128, 0, 64]),
                DNSMessage.Record(name: [0], type: .options, data: []),
            ])
        expectFit(message)
    }

    @Test("is fit with the longest name, and with bytes after the last record")
    func edges() {
        let label = String(repeating: "x", count: 63)
        let longest = [label, label, label, String(label.prefix(61))].joined(separator: ".")
        let message = DNSMessage(flags: 0, questions: [(DNSMessage.name(longest), .a)])
        expectFit(message)
        #expect(DNSMessageCheck.fault(in: (message.bytes + [1, 2, 3])[...]) == nil)
        let tooLong = DNSMessage(flags: 0, questions: [(DNSMessage.name(longest + "x"), .a)])
        #expect(DNSMessageCheck.fault(in: tooLong.bytes[...]) == .malformed)
        let manyLabels = DNSMessage.name(Array(repeating: "x", count: 127).joined(separator: "."))
        expectFit(DNSMessage(flags: 0, questions: [(manyLabels, .a)]))
    }

    @Test("is unfit with an alias in any section, of itself or of another name")
    func aliases() {
        let other = DNSMessage.Record(name: DNSMessage.name("bob.local"), type: .a, data: [10, 0, 0, 1])
        let aliases = [
            DNSMessage.alias(Self.service, of: Self.service), DNSMessage.alias("bob.local", of: "carol.local"),
            DNSMessage.Record(
                name: DNSMessage.name("bob.local"), type: .canonicalName, data: DNSMessage.pointer(to: 12)),
            DNSMessage.Record(name: DNSMessage.name("bob.local"), type: .canonicalName, data: []),
        ]
        for alias in aliases {
            for flags in [UInt16(0), 0x8400] {
                for message in [
                    DNSMessage(flags: flags, answers: [other, alias]),
                    DNSMessage(flags: flags, answers: [other], authorities: [alias]),
                    DNSMessage(flags: flags, answers: [other], additionals: [alias]),
                ] {
                    #expect(DNSMessageCheck.fault(in: message.bytes[...]) == .canonicalName)
                }
            }
        }
    }

    @Test("is unfit if a pointer leads to itself, forwards, into the header, or in a circle")
    func pointers() {
        let names: [[UInt8]] = [
            DNSMessage.pointer(to: 12), DNSMessage.name("x", thenAt: 12), DNSMessage.name("x", thenAt: 14),
            DNSMessage.pointer(to: 14), DNSMessage.pointer(to: 0), DNSMessage.pointer(to: 0x3fff), [0x40, 1],
            [0x80, 1],
        ]
        for name in names {
            let message = DNSMessage(flags: 0, questions: [(name, .a)])
            #expect(DNSMessageCheck.fault(in: message.bytes[...]) == .malformed)
        }
        // The second name leads to the first, which leads to the second.
        let circle = DNSMessage(
            flags: 0, questions: [(DNSMessage.pointer(to: 18), .a), (DNSMessage.pointer(to: 12), .a)])
        #expect(DNSMessageCheck.fault(in: circle.bytes[...]) == .malformed)
    }

    @Test("is unfit with a chain of more pointers than a name has labels")
    func chain() {
        let places = DNSMessageCheck.maximumNameParts + 1
        let first = (name: DNSMessage.name("x"), type: DNSMessage.RecordType.a)
        // The first name takes 3 bytes, each pointer 2, and what follows a name 4.
        let targets: [UInt16] = [12] + (0..<places).map { 19 + 6 * UInt16($0) }
        let pointers = targets.map { (name: DNSMessage.pointer(to: $0), type: DNSMessage.RecordType.a) }
        let message = DNSMessage(flags: 0, questions: [first] + pointers)
        #expect(DNSMessageCheck.fault(in: message.bytes[...]) == .malformed)
        expectFit(DNSMessage(flags: 0, questions: [first] + pointers.prefix(100)))
    }

    @Test("is unfit if it is cut off anywhere, or claims to hold more than it does")
    func truncated() {
        let message = DNSMessage(
            questions: [(DNSMessage.name(Self.service), .pointer)],
            answers: [
                DNSMessage.Record(
                    name: DNSMessage.pointer(to: 12), type: .pointer, data: DNSMessage.name("bob", thenAt: 12)),
                DNSMessage.Record(name: DNSMessage.name("bob.local"), type: .a, data: [10, 0, 0, 1]),
            ]
        ).bytes
        for count in message.indices {
            #expect(DNSMessageCheck.fault(in: message.prefix(count)) == .malformed)
        }
        for place in stride(from: 4, to: 12, by: 2) {
            var promising = message
            promising[place] = 0xff
            #expect(DNSMessageCheck.fault(in: promising[...]) != nil)
        }
    }

    @Test("is unfit if a name in a record ends before or after the record")
    func recordLengths() {
        let service: [UInt8] = [0, 0, 0, 0, 15, 160]
        let hostile: [(DNSMessage.RecordType, [UInt8])] = [
            (.pointer, []), (.pointer, DNSMessage.name("bob.local") + [0]), (.pointer, [3, 98, 111]),
            (.service, service),
            (.service, []), (.service, service + DNSMessage.name("bob.local") + [7]),
        ]
        let next = DNSMessage.Record(name: DNSMessage.name("bob.local"), type: .a, data: [10, 0, 0, 1])
        for (type, data) in hostile {
            let record = DNSMessage.Record(name: DNSMessage.name(Self.service), type: type, data: data)
            #expect(DNSMessageCheck.fault(in: DNSMessage(answers: [record, next]).bytes[...]) == .malformed)
        }
    }

    @Test("is unfit above 9,000 bytes")
    func tooLong() {
        let filler = DNSMessage.Record(name: [0], type: .text, data: [UInt8](repeating: 0, count: 9000 - 12 - 11))
        let message = DNSMessage(answers: [filler]).bytes
        #expect(message.count == DNSMessageCheck.maximumBytes)
        #expect(DNSMessageCheck.fault(in: message[...]) == nil)
        #expect(DNSMessageCheck.fault(in: (message + [0])[...]) == .tooLong)
    }

    private func expectFit(_ message: DNSMessage, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(DNSMessageCheck.fault(in: message.bytes[...]) == nil, sourceLocation: sourceLocation)
    }
}
