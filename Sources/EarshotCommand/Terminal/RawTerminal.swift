import Foundation

/// The terminal, while this program edits lines on it.
final class RawTerminal: Sendable {
    private let original: termios

    /// - Returns: `nil` where standard input is no terminal that can be set.
    init?() {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        original = settings
    }

    /// Keys come as they are pressed, and what is pasted comes in brackets. Output is as before.
    func enter() {
        var raw = original
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        Self.write("\u{1b}[?2004h")
    }

    /// Discards what was typed and not read, so that no shell runs it.
    func leave() {
        Self.write("\u{1b}[?2004l")
        var settings = original
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Runs something with the terminal as lines are edited on it, and leaves it as it was: also if a signal ends the
    /// program.
    /// - Parameter ending: is done before a signal ends the program.
    func with<Result>(
        ending: @escaping @Sendable () -> Void, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let interruption = Signals.onFirst([SIGINT, SIGTERM, SIGHUP]) { number in
            ending()
            self.leave()
            exit(128 + number)
        }
        enter()
        defer {
            leave()
            interruption.cancel()
        }
        return try await body()
    }

    /// Stops the program until it is continued.
    func suspend() {
        leave()
        kill(getpid(), SIGTSTP)
        enter()
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
