import EarshotModel
import Testing

@Suite("Message ids")
struct MessageIDTests {
    static let log = LogID(Bytes32())

    @Test("are read from what they are written as", arguments: [1, 9, 10, 4_294_967_296, UInt64(Int64.max)])
    func roundTrip(sequence: UInt64) {
        let messageID = MessageID(log: Self.log, sequence: sequence)
        #expect(messageID.description == "\(Self.log)-\(sequence)")
        #expect(MessageID(messageID.description) == messageID)
    }

    @Test(
        "are not read from a number that is zero, padded, signed, spaced, too large or missing",
        arguments: [
            "0", "01", "+1", "-1", " 1", "1 ", "1-1", "0x1", "١", "", "9223372036854775808", "18446744073709551615",
            "18446744073709551616",
        ])
    func malformedSequence(text: String) {
        #expect(MessageID("\(Self.log)-\(text)") == nil)
    }

    @Test("are not read without a whole log id", arguments: ["1", "-1", "abc-1", ""])
    func malformedLog(text: String) {
        #expect(MessageID(text) == nil)
    }

    @Test("are ordered by log, then by number and not by text")
    func order() throws {
        let later = try #require(LogID(bytes: [UInt8](repeating: 1, count: 32)))
        let ordered = [
            MessageID(log: Self.log, sequence: 2), MessageID(log: Self.log, sequence: 10),
            MessageID(log: later, sequence: 1),
        ]
        #expect(ordered.reversed().sorted() == ordered)
    }
}
