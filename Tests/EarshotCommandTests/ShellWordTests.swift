import Foundation
import TestSupport
import Testing

@testable import EarshotCommand

@Suite("A word of a command that is offered")
struct ShellWordTests {
    @Test(
        "is safe to copy, whatever a peer calls itself",
        arguments: [
            ("bob@3fk9", "bob@3fk9"), ("bob; reboot", "'bob; reboot'"), ("it's", #"'it'\''s'"#), ("$(id)", "'$(id)'"),
            ("-rf", "'-rf'"), ("bøb", "bøb"), ("", "''"),
        ])
    func shellWord(text: String, word: String) {
        #expect(ShellWord.quote(text) == word)
    }

    @Test(
        "is one word to a real shell, with nothing left of it to run",
        arguments: [
            "a'\u{301};id;'\u{301}b", "'\u{301}", "a'\u{20DD}$(id)", "$(id)`id`\\", "a\"b!c", "~ * ? [a] {b,c} # &",
            "bøb", "👋🏽",
        ])
    func shell(text: String) throws {
        #expect(try print(ShellWord.quote(text)).utf8.elementsEqual(text.utf8))
    }

    private func print(_ word: String) throws -> String {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", "printf %s " + word]
        let output = Pipe()
        shell.standardOutput = output
        try shell.start()
        let data = output.fileHandleForReading.readAll()
        shell.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
