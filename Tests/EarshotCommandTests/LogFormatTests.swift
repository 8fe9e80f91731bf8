import Foundation
import Logging
import Testing

@testable import EarshotCommand

@Suite("A line of the log")
struct LogFormatTests {
    /// Everything that must not reach a terminal as it is.
    private static let dangerous = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        .filter(SafeText.isDangerous)

    @Test("has all controls and marks of direction escaped, in each format, whatever part of it they come in")
    func escapes() throws {
        #expect(Self.dangerous.count > 200)
        for scalar in Self.dangerous {
            let text = "a\(scalar)b"
            let time = Date(timeIntervalSince1970: 0)
            let lines = [
                TextLogHandler(label: "earshot").line(.info, text, ["name": text], at: time),
                String(decoding: JSONLogHandler.line(.info, text, ["name": text], at: time), as: UTF8.self),
            ]
            for line in lines {
                #expect(line.hasSuffix("\n"))
                #expect(!line.dropLast().unicodeScalars.contains(where: SafeText.isDangerous), "\(scalar.value)")
            }
        }
    }

    @Test("as JSON says just what was logged")
    func sameText() throws {
        let text = String(String.UnicodeScalarView(Self.dangerous)) + "\"\\ and Grüße"
        let line = JSONLogHandler.line(.info, text, ["name": text], at: Date(timeIntervalSince1970: 0))
        let record = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        #expect(record["message"] as? String == text)
        #expect((record["metadata"] as? [String: String])?["name"] == text)
    }
}
