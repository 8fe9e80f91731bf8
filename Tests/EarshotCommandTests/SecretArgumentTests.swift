import Foundation
import Testing

@Suite("A secret", .keepsWhatItStarts)
struct SecretArgumentTests {
    private struct Dump: Decodable { let command: Command }

    private struct Command: Decodable {
        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?
    }

    private struct Argument: Decodable {
        struct Name: Decodable { let name: String }

        let kind: String
        let names: [Name]?
        let valueName: String?
        let shouldDisplay: Bool
    }

    /// Arguments that sound like a secret and are none: what is public of one, or where it is.
    private static let harmless: Set<String> = [
        // The name of a file, in a folder that systemd names.
        "passphrase-credential",
        // The token's name, or its id.
        "token",
    ]

    @Test("is no argument of any command: every user of the machine can read those, and the shell remembers them")
    func arguments() async throws {
        let result = try await Program.run(["--experimental-dump-help"])
        let top = try JSONDecoder().decode(Dump.self, from: Data(result.output.utf8)).command
        var count = 0
        func check(_ command: Command, _ path: String) {
            for argument in command.arguments ?? [] where argument.kind != "flag" && argument.shouldDisplay {
                count += 1
                let names = (argument.names ?? []).map(\.name) + [argument.valueName ?? ""]
                let sound = names.filter { $0.contains(/pass|secret|token|login|code|key|credential/.ignoresCase()) }
                guard !sound.isEmpty, Self.harmless.isDisjoint(with: names) else { continue }
                #expect(["file", "number"].contains(argument.valueName), "\(path): \(sound) takes a secret as it is")
            }
            for subcommand in command.subcommands ?? [] { check(subcommand, "\(path) \(subcommand.commandName)") }
        }
        check(top, "earshot")
        #expect(count > 100)
    }
}
