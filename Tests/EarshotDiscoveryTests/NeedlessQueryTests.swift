import Testing

@testable import EarshotDiscovery

@Suite("What a query wants of a node")
struct NeedlessQueryTests {
    private static let service = DNSMessage.name("_earshot._tcp.local")
    private static let names = AdvertisedNames(instance: "bob 081040g2", hostName: "earshot-081040g2")

    private static func known(_ instance: String, seconds: UInt32 = 4500) -> DNSMessage.Record {
        DNSMessage.Record(
            name: DNSMessage.pointer(to: 12), type: .pointer, data: DNSMessage.name(instance, thenAt: 12),
            seconds: seconds)
    }

    private static func want(_ message: DNSMessage) -> DNSMessageCheck.Want {
        DNSMessageCheck.want(of: message.bytes[...], from: names)
    }

    private static func question(
        _ name: [UInt8], _ type: DNSMessage.RecordType, besides others: [DNSMessage.Question] = []
    ) -> DNSMessage {
        DNSMessage(flags: 0, questions: others + [(name, type)])
    }

    @Test("is nothing if the node is among the answers that it knows, however many others are")
    func known() {
        let others = (0..<30).map { Self.known("node \($0)") }
        let query = DNSMessage(
            flags: 0, questions: [(Self.service, .pointer)], answers: others + [Self.known("bob 081040g2")] + others)
        #expect(Self.want(query) == .nothing)
        var truncated = query
        truncated.flags = 0x0200
        #expect(Self.want(truncated) == .nothing)
    }

    @Test("is its instance if it does not know that, or soon forgets it")
    func unknown() {
        for answers in [
            [], [Self.known("carol")], [Self.known("bob")], [Self.known("bob 081040g2 #2")],
            [Self.known("bob 081040g2", seconds: 2249)],
        ] {
            var query = DNSMessage(flags: 0, questions: [(Self.service, .pointer)], answers: answers)
            #expect(Self.want(query) == .instances(isWhole: true))
            query.flags = 0x0200
            #expect(Self.want(query) == .instances(isWhole: false))
        }
    }

    @Test("is nothing if it is about other names alone, or about those besides")
    func otherNames() {
        let names = [
            DNSMessage.name("carol.local"), DNSMessage.name("carol._earshot._tcp.local"),
            DNSMessage.name("081040g2._earshot._tcp.local"), DNSMessage.name("_earshot._udp.local"), [0],
            DNSMessage.name("bob 081040g2._earshot._tcp.local.local"),
        ]
        for name in names {
            for type in [DNSMessage.RecordType.service, .text, .a, .pointer, .any] {
                #expect(Self.want(Self.question(name, type)) == .nothing)
                #expect(
                    Self.want(Self.question(name, type, besides: [(Self.service, .pointer)]))
                        == .instances(isWhole: true))
                var query = Self.question(name, type, besides: [(Self.service, .pointer)])
                query.answers = [Self.known("bob 081040g2")]
                #expect(Self.want(query) == .nothing)
            }
        }
        let pointed = Self.question(DNSMessage.name("alice", thenAt: 12), .service, besides: [(Self.service, .pointer)])
        #expect(Self.want(pointed) == .instances(isWhole: true))
    }

    @Test("may be anything if it is about one of the node's names, in whatever letters and however it is written")
    func ownNames() {
        let names = [
            DNSMessage.name("bob 081040g2._earshot._tcp.local"), DNSMessage.name("BOB 081040G2._Earshot._TCP.Local"),
            DNSMessage.name("earshot-081040g2.local"), DNSMessage.name("_services._dns-sd._udp.local"),
        ]
        for name in names {
            for type in [DNSMessage.RecordType.service, .text, .a, .pointer, .any] {
                #expect(Self.want(Self.question(name, type)) == .unknown)
            }
        }
        let other = (DNSMessage.name("carol._earshot._tcp.local"), DNSMessage.RecordType.service)
        let pointed = DNSMessage.name("bob 081040g2", thenAt: 18)
        #expect(Self.want(Self.question(pointed, .text, besides: [other])) == .unknown)
        #expect(Self.want(Self.question(Self.service, .any)) == .unknown)
        #expect(Self.want(Self.question(DNSMessage.name("_EARSHOT._tcp.local"), .pointer)) == .instances(isWhole: true))
    }

    @Test("may be anything if it is to be answered alone, is an answer, or asks nothing")
    func others() {
        let answers = [Self.known("bob 081040g2")]
        var alone = DNSMessage(flags: 0, questions: [(Self.service, .pointer)], answers: answers).bytes
        alone[12 + Self.service.count + 2] |= 0x80
        #expect(DNSMessageCheck.want(of: alone[...], from: Self.names) == .unknown)
        #expect(Self.want(DNSMessage(questions: [(Self.service, .pointer)], answers: answers)) == .unknown)
        #expect(Self.want(DNSMessage(flags: 0)) == .unknown)
    }

    @Test("is to be left alone if its second part knows the node, and nothing if that does not")
    func secondPart() {
        let carol = DNSMessage.Record(
            name: Self.service, type: .pointer, data: DNSMessage.name("carol", thenAt: 12), seconds: 4500)
        #expect(Self.want(DNSMessage(flags: 0, answers: [carol])) == .nothing)
        #expect(Self.want(DNSMessage(flags: 0, answers: [carol, Self.known("bob 081040g2")])) == .noInstances)
    }

    @Test("may be anything where it does not fit together, and is read wherever it lies")
    func malformed() {
        let query = DNSMessage(
            flags: 0, questions: [(Self.service, .pointer)], answers: [Self.known("bob 081040g2")]
        ).bytes
        for count in 0..<query.count {
            #expect(DNSMessageCheck.want(of: query.prefix(count), from: Self.names) == .unknown)
        }
        #expect(DNSMessageCheck.want(of: ([1, 2, 3] + query).dropFirst(3), from: Self.names) == .nothing)
    }
}
