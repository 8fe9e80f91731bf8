import Foundation

/// Asks a person at a terminal to confirm.
enum Confirmation {
    /// Whether there is somebody to ask: input comes from a terminal, and the question appears on one.
    static var isPossible: Bool { StandardInput.isTerminal && isatty(STDERR_FILENO) == 1 }

    /// - Returns: whether the answer is yes. Any other answer, and no answer, is no.
    static func ask(_ question: String) async throws -> Bool {
        StandardError.write("\(SafeText.line(question)) [y/N] ")
        let answer = try await StandardInput().line() ?? ""
        return ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    }
}
