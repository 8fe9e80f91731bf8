import Foundation

/// Another program that is run to its end: it gets some input, and what it says first is kept.
package struct ProgramRun: Sendable {
    package struct Result: Hashable, Sendable {
        /// Its exit code; 128 and the number of the signal that ended it.
        package let status: Int32
        /// The beginning of what it has written to its standard output and error.
        package let output: String
    }

    /// What of its output is kept. It may write more.
    fileprivate static let outputBytes = 4096
    /// How long a program that is told to end has for that, until it is killed.
    fileprivate static let grace = DispatchTimeInterval.seconds(2)
    /// The descriptor of the second input of a program that has one.
    package static let secondInput = 3

    package let path: String
    let arguments: [String]
    let input: [UInt8]
    let secondInput: [UInt8]?
    let patience: Duration
    let keepsOutput: Bool

    /// - Parameters:
    ///   - path: the program; without a slash it is looked for in `PATH`.
    ///   - arguments: without the program's name. Other users of the machine can see them.
    ///   - input: what it reads on its standard input.
    ///   - secondInput: what it reads on the descriptor `secondInput`; it has none without it.
    ///   - patience: a program that takes longer is killed, and so is what it has started.
    ///   - keepsOutput: whether what it writes first is kept; else it goes to this program's standard error.
    package init(
        _ path: String, _ arguments: [String] = [], input: [UInt8] = [], secondInput: [UInt8]? = nil,
        patience: Duration, keepsOutput: Bool = true
    ) {
        self.path = path
        self.arguments = arguments
        self.input = input
        self.secondInput = secondInput
        self.patience = patience
        self.keepsOutput = keepsOutput
    }

    /// Runs it. If the task is cancelled, it is told to end, with what it has started.
    /// - Throws: `EarshotError` `programUnusable`.
    package func result() async throws(EarshotError) -> Result { await (try start()).result() }

    /// Starts a program that gets nothing to read, and whose output is read piece by piece.
    /// - Throws: `EarshotError` `programUnusable`.
    package static func reading(
        _ path: String, _ arguments: [String]
    ) throws(EarshotError) -> (child: ChildProgram, output: PipeEnd) {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        let pipe = try ChildProgram.pipe()
        defer { close(pipe.writing) }
        let output = try PipeEnd(pipe.reading)
        let child = try ChildProgram(
            path, arguments, descriptors: [nothing, pipe.writing, nothing], isOwnSession: true)
        return (child, output)
    }

    /// - Throws: `EarshotError` `programUnusable`.
    package func start() throws(EarshotError) -> Started {
        let toChild = try ChildProgram.pipe()
        defer { close(toChild.reading) }
        let input = try PipeEnd(toChild.writing)
        var (descriptor, output) = (STDERR_FILENO, PipeEnd?.none)
        if keepsOutput {
            let fromChild = try ChildProgram.pipe()
            descriptor = fromChild.writing
            do throws(EarshotError) { output = try PipeEnd(fromChild.reading) } catch {
                close(descriptor)
                throw error
            }
        }
        defer { if keepsOutput { close(descriptor) } }
        let descriptors = [toChild.reading, descriptor, descriptor]
        guard let secondInput else { return try start(descriptors, [(input, self.input)], output) }
        let more = try ChildProgram.pipe()
        defer { close(more.reading) }
        let end = try PipeEnd(more.writing)
        return try start(descriptors + [more.reading], [(input, self.input), (end, secondInput)], output)
    }

    private func start(
        _ descriptors: [Int32], _ inputs: [(end: PipeEnd, bytes: [UInt8])], _ output: PipeEnd?
    ) throws(EarshotError) -> Started {
        // In a session of its own, so that what it starts can be ended with it.
        let child = try ChildProgram(path, arguments, descriptors: descriptors, isOwnSession: true)
        for (end, bytes) in inputs {
            _ = end.write(bytes, limit: .max)
            end.finish()
        }
        return Started(child: child, inputs: inputs.map(\.end), output: output, patience: patience)
    }

    /// A program that runs.
    package struct Started: Sendable {
        fileprivate let child: ChildProgram
        fileprivate let inputs: [PipeEnd]
        fileprivate let output: PipeEnd?
        fileprivate let patience: Duration

        /// Waits for its end.
        package func result() async -> Result {
            let running = RunningChild(child, isOwnSession: true)
            let (status, text) = await withTaskGroup(of: [UInt8].self) { group in
                group.addTask {
                    do { try await Task.sleep(for: patience) } catch { return [] }
                    running.signal(SIGKILL)
                    return []
                }
                group.addTask {
                    var text: [UInt8] = []
                    while let piece = await output?.read() {
                        text += piece.prefix(ProgramRun.outputBytes - text.count)
                    }
                    return text
                }
                let status = await withTaskCancellationHandler {
                    await child.end()
                } onCancel: {
                    running.signal(SIGTERM)
                    DispatchQueue.global().asyncAfter(deadline: .now() + ProgramRun.grace) { running.signal(SIGKILL) }
                }
                running.ended()
                // What it has started may live on, and hold the pipes: what is in them now is read, and no more.
                output?.stop()
                for input in inputs { input.stop() }
                group.cancelAll()
                return (status, await group.reduce(into: []) { $0 += $1 })
            }
            return Result(status: status, output: String(decoding: text, as: UTF8.self))
        }
    }
}
