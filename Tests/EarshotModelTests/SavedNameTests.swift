import Testing

@testable import EarshotModel

@Suite("The name of a saved file")
struct SavedNameTests {
    @Test(
        "is the sender's where that does nothing in a folder",
        arguments: [
            "plan.pdf", "a.tar.gz", "Grüße 🎉.txt", "Plan (2).pdf", "a-b.c", "x~", "README", "конец.doc", "👩‍👩‍👧.png",
            "com.txt",
            "console.log", "COM10", "nul_",
        ])
    func kept(name: String) { #expect(SavedName(name).description == name) }

    @Test(
        "neither hides, nor is an option, a path, a device or a stream, nor turns its end around",
        arguments: [
            (".bash_profile", "_bash_profile"), ("-rf", "_rf"), ("--help", "_-help"), ("~root", "_root"), ("..", "__"),
            (".", "_"), ("...x", "_..x"), (" .x", "_.x"), ("a/b", "a_b"), ("a\\b", "a_b"), ("C:x", "C_x"),
            ("a:b", "a_b"),
            ("con", "_con"), ("CON.txt", "_CON.txt"), ("Nul .x.y", "_Nul .x.y"), ("com1", "_com1"),
            ("LPT9.doc", "_LPT9.doc"),
            ("COM¹", "_COM¹"), ("conin$", "_conin$"), ("aux.", "_aux_"), ("end.", "end_"), ("end. .", "end___"),
            ("", "file"),
            ("bill\u{202e}fdp.exe", "bill_fdp.exe"), ("a\u{0}b\nc\u{7f}\u{9b}", "a_b_c__"), ("a\u{2028}b", "a_b"),
            ("a<b>|?*\"", "a_b_____"), ("x\u{e0041}", "x_"),
        ])
    func changed(name: String, saved: String) { #expect(SavedName(name).description == saved) }

    @Test("is as long as a folder takes, with its end, also with a number")
    func long() {
        let name = SavedName(String(repeating: "ä", count: 200) + ".pdf")
        #expect(name.description.utf8.count <= Limits.fileNameBytes && name.description.hasSuffix("ä.pdf"))
        #expect(name.numbered(1) == name.description)
        #expect(name.numbered(10_000).utf8.count <= Limits.fileNameBytes)
        #expect(name.numbered(10_000).hasSuffix("ä (10000).pdf"))
        #expect(SavedName("a.tar.gz").numbered(2) == "a.tar (2).gz" && SavedName("README").numbered(3) == "README (3)")
        #expect(SavedName("a." + String(repeating: "x", count: 300)).description.utf8.count == Limits.fileNameBytes)
    }

    /// What names of others may be made of: what is dangerous somewhere, among what is not.
    private static let alphabet = Array(
        " .-~_abcCON:/\\<>|?*\"$123¹äé🎉\u{0}\u{1b}\u{85}\u{9b}\u{61c}\u{200d}\u{200e}\u{202e}\u{2028}\u{2066}\u{e0041}\u{301}"
            .unicodeScalars)

    @Test("is safe, whatever the sender's is")
    func property() {
        var chance = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var name = ""
            for _ in 0..<Int.random(in: 0...(Bool.random() ? 6 : 300), using: &chance) {
                name.unicodeScalars.append(Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &chance)])
            }
            let saved = SavedName(name)
            for text in [saved.description, saved.numbered(2), saved.numbered(9999)] { check(text, of: name) }
            #expect(SavedName(saved.description) == saved)
        }
    }

    private func check(_ text: String, of name: String) {
        let scalars = Array(text.unicodeScalars)
        let isSafe = scalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xe0000...0xe007f:
                false
            default: !"/\\<>:\"|?*".unicodeScalars.contains(scalar)
            }
        }
        #expect(isSafe && (1...Limits.fileNameBytes).contains(text.utf8.count), "\(name.debugDescription)")
        #expect(scalars.first.map { !" .-~".unicodeScalars.contains($0) } == true, "\(name.debugDescription)")
        #expect(scalars.last.map { $0 != " " && $0 != "." } == true, "\(name.debugDescription)")
        let stem = text.prefix { $0 != "." }.uppercased()
        #expect(!["CON", "NUL", "COM1", "COM2", "COM3"].contains(stem), "\(name.debugDescription)")
    }
}
