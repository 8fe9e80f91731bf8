import EarshotModel
import Testing

@Suite("User names")
struct UserNameTests {
    @Test(
        "are any text without control characters, of characters younger than this program, too",
        arguments: ["bob", "Bob Smith", "bob@example.org", "Zoë", "李雷", "👩‍👩‍👧", "❤️", "می‌خواهم", "a\u{A0}b", "a\u{378}"])
    func valid(text: String) throws {
        #expect(try UserName(text).text == text)
    }

    @Test("have at least one character")
    func empty() {
        expectInvalid(UserName.Invalid.empty) { try UserName("") }
    }

    @Test("have up to 63 bytes of UTF-8")
    func length() throws {
        #expect(try UserName(String(repeating: "a", count: 63)).text.utf8.count == 63)
        expectInvalid(UserName.Invalid.tooLong(bytes: 64)) { try UserName(String(repeating: "a", count: 64)) }
        expectInvalid(UserName.Invalid.tooLong(bytes: 64)) { try UserName(String(repeating: "é", count: 32)) }
        #expect(try UserName(String(repeating: "é", count: 31)).text.count == 31)
    }

    @Test(
        "have no control characters and no line ends",
        arguments: [
            "\0", "a\nb", "a\tb", "a\u{1B}[31m", "a\u{7F}", "a\u{9B}b", "a\u{2028}b", "a\u{2029}b",
        ])
    func control(text: String) {
        expectInvalid(UserName.Invalid.controlCharacter) { try UserName(text) }
    }

    @Test(
        "have nothing that turns the direction of text",
        arguments: ["\u{202E}bob", "bob\u{202D}x", "a\u{200F}b", "a\u{2066}b", "a\u{2069}b", "a\u{061C}b"])
    func bidirectionalControl(text: String) {
        expectInvalid(UserName.Invalid.controlCharacter) { try UserName(text) }
    }

    @Test(
        "have none of the controls, of the marks of direction and of the format characters, however they came",
        arguments: [
            0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x180E...0x180E, 0x200B...0x200B, 0x200E...0x200F,
            0x2028...0x202E, 0x2060...0x206F, 0xFEFF...0xFEFF, 0xE0000...0xE007F,
        ] as [ClosedRange<UInt32>])
    func everyControl(range: ClosedRange<UInt32>) throws {
        for value in range {
            let text = "a\(try #require(Unicode.Scalar(value)))b"
            expectInvalid(UserName.Invalid.controlCharacter) { try UserName(text) }
            expectInvalid(UserName.Invalid.controlCharacter) { try UserName(typed: text) }
        }
    }

    @Test(
        "have nothing that cannot be seen: it would make another name of the same looks",
        arguments: ["bob\u{200B}", "b\u{AD}ob", "\u{FEFF}bob", "bob\u{2060}", "bob\u{E0041}", "bob\u{3164}"])
    func invisible(text: String) {
        expectInvalid(UserName.Invalid.controlCharacter) { try UserName(text) }
    }

    @Test(
        "neither begin nor end with a space of any kind", arguments: [" ", " bob", "bob ", "\u{A0}bob", "bob\u{3000}"])
    func surroundingSpace(text: String) {
        expectInvalid(UserName.Invalid.surroundedBySpace) { try UserName(text) }
    }

    @Test("are refused unless in normalization form C", arguments: ["Zoe\u{308}", "\u{212B}", "\u{1100}\u{1161}"])
    func normalization(text: String) {
        expectInvalid(UserName.Invalid.notNormalized) { try UserName(text) }
    }

    @Test("are brought to normalization form C when a person types them")
    func typed() throws {
        #expect(try UserName(typed: "Zoe\u{308}") == UserName("Zo\u{EB}"))
        expectInvalid(UserName.Invalid.surroundedBySpace) { try UserName(typed: "bob ") }
    }

    @Test("are the same only if they are byte for byte")
    func equality() throws {
        #expect(try UserName("bob") != UserName("Bob"))
        #expect(try UserName("bob") == UserName("bob"))
    }
}
