import Earshot
import Foundation
import Testing

@testable import EarshotGateway

@Suite("The forms of the local API")
struct FormatTests {
    @Test(
        "write a time to the millisecond, without rounding",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_769_851_800_125, "2026-01-31T09:30:00.125Z"),
            (1_769_851_800_999, "2026-01-31T09:30:00.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_001, "1970-01-01T00:00:01.001Z"),
        ] as [(Int64, String)])
    func timestamp(milliseconds: Int64, text: String) {
        #expect(Timestamp.text(milliseconds) == text)
    }

    @Test(
        "write every time that somebody can claim in the same form, at most that of the year 9999, and read it back",
        arguments: [
            .max, .max - 1, .min, .min + 1, 1 << 53, 1 << 62, 253_402_300_799_999, 253_402_300_800_000,
            -11_676_096_000_000, -11_676_096_000_001, -(1 << 53),
        ] as [Int64])
    func extremeTimes(milliseconds: Int64) throws {
        let text = Timestamp.text(milliseconds)
        #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(text)")
        #expect(Timestamp.date(text) != nil)
        #expect(Timestamp.text(Date(timeIntervalSince1970: Double(milliseconds))).hasSuffix("Z"))
        if milliseconds >= 253_402_300_799_999 { #expect(text == "9999-12-31T23:59:59.999Z") }
        if milliseconds <= -11_676_096_000_000 { #expect(text == "1600-01-01T00:00:00.000Z") }
    }

    @Test("find events wherever the stream is cut, with either line end, and pass over comments")
    func parser() throws {
        let stream = ": hello\n\nevent: a\r\ndata: {1}\r\n\r\n: heartbeat\n\ndata:{2}\ndata: {3}\n\n"
        for size in 1...9 {
            var parser = ServerSentEventParser()
            var found: [String] = []
            let bytes = Array(stream.utf8)
            for start in Swift.stride(from: 0, to: bytes.count, by: size) {
                parser.append(bytes[start..<min(start + size, bytes.count)])
                while let data = try parser.next() { found.append(String(decoding: data, as: UTF8.self)) }
            }
            #expect(found == ["{1}", "{2}\n{3}"])
        }
    }

    @Test("know the id of the last event that was taken, and one that came alone after it")
    func lastEventID() throws {
        var parser = ServerSentEventParser()
        parser.append(Array("id: 1\n\nid:2\ndata: a\n\ndata: b\n\nid: 3\n\nid: 4\u{0}\n\nid: 5\n".utf8))
        #expect(parser.lastEventID == nil)
        var steps: [String] = []
        while let data = try parser.next() {
            steps.append("\(String(decoding: data, as: UTF8.self)) \(parser.lastEventID ?? "-")")
        }
        #expect(steps == ["a 2", "b 2"])
        #expect(parser.lastEventID == "3")
    }

    @Test("bound a line of an event")
    func longLine() {
        var parser = ServerSentEventParser()
        parser.append(repeatElement(UInt8(ascii: "x"), count: GatewayLimits.eventBytes + 1))
        #expect(throws: GatewayError.self) { try parser.next() }
    }

    @Test("bound an event of many lines, and keep nothing of what follows")
    func longEvent() {
        var parser = ServerSentEventParser()
        let line = Array("data: \(String(repeating: "x", count: 1023))\n".utf8)
        for _ in 0...GatewayLimits.eventBytes / 1024 { parser.append(line) }
        #expect(throws: GatewayError.self) { try parser.next() }
        parser.append(Array("\n\ndata: {}\n\n".utf8))
        #expect(throws: GatewayError.self) { try parser.next() }
    }

    @Test("write any time that a message may carry", arguments: [Int64.min, Int64.min + 1, 1 << 53, Int64.max])
    func edgesOfTime(milliseconds: Int64) {
        #expect(Timestamp.text(milliseconds).hasSuffix("Z"))
    }

    @Test("tell of a message without an answer that it may have been accepted, and of other errors as they are")
    func openOutcome() {
        let late = GatewayError(.timedOut, "the node does not answer").whileSending
        #expect(late.code == .timedOut && late.parameters.detail == .mayBeAccepted)
        #expect(
            late.message == "the node does not answer; it is not known whether the node has accepted the message")
        #expect(GatewayError(.overloaded, "too many").whileSending.description == "too many")
    }

    @Test("refuse a path that does not fit into a socket address", arguments: [107, 108])
    func socketPath(count: Int) {
        let path = "/" + String(repeating: "x", count: count - 1)
        if count > 107 {
            #expect(throws: GatewayError.self) { try SocketPath.check(path) }
        } else {
            #expect(throws: Never.self) { try SocketPath.check(path) }
        }
    }
}
