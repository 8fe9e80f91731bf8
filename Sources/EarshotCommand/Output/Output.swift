import Foundation

/// The only place that writes to standard output.
struct Output: Sendable {
    let isJSON: Bool
    let style: Style
    /// Whether standard output is a terminal that understands cursor movement.
    let isTerminal: Bool
    /// Whether each line for people begins with the time.
    private let isDated: Bool

    /// - Parameter isDated: for what goes on for long. A journal has times of its own.
    init(isJSON: Bool, isDated: Bool = false) {
        self.isJSON = isJSON
        self.isDated = isDated && !isJSON && EnvironmentVariable.value("JOURNAL_STREAM") == nil
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
        StandardError.write("\(time)earshot: \(SafeText.line(text))\n")
    }

    /// Now, before a line; else nothing.
    private var time: String { isDated ? LocalTime.precise(LocalTime.now) + "  " : "" }

    func report(_ failure: Failure) {
        let subject = failure.recipient.map { "\($0): " } ?? ""
        var text = "\(time)earshot: \(SafeText.line(subject + failure.message))\n"
        if let remedy = failure.remedy { text += "  try: \(SafeText.line(remedy))\n" }
        StandardError.write(text)
        guard isJSON else { return }
        do { try object(failure) } catch { note("the error cannot be written as JSON: \(error)") }
    }

    /// Writes at once and in one piece, because somebody may be reading along. Without a reader the program ends, as
    /// others do.
    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else {
                if errno == EPIPE { exit(128 + SIGPIPE) }
                note("standard output cannot be written: \(String(cString: strerror(errno)))")
                exit(ExitStatus.failure.rawValue)
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return SafeText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
