import Earshot
import Foundation

/// The running program of a bot, and the pipes to it.
struct BotChild: Sendable {
    /// A message of the longest text, with every byte of it escaped, is shorter.
    static let lineBytes = 1024 * 1024
    /// Lines of the log are cut there.
    static let errorLineBytes = 8 * 1024
    /// What may wait for a program that does not read its standard input.
    static let unreadBytes = 8 * 1024 * 1024
    /// A program that is told to end has so long before it is killed; what it wrote last is read for so long.
    static let grace = Duration.seconds(5)

    private let program: ChildProgram
    private let running: RunningChild
    let input: PipeEnd
    let output: PipeEnd
    let errors: PipeEnd

    /// - Throws: `EarshotError` `programUnusable`.
    init(_ path: String, _ arguments: [String], environment: [String: String]) throws(EarshotError) {
        let (toInput, input) = try Self.pipe { $0.writing }
        defer { close(toInput) }
        let (fromOutput, output) = try Self.pipe { $0.reading }
        defer { close(fromOutput) }
        let (fromErrors, errors) = try Self.pipe { $0.reading }
        defer { close(fromErrors) }
        (self.input, self.output, self.errors) = (input, output, errors)
        program = try ChildProgram(
            path, arguments, descriptors: [toInput, fromOutput, fromErrors], environment: environment)
        running = RunningChild(program)
    }

    /// - Parameter own: chooses this program's end of the pipe.
    /// - Returns: the other end, which the caller closes, and this one.
    private static func pipe(
        _ own: ((reading: Int32, writing: Int32)) -> Int32
    ) throws(EarshotError) -> (child: Int32, own: PipeEnd) {
        let pipe = try ChildProgram.pipe()
        let end = own(pipe)
        let child = end == pipe.reading ? pipe.writing : pipe.reading
        do throws(EarshotError) { return (child, try PipeEnd(end)) } catch {
            close(child)
            throw error
        }
    }

    /// Reads what it writes until it has ended.
    /// - Returns: how it ended, in words.
    func run(
        output onLine: @escaping @Sendable (LineSplitter.Line) async -> Void,
        errors onError: @escaping @Sendable (LineSplitter.Line) async -> Void
    ) async -> String {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await Self.lines(of: output, limit: Self.lineBytes, onLine) }
            group.addTask { await Self.lines(of: errors, limit: Self.errorLineBytes, onError) }
            let status = await program.end()
            running.ended()
            // A program that it has started may have the pipes open, and outlive it.
            group.addTask {
                do { try await Task.sleep(for: Self.grace) } catch { return }
                stopReading()
            }
            for _ in 0..<2 { await group.next() }
            group.cancelAll()
            input.stop()
            return status > 128 ? "signal \(status - 128)" : "status \(status)"
        }
    }

    private func stopReading() {
        output.stop()
        errors.stop()
    }

    private static func lines(
        of pipe: PipeEnd, limit: Int, _ body: @Sendable (LineSplitter.Line) async -> Void
    ) async {
        var splitter = LineSplitter(limit: limit)
        while let bytes = await pipe.read() {
            for line in splitter.append(bytes) { await body(line) }
        }
        if let line = splitter.end() { await body(line) }
    }

    func kill() { running.signal(SIGKILL) }

    /// Tells it to end.
    func terminate() { running.signal(SIGTERM) }
}
