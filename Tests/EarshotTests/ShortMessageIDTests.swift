import EarshotModel
import Testing

@testable import Earshot

@Suite("The short id of a message")
struct ShortMessageIDTests {
    private func log(_ first: UInt8, _ last: UInt8) throws -> LogID {
        try #require(LogID(bytes: [first] + Array(repeating: 0, count: 30) + [last]))
    }

    @Test("is the beginning of its log's id and its number")
    func shown() throws {
        let id = MessageID(log: try log(1, 1), sequence: 42)
        let short = ShortMessageID.shown(id.description)
        #expect(short == "\(id.log.description.prefix(8))-42")
        #expect(try ShortMessageID(short)?.whole(among: [try log(2, 2), id.log]) == id)
    }

    @Test("is found by at least four characters", arguments: [4, 8, 20])
    func prefix(length: Int) throws {
        let id = MessageID(log: try log(1, 1), sequence: 7)
        #expect(try ShortMessageID("\(id.log.description.prefix(length))-7")?.whole(among: [id.log]) == id)
    }

    @Test("is refused with the whole ids if several messages have it")
    func ambiguous() throws {
        let (first, second) = (try log(1, 1), try log(1, 2))
        let short = try #require(ShortMessageID("\(first.description.prefix(8))-7"))
        let error = #expect(throws: EarshotError.self) { try short.whole(among: [second, first, log(9, 9)]) }
        #expect(error?.code == .ambiguousMessage)
        #expect(error?.parameters.suggestions == ["\(first)-7", "\(second)-7"].sorted())
    }

    @Test("of no message is unknown")
    func unknown() throws {
        let short = try #require(ShortMessageID("zzzzzzzz-7"))
        let error = #expect(throws: EarshotError.self) { try short.whole(among: [log(1, 1)]) }
        #expect(error?.code == .unknownMessage)
    }

    @Test(
        "is no other text",
        arguments: ["", "abc-1", "abcd", "abcd-0", "abcd-01", "abcd--1", "ab d-1", "ABCD-1", "abcd-1-2"])
    func malformed(text: String) { #expect(ShortMessageID(text) == nil) }
}
