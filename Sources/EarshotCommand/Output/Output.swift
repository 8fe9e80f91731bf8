import EarshotModel
import Foundation

/// The only place that writes to standard output.
struct Output: Sendable {
    let isJSON: Bool
    let style: Style
    /// Whether standard output is a terminal that understands cursor movement.
    let isTerminal: Bool
    private let waitsForReader: Bool
    /// Whether each line for people begins with the time.
    private let isDated: Bool
    private let writer: DescriptorWriter

    /// - Parameters:
    ///   - isDated: for what goes on for long. A journal has times of its own.
    ///   - waitsForReader: not in a process that is a node.
    init(isJSON: Bool, isDated: Bool = false, waitsForReader: Bool = true) {
        self.isJSON = isJSON
        self.waitsForReader = waitsForReader
        self.isDated = isDated && !isJSON && EnvironmentVariable.value("JOURNAL_STREAM") == nil
        writer = DescriptorWriter(STDOUT_FILENO, patience: waitsForReader ? -1 : DescriptorWriter.patienceOfNode)
        isTerminal = isatty(STDOUT_FILENO) == 1 && EnvironmentVariable.value("TERM") != "dumb"
        style = Style(isColoured: isTerminal && !isJSON)
    }

    /// A line for people. The caller passes text of others through `SafeText` first.
    func line(_ text: String) {
        guard !isJSON else { return }
        write((isDated ? style.dim(time) : "") + text + "\n")
    }

    /// A line for programs.
    func object(_ value: some Encodable) throws {
        guard isJSON else { return }
        write(try Self.encode(value) + "\n")
    }

    /// Cursor movement only.
    func control(_ sequence: String) {
        guard isTerminal, !isJSON else { return }
        write(sequence)
    }

    /// A side note, on standard error.
    func note(_ text: String) {
        writeError("\(time)earshot: \(SafeText.line(text))\n")
    }

    private func writeError(_ text: String) {
        if waitsForReader { StandardError.write(text) } else { StandardError.log(text) }
    }

    /// Now, before a line; else nothing.
    private var time: String { isDated ? LocalTime.precise(LocalTime.now) + "  " : "" }

    func report(_ failure: Failure) {
        let subject = failure.recipient.map { "\($0): " } ?? ""
        var text = "\(time)earshot: \(SafeText.line(subject + failure.message))\n"
        if let remedy = failure.remedy { text += "  try: \(SafeText.line(remedy))\n" }
        writeError(text)
        guard isJSON else { return }
        do { try object(failure) } catch { note("the error cannot be written as JSON: \(error)") }
    }

    private struct Loss: Encodable {
        let name = EventName.eventsLost.rawValue
        let count: Int
    }

    /// Writes at once and in one piece, because somebody may be reading along. Without a reader the program ends, as
    /// others do.
    private func write(_ text: String) {
        let error = writer.write(Array(text.utf8)) { lost in
            guard isJSON else { return "\(time)\(lost) lines are missing here: nobody read them\n" }
            do { return try Self.encode(Loss(count: lost)) + "\n" } catch {
                preconditionFailure("a name and a number can be written as JSON: \(error)")
            }
        }
        guard error != 0 else { return }
        if error == EPIPE { exit(128 + SIGPIPE) }
        note("standard output cannot be written: \(String(cString: strerror(error)))")
        exit(ExitStatus.failure.rawValue)
    }

    /// One line of JSON, as every command, log and bot is given it: nothing in it can do anything to a terminal.
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return SafeText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
