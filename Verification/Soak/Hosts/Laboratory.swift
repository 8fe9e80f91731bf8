import Foundation
import TestSupport

/// The two hosts of the lab, each with a network of its own, made by `script/lab-hosts` before a soak begins.
struct Laboratory: Sendable {
    /// The path of `script/lab-hosts`, and of the program `earshot`.
    let script: String
    let program: String

    func pull(_ side: Side) async throws { try await run(["cable", "\(side.rawValue)", "pull"]) }
    func plug(_ side: Side) async throws { try await run(["cable", "\(side.rawValue)", "plug"]) }

    /// Drops a part of the packets that arrive at a host, at random; none with `nil`.
    func lose(_ part: Double?, on side: Side) async throws {
        try await iptables(["-F", "INPUT"], on: side)
        guard let part else { return }
        let rule = ["-A", "INPUT", "-m", "statistic", "--mode", "random", "--probability", "\(part)", "-j", "DROP"]
        try await iptables(rule, on: side)
    }

    private func iptables(_ arguments: [String], on side: Side) async throws {
        try await run(["in", "\(side.rawValue)", "iptables", "--wait"] + arguments)
    }

    private func run(_ arguments: [String]) async throws { try await Command.run(script, arguments) }

    /// A process that runs the node of a home on a host. It becomes the node itself once the host was entered.
    func node(on side: Side, home: String, log: FileHandle) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: script)
        process.arguments = ["in", "\(side.rawValue)", program, "up", "--home", home]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        return process
    }

    func makeHome(_ home: String, of side: Side) async throws {
        try await Command.run(program, ["init", "--home", home, "--name", side.name])
    }
}

/// Runs a command to its end.
enum Command {
    /// - Throws: `SoakError` with what the command said, unless it succeeds.
    static func run(_ program: String, _ arguments: [String]) async throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // The commands say little, so the pipe holds all of it.
        while process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        guard process.terminationStatus == 0 else {
            let said = String(decoding: output.fileHandleForReading.readAll(), as: UTF8.self)
            throw SoakError("\(program) \(arguments.joined(separator: " ")) failed: \(said)")
        }
    }
}
