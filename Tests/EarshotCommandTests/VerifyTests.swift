import Foundation
import Testing

@Suite("earshot verify", .keepsWhatItStarts)
struct VerifyTests {
    private func number(_ result: Program.Result) -> [String] {
        result.lines.filter { $0.hasPrefix("  ") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func trust(_ pair: Pair) async throws -> String? {
        try await pair.alice.run("users", "--json").objects().first?["trust"] as? String
    }

    @Test("prints both fingerprints and the number, the same on both sides, in three lines of four groups")
    func prints() async throws {
        let pair = try await Pair.met()
        let here = try await pair.alice.run("verify", "bob")
        let there = try await pair.bob.run("verify", "alice")
        #expect(here.status == 0)
        #expect(number(here).count == 3)
        #expect(try number(here).allSatisfy { $0.contains(try Regex(#"^\d{5} \d{5} \d{5} \d{5}$"#)) })
        #expect(number(here) == number(there))
        for key in [try await pair.alice.key(), try await pair.bob.key()] {
            #expect(here.output.contains(key.fingerprint))
        }
        #expect(try await trust(pair) == "new")
    }

    @Test("--matches marks the user as verified for the right number, however it is typed", arguments: [" ", "-", ""])
    func matches(separator: String) async throws {
        let pair = try await Pair.met()
        let read = number(try await pair.bob.run("verify", "alice")).joined(separator: " ")
        let typed = read.replacingOccurrences(of: " ", with: separator)
        let result = try await pair.alice.run("verify", "bob", "--matches", typed)
        #expect(result.status == 0)
        #expect(result.lines.last == "bob is verified")
        #expect(try await trust(pair) == "verified")
        #expect(try await pair.alice.run("users").output.contains(" verified "))
        #expect(try await pair.alice.run("verify", "bob").output.contains("bob is verified already"))
    }

    @Test("--matches fails loudly for another number, and changes nothing", arguments: [false, true])
    func differs(isVerified: Bool) async throws {
        let pair = try await Pair.met()
        if isVerified { #expect(try await pair.alice.run("verify", "bob", "--yes").status == 0) }
        var digits = Array(number(try await pair.bob.run("verify", "alice")).joined(separator: " "))
        digits[0] = digits[0] == "9" ? "0" : "9"
        let result = try await pair.alice.run("verify", "bob", "--matches", String(digits))
        #expect(result.status == 10)
        #expect(result.errors.contains("THE NUMBERS DIFFER"))
        #expect(result.errors.contains("earshot block bob"))
        #expect(try await trust(pair) == (isVerified ? "verified" : "new"))
    }

    @Test("--matches refuses an invalid number, and says how many digits there are")
    func notANumber() async throws {
        let result = try await Program.run("verify", "bob", "--matches", "12345 67890")
        #expect(result.status == 64)
        #expect(result.errors.contains("60 digits"))
        #expect(result.errors.contains("there are 10 digits here"))
    }

    @Test("asks on a terminal, and marks only after a yes", arguments: ["y\n", "n\n"])
    func asks(answer: String) async throws {
        let pair = try await Pair.met()
        let terminal = try Terminal.run(["verify", "bob", "--home", pair.alice.path])
        try await terminal.expect(#"Are they the same on both sides\? \[y/N\] "#)
        terminal.write(Data(answer.utf8))
        #expect(try await terminal.end().status == (answer == "y\n" ? 0 : 1))
        #expect(try await trust(pair) == (answer == "y\n" ? "verified" : "new"))
    }

    /// The squares of the code that a terminal shows, with the margin: dark is `1`.
    private static func squares(_ output: String) -> [String] {
        let signs: [Character: (Character, Character)] = [
            "█": ("1", "1"), "▀": ("1", "0"), "▄": ("0", "1"), " ": ("0", "0"),
        ]
        return output.matches(of: /\u{1b}\[38;5;16;48;5;231m([█▀▄ ]+)\u{1b}\[0m/).flatMap { line in
            let pairs = line.output.1.map { signs[$0] ?? ("?", "?") }
            return [String(pairs.map(\.0)), String(pairs.map(\.1))]
        }
    }

    @Test("shows the number as a QR code on a terminal, with a light margin of four squares")
    func code() async throws {
        let pair = try await Pair.met()
        let qr = try #require(
            try await pair.alice.run("verify", "bob", "--json").objects().first?["qr"] as? [String])
        let terminal = try Terminal.run(["verify", "bob", "--home", pair.alice.path])
        try await terminal.expect(#"Are they the same"#)
        terminal.write(Data("n\n".utf8))
        let side = String(repeating: "0", count: 4)
        let margin = Array(repeating: String(repeating: "0", count: 33), count: 4)
        let squares = Self.squares(try await terminal.end().output)
        // The last line has one row more.
        #expect(squares == margin + qr.map { side + $0 + side } + margin + margin.prefix(1))
    }

    @Test(
        "shows no QR code where a camera could not read it",
        arguments: [["NO_COLOR": "1"], ["LANG": "C"], ["LC_ALL": "C"], ["TERM": "dumb"]])
    func noCode(environment: [String: String]) async throws {
        let pair = try await Pair.met()
        let terminal = try Terminal.run(["verify", "bob", "--home", pair.alice.path], environment: environment)
        try await terminal.expect(#"Are they the same"#)
        terminal.write(Data("n\n".utf8))
        let output = try await terminal.end().output
        #expect(!output.contains("▀") && output.contains("safety number:"))
    }

    @Test("writes one object as JSON, with the number and what was decided")
    func json() async throws {
        let pair = try await Pair.met()
        let printed = try await pair.alice.run("verify", "bob", "--json").objects()
        let marked = try await pair.alice.run("verify", "bob", "--json", "--yes").objects()
        #expect(printed.count == 1 && marked.count == 1)
        #expect((printed.first?["digits"] as? String)?.count == 60)
        #expect(printed.first?["isVerified"] as? Bool == false)
        #expect(marked.first?["isVerified"] as? Bool == true)
    }

    @Test("of a user whose name belongs to another key is refused, with the remedy; so is that of a blocked one")
    func conflict() async throws {
        let claim = try await Claim.made()
        let eve = try await claim.eve.key()
        let result = try await claim.alice.run("verify", "bob@\(eve.prefix)", "--yes")
        #expect(result.status == 10)
        #expect(result.errors.contains("earshot trust bob"))
        #expect(try await claim.alice.run("block", "bob@\(eve.prefix)").status == 0)
        #expect(try await claim.alice.run("verify", "bob@\(eve.prefix)", "--yes").status == 11)
        #expect(try await claim.alice.run("trust", "bob@\(eve.prefix)", "--accept").status == 11)
    }
}
