import Testing

@testable import EarshotDiscovery

@Suite("What a message is for")
struct MessagePurposeTests {
    private static let service = DNSMessage.name("_earshot._tcp.local")
    private static let names = AdvertisedNames(instance: "bob 081040g2", hostName: "earshot-081040g2")

    private static func known(_ instance: String, seconds: UInt32 = 4500) -> DNSMessage.Record {
        DNSMessage.Record(
            name: DNSMessage.pointer(to: 12), type: .pointer, data: DNSMessage.name(instance, thenAt: 12),
            seconds: seconds)
    }

    private static func purpose(_ message: DNSMessage) -> DNSMessageCheck.Purpose {
        DNSMessageCheck.purpose(of: message.bytes[...], for: names)
    }

    private static func query(
        _ questions: [DNSMessage.Question], knowing answers: [DNSMessage.Record] = [], flags: UInt16 = 0
    ) -> DNSMessage {
        DNSMessage(flags: flags, questions: questions, answers: answers)
    }

    @Test("is nothing if it asks for instances and knows this one, however many others it knows")
    func known() {
        let others = (0..<30).map { Self.known("node \($0)") }
        for flags: UInt16 in [0, 0x0200] {
            let known = others + [Self.known("bob 081040g2")] + others
            #expect(Self.purpose(Self.query([(Self.service, .pointer)], knowing: known, flags: flags)) == .needless)
        }
        let elsewhere = DNSMessage.Record(
            name: DNSMessage.name("_EARSHOT._tcp.local"), type: .pointer,
            data: DNSMessage.name("BOB 081040g2._earshot._TCP.local"), seconds: 4500)
        #expect(Self.purpose(Self.query([(Self.service, .pointer)], knowing: [elsewhere])) == .needless)
    }

    @Test("is a question if it does not know this instance, or is about to forget it")
    func unknown() {
        let other = DNSMessage.Record(
            name: DNSMessage.name("_other._tcp.local"), type: .pointer,
            data: DNSMessage.name("bob 081040g2._earshot._tcp.local"), seconds: 4500)
        for answers in [
            [], [Self.known("carol")], [Self.known("bob")], [Self.known("bob 081040g2 #2")],
            [Self.known("bob 081040g2", seconds: 2249)], [other],
        ] {
            let asked: [DNSMessage.Question] = [(Self.service, .pointer)]
            #expect(Self.purpose(Self.query(asked, knowing: answers)) == .question(isWhole: true))
            #expect(Self.purpose(Self.query(asked, knowing: answers, flags: 0x0200)) == .question(isWhole: false))
        }
        #expect(
            Self.purpose(Self.query([(DNSMessage.name("_EARSHOT._tcp.local"), .pointer)])) == .question(isWhole: true))
    }

    @Test("does not depend on questions about names of others, and is nothing if there are no more")
    func otherNames() {
        let names = [
            DNSMessage.name("carol.local"), DNSMessage.name("carol._earshot._tcp.local"),
            DNSMessage.name("081040g2._earshot._tcp.local"), DNSMessage.name("_earshot._udp.local"), [0],
            DNSMessage.name("bob 081040g2._earshot._tcp.local.local"), DNSMessage.name("bob 081040g2"),
        ]
        let instances: DNSMessage.Question = (Self.service, .pointer)
        for name in names {
            for type in [DNSMessage.RecordType.service, .text, .a, .pointer, .any] {
                #expect(Self.purpose(Self.query([(name, type)])) == .needless)
                #expect(Self.purpose(Self.query([instances, (name, type)])) == .question(isWhole: true))
                let known = [Self.known("bob 081040g2")]
                #expect(Self.purpose(Self.query([instances, (name, type)], knowing: known)) == .needless)
            }
        }
        let pointed: DNSMessage.Question = (DNSMessage.name("alice", thenAt: 12), .service)
        #expect(Self.purpose(Self.query([instances, pointed])) == .question(isWhole: true))
    }

    @Test("may be anything if it is about one of this node's names, in whatever letters and however it is written")
    func ownNames() {
        let names = [
            DNSMessage.name("bob 081040g2._earshot._tcp.local"), DNSMessage.name("BOB 081040G2._Earshot._TCP.Local"),
            DNSMessage.name("earshot-081040g2.local"), DNSMessage.name("_services._dns-sd._udp.local"),
        ]
        for name in names {
            for type in [DNSMessage.RecordType.service, .text, .a, .pointer, .any] {
                #expect(Self.purpose(Self.query([(name, type)])) == .other)
            }
        }
        let other: DNSMessage.Question = (DNSMessage.name("carol._earshot._tcp.local"), .service)
        let pointed: DNSMessage.Question = (DNSMessage.name("bob 081040g2", thenAt: 18), .text)
        #expect(Self.purpose(Self.query([other, pointed])) == .other)
        #expect(Self.purpose(Self.query([(Self.service, .any)])) == .other)
    }

    @Test("may be anything if it is to be answered alone, or is empty")
    func others() {
        var alone = Self.query([(Self.service, .pointer)], knowing: [Self.known("bob 081040g2")]).bytes
        alone[12 + Self.service.count + 2] |= 0x80
        #expect(DNSMessageCheck.purpose(of: alone[...], for: Self.names) == .other)
        #expect(Self.purpose(DNSMessage(flags: 0)) == .other)
    }

    @Test("is to go on with a question if it has known answers alone")
    func continuation() {
        let record = DNSMessage.Record(
            name: Self.service, type: .pointer, data: DNSMessage.name("carol", thenAt: 12), seconds: 4500)
        #expect(Self.purpose(DNSMessage(flags: 0, answers: [record])) == .continuation)
        #expect(Self.purpose(DNSMessage(flags: 0, answers: [record, Self.known("bob 081040g2")])) == .continuation)
    }

    @Test("is to tell of this instance if it is an answer that does, and no goodbye")
    func ownAnswer() {
        func answer(_ instance: String, seconds: UInt32) -> DNSMessage {
            let data = DNSMessage.name(instance, thenAt: 12)
            return DNSMessage(
                answers: [DNSMessage.Record(name: Self.service, type: .pointer, data: data, seconds: seconds)])
        }
        #expect(Self.purpose(answer("bob 081040g2", seconds: 4500)) == .ownAnswer)
        #expect(Self.purpose(answer("bob 081040g2", seconds: 0)) == .other)
        #expect(Self.purpose(answer("carol", seconds: 4500)) == .other)
    }

    @Test("may be anything where it does not fit together, and does not depend on where it lies in memory")
    func malformed() {
        let query = Self.query([(Self.service, .pointer)], knowing: [Self.known("bob 081040g2")]).bytes
        for count in 0..<query.count {
            #expect(DNSMessageCheck.purpose(of: query.prefix(count), for: Self.names) == .other)
        }
        #expect(DNSMessageCheck.purpose(of: ([1, 2, 3] + query).dropFirst(3), for: Self.names) == .needless)
    }
}
