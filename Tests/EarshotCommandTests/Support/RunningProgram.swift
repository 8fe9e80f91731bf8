import Foundation
import Synchronization
import TestSupport
import Testing

/// An `earshot` that runs while the test goes on. It is ended with the object.
final class RunningProgram: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Collector()
    private let errors = Collector()

    /// - Parameter environment: is added to the little that every program here gets.
    init(_ arguments: [String], program: String = Program.path, environment: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let common = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "TZ": "UTC", "LANG": "C.UTF-8"]
        process.environment = common.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        try process.run()
        output.start()
        errors.start()
    }

    deinit {
        if process.isRunning { process.terminate() }
        closeInput()
    }

    var pid: Int32 { process.processIdentifier }
    var outputText: String { output.text }
    var errorText: String { errors.text }

    func write(_ data: Data) { input.fileHandleForWriting.write(data) }

    /// Not left to the end of the pipe: Foundation keeps a process, and its pipes, for ever.
    func closeInput() {
        do { try input.fileHandleForWriting.close() } catch { Issue.record(error, "a pipe cannot be closed") }
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Waits for the end.
    func end(_ place: SourceLocation = #_sourceLocation) async throws -> Program.Result {
        try await eventually("the program ends", place) { !self.process.isRunning }
        try await eventually("its output is complete", place) { self.output.isComplete && self.errors.isComplete }
        return Program.Result(status: process.terminationStatus, output: output.text, errors: errors.text)
    }

    /// Waits until standard error matches.
    func expectError(_ pattern: String, _ place: SourceLocation = #_sourceLocation) async throws {
        let expression = try Regex(pattern)
        try await eventually("errors match \(pattern)", place) { self.errorText.contains(expression) }
    }

    /// Waits until standard output matches, and returns what the first group of the pattern matched.
    @discardableResult
    func expect(_ pattern: String, _ place: SourceLocation = #_sourceLocation) async throws -> String {
        let expression = try Regex(pattern)
        try await eventually("output matches \(pattern)", place) { self.outputText.contains(expression) }
        let match = try #require(try expression.firstMatch(in: outputText))
        return String(match.output.count > 1 ? match.output[1].substring ?? "" : match.output[0].substring ?? "")
    }
}

/// What a pipe gives, read as it comes by a thread that may wait.
private final class Collector: Sendable {
    let pipe = Pipe()
    private let state = Mutex((data: Data(), isComplete: false))

    var text: String { state.withLock { String(decoding: $0.data, as: UTF8.self) } }
    var isComplete: Bool { state.withLock(\.isComplete) }

    func start() {
        Thread.detachNewThread { [self] in
            while !isComplete {
                let data = pipe.fileHandleForReading.readAvailable()
                state.withLock { state in
                    state.data.append(data)
                    if data.isEmpty { state.isComplete = true }
                }
            }
            do { try pipe.fileHandleForReading.close() } catch { Issue.record(error, "a pipe cannot be closed") }
        }
    }
}
