import Testing

@testable import EarshotDiscovery

@Suite("A query that knows answers")
struct KnownAnswersTests {
    private static let service = DNSMessage.name("_earshot._tcp.local")

    private static func known(_ instance: String, seconds: UInt32 = 4500) -> DNSMessage.Record {
        DNSMessage.Record(
            name: DNSMessage.pointer(to: 12), type: .pointer, data: DNSMessage.name(instance, thenAt: 12),
            seconds: seconds)
    }

    private static func needsNoAnswer(_ message: DNSMessage) -> Bool {
        DNSMessageCheck.needsNoAnswer(message.bytes, of: "bob 081040g2")
    }

    @Test("needs none of a node that is among them, however many others are")
    func known() {
        let others = (0..<30).map { Self.known("node \($0)") }
        let query = DNSMessage(
            flags: 0, questions: [(Self.service, .pointer)], answers: others + [Self.known("bob 081040g2")] + others)
        #expect(Self.needsNoAnswer(query))
        var truncated = query
        truncated.flags = 0x0200
        #expect(Self.needsNoAnswer(truncated))
    }

    @Test("needs one of a node that is not, or that it soon forgets")
    func unknown() {
        for answers in [
            [], [Self.known("carol")], [Self.known("bob")], [Self.known("bob 081040g2 #2")],
            [Self.known("bob 081040g2", seconds: 2249)],
        ] {
            #expect(
                !Self.needsNoAnswer(
                    DNSMessage(flags: 0, questions: [(Self.service, .pointer)], answers: answers)))
        }
    }

    @Test("needs one if it asks for anything else as well, or is a probe or an answer")
    func others() {
        let answers = [Self.known("bob 081040g2")]
        let host = (DNSMessage.name("host.local"), DNSMessage.RecordType.a)
        #expect(
            !Self.needsNoAnswer(
                DNSMessage(flags: 0, questions: [(Self.service, .pointer), host], answers: answers)))
        #expect(!Self.needsNoAnswer(DNSMessage(flags: 0, questions: [(Self.service, .any)], answers: answers)))
        #expect(
            !Self.needsNoAnswer(
                DNSMessage(
                    flags: 0, questions: [(Self.service, .pointer)], answers: answers, authorities: answers)))
        #expect(!Self.needsNoAnswer(DNSMessage(questions: [(Self.service, .pointer)], answers: answers)))
    }

    @Test("is of use to a node that is in its second part, and not to others")
    func secondPart() {
        let carol = DNSMessage.Record(
            name: Self.service, type: .pointer, data: DNSMessage.name("carol", thenAt: 12), seconds: 4500)
        #expect(Self.needsNoAnswer(DNSMessage(flags: 0, answers: [carol])))
        #expect(!Self.needsNoAnswer(DNSMessage(flags: 0, answers: [carol, Self.known("bob 081040g2")])))
        #expect(!Self.needsNoAnswer(DNSMessage(flags: 0)))
    }

    @Test("is left to the library where it does not fit together")
    func malformed() {
        let query = DNSMessage(
            flags: 0, questions: [(Self.service, .pointer)], answers: [Self.known("bob 081040g2")]
        ).bytes
        for count in 0..<query.count {
            #expect(!DNSMessageCheck.needsNoAnswer(query.prefix(count), of: "bob 081040g2"))
        }
    }
}
