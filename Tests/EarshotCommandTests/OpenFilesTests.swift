import Foundation
import Testing

@Suite("Where too few open files are allowed", .keepsWhatItStarts)
struct OpenFilesTests {
    @Test("every command says so, and does nothing", arguments: [10, 20, 32, 63])
    func refused(limit: Int) throws {
        for arguments in [["status"], ["init", "--name", "alice"], ["up"], []] {
            let result = try run(arguments, openFiles: limit)
            #expect(result.status == 1, "\(arguments)")
            #expect(
                result.errors.contains(
                    "too few open files are allowed: \(limit), and 64 are needed\n  try: ulimit -n "),
                "\(arguments): \(result.errors)")
        }
        #expect(try run(["--version"], openFiles: limit).status == 0)
    }

    @Test("64 are enough to send and to read")
    func enough() async throws {
        let home = try await TestHome.named("alice")
        let sent = try run(["send", "me", "a note", "--home", home.path], openFiles: 64)
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(try run(["history", "me", "--home", home.path], openFiles: 64).output.contains("a note"))
    }

    /// Runs the program with a hard limit, so that it cannot raise it.
    private func run(_ arguments: [String], openFiles: Int) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            ["-c", #"ulimit -n "$0" && exec "$@""#, "\(openFiles)", Program.path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["EARSHOT_HOME": "/nonexistent/home"]) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = (
            output.fileHandleForReading.readDataToEndOfFile(), errors.fileHandleForReading.readDataToEndOfFile()
        )
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: said.0, as: UTF8.self), String(decoding: said.1, as: UTF8.self)
        )
    }
}
