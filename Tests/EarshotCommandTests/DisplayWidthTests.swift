import Testing

@testable import EarshotCommand

@Suite("The width of text on a terminal")
struct DisplayWidthTests {
    @Test(
        "breaks a line at spaces, and within a word that is longer",
        arguments: [
            ("", [""]), ("abcd", ["abcd"]), ("abcde", ["abcd", "e"]), ("ab cd", ["ab", "cd"]),
            ("a bcdefgh", ["a", "bcde", "fgh"]), ("ab   cd", ["ab ", "cd"]), (" abcd", [" abc", "d"]),
            ("日本語", ["日本", "語"]), ("e\u{301}e\u{301}e\u{301}e\u{301}", ["e\u{301}e\u{301}e\u{301}e\u{301}"]),
        ])
    func wrap(line: String, parts: [String]) {
        #expect(DisplayWidth.wrap(line, width: 4) == parts)
    }

    @Test(
        "is measured twice at the most for each character of a line that is wrapped",
        arguments: ["x", "x ", "a bcdefghijklmnopqrstuvwxyz ", "日本 ", "\u{200B}\u{200B}x", " "])
    func linear(pattern: String) {
        let line = String(repeating: pattern, count: 5000 / pattern.count)
        var count = 0
        _ = DisplayWidth.wrap(line, width: 20) {
            count += 1
            return DisplayWidth.of($0)
        }
        #expect(count <= 2 * line.count)
    }

    @Test("is measured only up to the first break if no more is needed")
    func head() {
        var count = 0
        let head = DisplayWidth.head(of: "one two three four " + String(repeating: "x", count: 5000), width: 20) {
            count += 1
            return DisplayWidth.of($0)
        }
        #expect(head == "one two three four" && count <= 21)
        #expect(DisplayWidth.head(of: "short", width: 20) == "short")
    }
}
