import Earshot
import EarshotGateway
import Foundation
import TestSupport
import Testing

@Suite("docs/bots.md", .timeLimit(.minutes(2)), .keepsWhatItStarts)
struct BotsDocumentTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL

    /// The blocks of code, with their languages, in order.
    private static func blocks() throws -> [(language: String, text: String)] {
        let document = try String(contentsOf: root.appendingPathComponent("docs/bots.md"), encoding: .utf8)
        return document.matches(of: /```(\w+)\n((?:.|\n)*?)```/).map { (String($0.1), String($0.2)) }
    }

    @Test("runs, every command line as it is printed")
    func commandLines() async throws {
        let folder = "/tmp/earshot-bots-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let port = PortForOneTest.next()
        // The nodes stay on loopback.
        let program = """
            #!/bin/sh
            case "$*" in
            *--socket*) ;;
            "bot run"*)
                shift 2
                set -- bot run --no-discovery --peer 127.0.0.1:\(port) "$@"
                ;;
            up*)
                shift
                set -- up --no-discovery --port \(port) "$@"
                ;;
            esac
            exec "\(Program.path)" "$@"
            """
        try program.write(toFile: folder + "/earshot", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/earshot")
        let page = Page(folder: folder)
        let result: Result<Void, any Error>
        do {
            try await page.run(Self.blocks())
            result = .success(())
        } catch { result = .failure(error) }
        #expect(try await page.shell("earshot stop --home alice").end().status == 0)
        try result.get()
    }
}

/// Runs the blocks of the page in a folder.
private struct Page {
    let folder: String

    func shell(_ text: String) throws -> RunningProgram {
        try RunningProgram(
            ["-euc", "cd \(folder)\n\(text)"], program: "/bin/bash", environment: ["PATH": "\(folder):/usr/bin:/bin"])
    }

    private var alice: GatewayClient { get throws { try GatewayClient(home: Home(path: folder + "/alice")) } }

    func run(_ blocks: [(language: String, text: String)]) async throws {
        var bots: [RunningProgram] = []
        var network: RunningProgram?
        for block in blocks {
            switch block.language {
            case "python":
                let name = try #require(block.text.split(separator: "\n").first?.dropFirst(2))
                try block.text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            case "sh" where block.text.contains("test-network"): network = try shell("exec " + block.text)
            case "json": try await tell(#require(network), block.text)
            case "sh" where block.text.contains("bot run"):
                let bot = try shell("exec " + block.text)
                bots.append(bot)
                try await bot.expect("echo runs")
            case "sh" where block.text.contains("send robot"): try await converse(block.text)
            case "sh":
                let output = try await output(of: block.text)
                #expect(!output.contains(#""error""#), "\(block.text)\(output)")
                if network != nil { #expect(output == "hello\nyou said: hello\n") }
            default: #expect(block.language == "swift")
            }
        }
        #expect(bots.count == 2)
        network?.closeInput()
        #expect(try await network?.end().status == 0)
        for bot in bots {
            bot.signal(SIGTERM)
            #expect(try await bot.end().status == 0)
        }
    }

    private func output(of text: String) async throws -> String {
        let result = try await shell(text).end()
        #expect(result.status == 0, "\(text)\(result.errors)")
        return result.output
    }

    /// Somebody writes to the bot. A person is slower than these lines, and sees in between what they wait for.
    private func converse(_ text: String) async throws {
        var last = ""
        for line in text.split(separator: "\n") {
            if line.contains("users") {
                try await TestHome.until("alice has met robot", alice) { client in
                    try await client.users().contains { $0.name == "robot" && $0.isOnline }
                }
            }
            if line.contains("history") { try await TestHome.until("alice has an answer", alice, Self.isAnswered) }
            last = try await output(of: String(line))
        }
        #expect(last.contains("robot: you said: hello"), "\(last)")
    }

    @Sendable private static func isAnswered(_ alice: GatewayClient) async throws -> Bool {
        try await alice.history(with: "robot").contains { $0.text == "you said: hello" }
    }

    /// Each line that the network is told is followed by one like its answer.
    private func tell(_ network: RunningProgram, _ text: String) async throws {
        let lines = text.split(separator: "\n").map(String.init)
        for index in stride(from: 0, to: lines.count, by: 2) {
            network.write(Data((lines[index] + "\n").utf8))
            let parts = lines[index + 1].split(separator: "…", omittingEmptySubsequences: false)
            let patterns = parts.map { NSRegularExpression.escapedPattern(for: String($0)) }
            try await network.expect(patterns.joined(separator: "[^\n]*"))
            guard lines[index].contains("send") else { continue }
            let client = try GatewayClient(socketPath: folder + "/net/alice.sock")
            try await TestHome.until("alice has an answer", client, Self.isAnswered)
        }
    }
}
