import Earshot
import Foundation

/// Asks for a secret on the terminal, without showing what is typed.
enum HiddenPrompt {
    /// Opens the terminal of this process, even if its input and output are redirected.
    /// - Parameters:
    ///   - what: the secret to ask for.
    ///   - alternative: what to do if there is no terminal.
    /// - Throws: `Failure` `passphraseNeeded` where there is no terminal, and what the body throws.
    static func onTerminal<Result>(
        _ what: String, alternative: String, _ body: (_ terminal: Int32) throws -> Result
    ) throws -> Result {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw Failure(
                .passphraseNeeded, "there is no terminal on which to ask for the \(what)", remedy: alternative)
        }
        defer { close(terminal) }
        return try body(terminal)
    }

    /// Asks one question.
    /// - Parameter read: reads a line from the terminal.
    static func ask<Answer>(
        _ question: String, on terminal: Int32, read: (Int32) throws -> Answer
    ) throws -> Answer {
        var shown = termios()
        guard tcgetattr(terminal, &shown) == 0 else {
            throw Failure(.passphraseNeeded, "the terminal cannot hide what is typed")
        }
        // If the question is interrupted, the terminal shows typed text again.
        let original = shown
        let interruption = Signals.onFirst([SIGINT, SIGTERM, SIGHUP]) { number in
            var original = original
            tcsetattr(terminal, TCSAFLUSH, &original)
            exit(128 + number)
        }
        defer { interruption.cancel() }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &hidden)
        defer { tcsetattr(terminal, TCSAFLUSH, &shown) }
        write(question, to: terminal)
        defer { write("\n", to: terminal) }
        return try read(terminal)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
