import Testing

@testable import EarshotCommand

@Suite("The keys of a terminal")
struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.read(Array(text.utf8))
    }

    @Test(
        "sequences are keys, however their bytes come",
        arguments: [
            ("\u{1b}[A", Key.up), ("\u{1b}[B", .down), ("\u{1b}[C", .right), ("\u{1b}OD", .left),
            ("\u{1b}[1;5D", .wordLeft),
            ("\u{1b}[H", .home), ("\u{1b}[4~", .end), ("\u{1b}[3~", .delete),
            ("\u{1b}[5~", .pageUp), ("\u{1b}[6~", .pageDown),
            ("\u{1b}b", .wordLeft), ("\u{1b}\r", .lineBreak), ("\r", .enter), ("\n", .lineBreak), ("\t", .complete),
            ("\u{7f}", .backspace), ("\u{3}", .interrupt), ("\u{4}", .endOfInput), ("ü", .text("ü")), ("👍", .text("👍")),
        ])
    func sequences(bytes: String, key: Key) {
        #expect(keys(bytes) == [key])
        var decoder = KeyDecoder()
        #expect(bytes.utf8.flatMap { decoder.read([$0]) } == [key])
    }

    @Test("what is pasted is one key, with its line breaks")
    func paste() {
        let pasted = keys("a\u{1b}[200~one\rtwo\r\nthree\u{1b}[201~b")
        #expect(pasted == [.text("a"), .paste("one\ntwo\nthree"), .text("b")])
        #expect(keys("\u{1b}[200~\u{1b}[A\u{1b}[201~") == [.paste("\u{1b}[A")], "sequences in it are text")
    }

    @Test("nothing of a paste that is too long is kept, and what follows is read")
    func longPaste() {
        let text = String(repeating: "x", count: KeyDecoder.longestPaste + 1)
        #expect(keys("\u{1b}[200~\(text)\u{1b}[201~b") == [.pasteTooLong, .text("b")])
    }

    @Test(
        "sequences that mean nothing here are dropped whole",
        arguments: [
            "\u{1b}[?1;2c", "\u{1b}[99~", "\u{1b}[<0;1;2M", "\u{1b}Z",
            "\u{1b}[" + String(repeating: "1", count: 99) + "z",
        ])
    func unknown(sequence: String) {
        #expect(keys("a\(sequence)b") == [.text("a"), .text("b")])
    }

    @Test("an escape that is pressed alone begins no sequence")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.read([0x1b]).isEmpty)
        decoder.pause()
        #expect(decoder.read(Array("b".utf8)) == [.text("b")])
    }

    @Test("bytes that are no UTF-8 are shown as such, and disturb no others")
    func invalid() {
        var decoder = KeyDecoder()
        #expect(decoder.read([0xff, 0xc3, 0x61]) == [.text("\u{fffd}"), .text("\u{fffd}"), .text("a")])
    }
}
