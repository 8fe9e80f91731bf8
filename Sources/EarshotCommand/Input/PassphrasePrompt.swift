import Earshot
import Foundation

/// Asks for a passphrase on the terminal, without showing it.
enum PassphrasePrompt {
    /// - Throws: `EarshotError` or `Failure` `passphraseNeeded` where there is no terminal or the two are not alike.
    static func ask(confirming: Bool) throws -> Passphrase {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw Failure(
                .passphraseNeeded, "there is no terminal to ask for the passphrase on",
                remedy: "use --passphrase-file or --passphrase-fd")
        }
        defer { close(terminal) }
        let first = try read("Passphrase: ", from: terminal)
        guard confirming else { return first }
        guard try read("The same again: ", from: terminal) == first else {
            throw Failure(.passphraseNeeded, "the two passphrases are not alike", remedy: "try again")
        }
        return first
    }

    private static func read(_ prompt: String, from terminal: Int32) throws -> Passphrase {
        var shown = termios()
        guard tcgetattr(terminal, &shown) == 0 else {
            throw Failure(.passphraseNeeded, "the terminal cannot be told not to show what is typed")
        }
        // Whoever interrupts the question gets back a terminal that shows what is typed.
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
        write(prompt, to: terminal)
        defer { write("\n", to: terminal) }
        return try Passphrase(readingFrom: terminal)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
