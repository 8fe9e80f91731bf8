import Earshot

/// Asks for a passphrase on the terminal.
enum PassphrasePrompt {
    /// - Throws: `EarshotError` or `Failure` `passphraseNeeded` if there is no terminal, or if the two entries differ.
    static func ask(confirming: Bool) throws -> Passphrase {
        let alternative = "use --passphrase-file or --passphrase-fd"
        return try HiddenPrompt.onTerminal("passphrase", alternative: alternative) { terminal in
            let first = try read("Passphrase: ", from: terminal)
            guard confirming else { return first }
            guard try read("The same again: ", from: terminal) == first else {
                throw Failure(.passphraseNeeded, "the two passphrases differ", remedy: "try again")
            }
            return first
        }
    }

    private static func read(_ question: String, from terminal: Int32) throws -> Passphrase {
        try HiddenPrompt.ask(question, on: terminal) { try Passphrase(readingFrom: $0) }
    }
}
