import Foundation
import TestSupport
import Testing

/// An `earshot` that runs while the test goes on. It is ended with the object, which the test keeps.
final class RunningProgram: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Collector()
    private let errors = Collector()
    private let hasEnded = Watched(false)
    private let exchanges: Exchanges?
    private let home: TestHome?

    /// - Parameters:
    ///   - home: stays at least as long as this.
    ///   - environment: is added to the little that every program here gets.
    init(
        _ arguments: [String], program: String = Program.path, home: TestHome? = nil,
        environment: [String: String] = [:]
    ) throws {
        self.home = home
        exchanges = try Exchanges.shared.get()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        var all = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "TZ": "UTC", "LANG": "C.UTF-8"]
        // By which script/test finds what is left behind.
        all["EARSHOT_TEST_RUN"] = ProcessInfo.processInfo.environment["EARSHOT_TEST_RUN"]
        for more in [exchanges?.environment ?? [:], environment] { all.merge(more) { $1 } }
        process.environment = all
        process.standardInput = input
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        process.terminationHandler = { [hasEnded] _ in hasEnded.update { $0 = true } }
        try process.start()
        output.start()
        errors.start()
        Belongings.keep(self)
    }

    deinit {
        if process.isRunning { process.terminate() }
        closeInput()
        exchanges?.check()
    }

    var pid: Int32 { process.processIdentifier }
    var outputText: String { output.read.value.text }
    var errorText: String { errors.read.value.text }

    func write(_ data: Data) { input.fileHandleForWriting.write(data) }

    /// Not left to the end of the pipe: Foundation keeps a process, and its pipes, for ever.
    func closeInput() {
        do { try input.fileHandleForWriting.close() } catch { Issue.record(error, "a pipe cannot be closed") }
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Waits for the end.
    func end() async throws -> Program.Result {
        try await hasEnded.wait(for: "the program ends")
        let output = try await output.wholeText("its output")
        let errors = try await errors.wholeText("what it has written to standard error")
        exchanges?.check()
        Belongings.letGo(self)
        return Program.Result(status: process.terminationStatus, output: output, errors: errors)
    }

    /// Waits until standard error matches.
    func expectError(_ pattern: String) async throws { _ = try await match(of: pattern, in: errors, "standard error") }

    /// Waits until standard output matches, and returns what the first group of the pattern matched.
    @discardableResult
    func expect(_ pattern: String) async throws -> String {
        try await match(of: pattern, in: output, "standard output")
    }

    private func match(of pattern: String, in text: Collector, _ what: String) async throws -> String {
        if let match = try await text.match(of: pattern, what) { return match }
        throw Mismatch(errors: try await errors.wholeText("standard error"), pattern: pattern, output: outputText)
    }

    /// That a program has ended, and has not written what was expected of it.
    struct Mismatch: Error {
        /// First, because it says why.
        let errors: String
        let pattern: String
        let output: String
    }
}

/// What a pipe gives, read as it comes by a thread that may wait.
private final class Collector: Sendable {
    struct Read {
        var data = Data()
        var isComplete = false

        var text: String { String(decoding: data, as: UTF8.self) }
    }

    let pipe = Pipe()
    let read = Watched(Read())

    func wholeText(_ what: String) async throws -> String {
        try await read.wait(for: "\(what) is complete") { $0.isComplete ? $0.text : nil }
    }

    /// What the first group of a pattern matches, or all of it.
    /// - Returns: `nil` if nothing has matched at the end.
    func match(of pattern: String, _ what: String) async throws -> String? {
        try await read.wait(for: "\(what) matches \(pattern)") { (read) -> String?? in
            guard let match = try Regex(pattern).firstMatch(in: read.text) else {
                return read.isComplete ? .some(nil) : nil
            }
            return String(match.output.count > 1 ? match.output[1].substring ?? "" : match.output[0].substring ?? "")
        }
    }

    func start() {
        Thread.detachNewThread { [self] in
            while !read.value.isComplete {
                let data = pipe.fileHandleForReading.readAvailable()
                read.update { read in
                    read.data.append(data)
                    if data.isEmpty { read.isComplete = true }
                }
            }
            do { try pipe.fileHandleForReading.close() } catch { Issue.record(error, "a pipe cannot be closed") }
        }
    }
}
