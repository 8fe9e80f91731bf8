import Testing

@testable import EarshotCommand

@Suite("Text of others on a terminal")
struct SafeTextTests {
    @Test(
        "has its controls and marks of direction escaped",
        arguments: [
            0x00...0x08, 0x0B...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xE0000...0xE007F,
        ] as [ClosedRange<UInt32>])
    func escapes(range: ClosedRange<UInt32>) throws {
        for value in range {
            let scalar = try #require(Unicode.Scalar(value))
            let line = SafeText.line("a\(scalar)b")
            #expect(line.hasPrefix("a\\u{") && line.hasSuffix("}b"), "U+\(String(value, radix: 16))")
            #expect(line.utf8.allSatisfy { $0 < 0x80 })
            #expect(SafeText.lines("a\(scalar)b") == [line])
        }
    }

    @Test("keeps its line breaks only where lines are wanted")
    func lineBreaks() {
        #expect(SafeText.line("a\nb") == "a\\u{0a}b")
        #expect(SafeText.lines("a\nb\u{202E}c") == ["a", "b\\u{202e}c"])
    }

    @Test("is otherwise left as it is", arguments: ["", "Grüße, Łukasz", "محمد", "👩‍👩‍👧 ❤️", "می‌خواهم", "a\u{200B}b"])
    func ordinary(text: String) {
        #expect(SafeText.line(text) == text)
    }
}
