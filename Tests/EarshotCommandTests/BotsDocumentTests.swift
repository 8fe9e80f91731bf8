import Earshot
import EarshotGateway
import Foundation
import TestSupport
import Testing

@Suite("docs/bots.md", .timeLimit(.minutes(2)))
struct BotsDocumentTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL

    /// The blocks of code, with their languages, in order.
    private static func blocks() throws -> [(language: String, text: String)] {
        let document = try String(contentsOf: root.appendingPathComponent("docs/bots.md"), encoding: .utf8)
        return document.matches(of: /```(\w+)\n((?:.|\n)*?)```/).map { (String($0.1), String($0.2)) }
    }

    /// The lines that are told to a test network, each with a pattern of its answer.
    private static func exchanges(_ text: String) -> [(line: String, answer: String)] {
        let lines = text.split(separator: "\n").map(String.init)
        return stride(from: 0, to: lines.count, by: 2).map { index in
            let parts = lines[index + 1].split(separator: "…", omittingEmptySubsequences: false)
            let patterns = parts.map { NSRegularExpression.escapedPattern(for: String($0)) }
            return (lines[index], patterns.joined(separator: "[^\n]*"))
        }
    }

    @Sendable private static func isAnswered(_ alice: GatewayClient) async throws -> Bool {
        try await alice.history(with: "robot").contains { $0.text == "you said: hello" }
    }

    @Test("runs, every command line as it is printed")
    func commandLines() async throws {
        let folder = "/tmp/earshot-bots-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let alice = try await TestHome.named("alice")
        let (aliceNode, port) = try await alice.up()
        // The node of the bot stays on loopback.
        let program = """
            #!/bin/sh
            case "$*" in
            *--socket*) ;;
            "bot run"*)
                shift 2
                set -- bot run --no-discovery --peer 127.0.0.1:\(port) "$@"
                ;;
            esac
            exec "\(Program.path)" "$@"
            """
        try program.write(toFile: folder + "/earshot", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/earshot")

        func shell(_ text: String) throws -> RunningProgram {
            try RunningProgram(
                ["-euc", "cd \(folder)\n\(text)"], program: "/bin/bash",
                environment: ["PATH": "\(folder):/usr/bin:/bin"])
        }
        var programs = [aliceNode]
        var network: RunningProgram?
        for block in try Self.blocks() {
            switch block.language {
            case "python":
                let name = try #require(block.text.split(separator: "\n").first?.dropFirst(2))
                try block.text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            case "sh" where block.text.contains("test-network"):
                network = try shell("exec " + block.text)
            case "json":
                let network = try #require(network)
                for (line, answer) in Self.exchanges(block.text) {
                    network.write(Data((line + "\n").utf8))
                    try await network.expect(answer)
                    if line.contains("send") {
                        let client = try GatewayClient(socketPath: folder + "/net/alice.sock")
                        try await TestHome.until("alice has an answer", client, Self.isAnswered)
                    }
                }
            case "sh" where block.text.contains("bot run"):
                let bot = try shell("exec " + block.text)
                programs.append(bot)
                try await bot.expect("echo runs")
                guard network == nil else { break }
                try await alice.until("alice has met robot") { client in
                    try await client.users().contains { $0.name == "robot" && $0.isOnline }
                }
                try #require(try await alice.run("send", "robot", "hello").status == 0)
                try await alice.until("alice has an answer", Self.isAnswered)
            case "sh":
                let result = try await shell(block.text).end()
                #expect(result.status == 0, "\(block.text)\(result.errors)")
                #expect(!result.output.contains(#""error""#), "\(block.text)\(result.output)")
                if network != nil { #expect(result.output == "hello\nyou said: hello\n") }
            default: #expect(block.language == "swift")
            }
        }
        #expect(programs.count == 3)
        network?.closeInput()
        #expect(try await network?.end().status == 0)
        for program in programs {
            program.signal(SIGTERM)
            _ = try await program.end()
        }
    }
}
