import Foundation
import Synchronization

/// Another program that is run to its end: it gets some input, and what it says first is kept.
package struct ProgramRun: Sendable {
    package struct Result: Hashable, Sendable {
        /// Its exit code; 128 and the number of the signal that ended it.
        package let status: Int32
        /// The beginning of what it has written to its standard output and error.
        package let output: String
    }

    /// What of its output is kept. It may write more.
    private static let outputBytes = 4096
    /// How long a program that is told to end has for that, until it is killed.
    private static let grace = DispatchTimeInterval.seconds(2)

    package let path: String
    let arguments: [String]
    let input: [UInt8]
    let patience: Duration

    /// - Parameters:
    ///   - path: the program; without a slash it is looked for in `PATH`.
    ///   - arguments: without the program's name. Other users of the machine can see them.
    ///   - patience: a program that takes longer is killed.
    package init(_ path: String, _ arguments: [String] = [], input: [UInt8] = [], patience: Duration) {
        self.path = path
        self.arguments = arguments
        self.input = input
        self.patience = patience
    }

    /// Runs it. If the task is cancelled, it is told to end.
    /// - Throws: `EarshotError` `programUnusable`.
    package func result() async throws(EarshotError) -> Result {
        let (child, input, output) = try start()
        let running = RunningChild(pid: child.pid)
        _ = input.write(self.input, limit: .max)
        input.finish()
        let patience = patience
        let (status, text) = await withTaskGroup(of: [UInt8].self) { group in
            group.addTask {
                do { try await Task.sleep(for: patience) } catch { return [] }
                running.signal(SIGKILL)
                return []
            }
            group.addTask {
                var text: [UInt8] = []
                while let piece = await output.read() { text += piece.prefix(Self.outputBytes - text.count) }
                return text
            }
            let status = await withTaskCancellationHandler {
                await child.end()
            } onCancel: {
                running.signal(SIGTERM)
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.grace) { running.signal(SIGKILL) }
            }
            running.ended()
            // What it has started may live on, and hold the pipes: what is in them now is read, and no more.
            output.stop()
            input.stop()
            group.cancelAll()
            return (status, await group.reduce(into: []) { $0 += $1 })
        }
        return Result(status: status, output: String(decoding: text, as: UTF8.self))
    }

    /// Children are started one after the other, so that none gets the pipe of another.
    private static let starting = Mutex(())

    private func start() throws(EarshotError) -> (child: ChildProgram, input: PipeEnd, output: PipeEnd) {
        try Self.starting.withLock { _ throws(EarshotError) in try startAlone() }
    }

    private func startAlone() throws(EarshotError) -> (child: ChildProgram, input: PipeEnd, output: PipeEnd) {
        let toChild = try ChildProgram.pipe()
        defer { close(toChild.reading) }
        let input = try PipeEnd(toChild.writing)
        let fromChild = try ChildProgram.pipe()
        defer { close(fromChild.writing) }
        let output = try PipeEnd(fromChild.reading)
        let child = try ChildProgram(
            path, arguments, descriptors: [toChild.reading, fromChild.writing, fromChild.writing])
        return (child, input, output)
    }
}

/// A process that is signalled only until it has ended, after which another may have its number.
private final class RunningChild: Sendable {
    private let pid: Mutex<Int32?>

    init(pid: Int32) { self.pid = Mutex(pid) }

    func signal(_ signal: Int32) { pid.withLock { pid in if let pid { kill(pid, signal) } } }
    func ended() { pid.withLock { $0 = nil } }
}
