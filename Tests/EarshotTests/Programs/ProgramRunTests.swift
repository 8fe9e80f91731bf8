import Foundation
import TestSupport
import Testing

@testable import Earshot

@Suite("A program that is run to its end")
struct ProgramRunTests {
    private static func shell(_ script: String, input: String = "", patience: Duration = .seconds(60)) -> ProgramRun {
        ProgramRun("/bin/sh", ["-c", script], input: Array(input.utf8), patience: patience)
    }

    @Test("gets its input to the end, and its exit code and words are known")
    func whole() async throws {
        let input = String(repeating: "x", count: 300_000)
        let result = try await Self.shell("wc -c; echo wrong >&2; exit 3", input: input).result()
        #expect(result == .init(status: 3, output: "300000\nwrong\n"))
    }

    @Test("need not read its input")
    func unread() async throws {
        let result = try await Self.shell("exec true", input: String(repeating: "x", count: 300_000)).result()
        #expect(result == .init(status: 0, output: ""))
    }

    @Test("may write more than is kept")
    func long() async throws {
        let result = try await Self.shell("head -c 1000000 /dev/zero | tr '\\0' y").result()
        #expect(result.status == 0 && result.output == String(repeating: "y", count: 4096))
    }

    @Test("is waited for, and not what it leaves behind")
    func leftover() async throws {
        let result = try await Self.shell("sleep 30 & echo $!").result()
        let left = try #require(pid_t(result.output.dropLast()))
        #expect(result.status == 0 && kill(left, SIGKILL) == 0)
    }

    @Test("is waited for, and not what it leaves behind, though that writes without an end")
    func noisy() async throws {
        // It ends when nobody has the pipe open any more.
        let result = try await Self.shell("yes & exit 0").result()
        #expect(result.status == 0)
    }

    @Test("is killed when it takes too long, with what it has started")
    func patience() async throws {
        let folder = try TemporaryFolder()
        let fifo = folder.path + "/fifo"
        try #require(mkfifo(fifo, 0o600) == 0)
        let reader = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        let end = try PipeEnd(reader)
        // Both hold the FIFO open, so it ends when both have.
        let script = "exec 3>\(fifo); sleep 100 & wait"
        let result = try await Self.shell(script, patience: .milliseconds(300)).result()
        #expect(result.status == 128 + 9)
        try await withDeadline("it and what it has started have ended") {
            let rest = await withTaskCancellationHandler {
                await end.read()
            } onCancel: {
                end.stop()
            }
            try Task.checkCancellation()
            #expect(rest == nil)
        }
    }

    @Test("is told to end when nobody waits for it any more")
    func cancelled() async throws {
        let running = Task { try await Self.shell("exec sleep 100").result() }
        running.cancel()
        let result = try await running.value
        #expect(result.status == 128 + 15)
    }

    @Test("that is not there is an error that names it")
    func missing() async throws {
        let error = await #expect(throws: EarshotError.self) {
            try await ProgramRun("/nonexistent/program", patience: .seconds(1)).result()
        }
        #expect(error?.code == .programUnusable && error?.parameters.path == "/nonexistent/program")
    }
}
