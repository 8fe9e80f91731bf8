import EarshotGateway
import Foundation
import TestSupport
import Testing

@Suite("docs/http-api.md", .keepsWhatItStarts)
struct HTTPDocumentTests {
    /// The blocks of one language, as they are printed.
    private static func blocks(_ language: String) throws -> [String] {
        let page = try String(contentsOf: PackageFolder.root.appending(path: "docs/http-api.md"), encoding: .utf8)
        return page.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }

    @Test("has lines that work as they are printed, and a page in Python")
    func lines() async throws {
        let user = try TemporaryFolder()
        let home = user.file(".local/share/earshot")
        let tools = user.file("bin")
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: tools + "/earshot", withDestinationPath: Program.path)
        // Printed without it, and an answer that reports an error would pass.
        let curl = "#!/bin/sh\nexec /usr/bin/curl --silent --show-error --fail-with-body \"$@\"\n"
        try Data(curl.utf8).write(to: URL(filePath: tools + "/curl"))
        chmod(tools + "/curl", 0o700)
        let environment = ["HOME": user.path, "PATH": "\(tools):/usr/bin:/bin", "BASH_ENV": "/dev/null"]

        #expect(try await Program.run(["init", "--name", "alice", "--home", home]).status == 0)
        let alice = try RunningProgram(
            ["up", "--no-discovery", "--http", "--home", home], environment: environment)
        let port = try await alice.expect(#"is up: .* port (\d+)"#)
        let bob = try await TestHome.named("bob")
        _ = try await bob.up("--peer", "127.0.0.1:\(port)")
        try await bob.until("bob has met alice") { try await $0.users().first?.isOnline == true }

        let message = "earshot send alice hello --wait delivered --home \(bob.path)\n"
        let shell = try Self.blocks("sh").map { $0.contains("/v1/inbox") ? message + $0 : $0 }.joined(separator: "\n")
        let python = try Self.blocks("python").joined(separator: "\n")
        #expect(shell.components(separatedBy: "curl ").count > 15 && !python.isEmpty)
        let script = "set -euo pipefail\n\(shell)\npython3 - <<'END'\n\(python)\nEND\n"
        let result = try await RunningProgram(["-c", script], program: "/bin/bash", environment: environment).end()
        #expect(result.status == 0, "\(result.errors)\n\(result.output)")
        #expect(result.lines.suffix(2) == ["bob is online", "queued"])
        try await bob.until("the inbox has answered") { client in
            try await client.history(with: "alice").contains { $0.text == "ok" }
        }
        alice.signal(SIGTERM)
        _ = try await alice.end()
    }
}
