import Foundation

/// The only place that writes to standard output.
struct Output: Sendable {
    let isJSON: Bool
    let style: Style
    /// Whether standard output is a terminal that understands cursor movement.
    let isTerminal: Bool

    init(isJSON: Bool) {
        self.isJSON = isJSON
        isTerminal = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        style = Style(isColoured: isTerminal && !isJSON)
    }

    /// A line for people. The caller passes text of others through `SafeText` first.
    func line(_ text: String) {
        guard !isJSON else { return }
        write(text + "\n")
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
        StandardError.write("earshot: \(SafeText.line(text))\n")
    }

    func report(_ failure: Failure) {
        var text = "earshot: \(SafeText.line(failure.message))\n"
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
