import ArgumentParser
import Earshot

/// The source of the passphrase that seals the identity. It is never an argument, because other users can read those.
struct PassphraseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Take the passphrase from the first line of a file of mode 600.", valueName: "file"))
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "Take the passphrase from the first line of an open file descriptor.", valueName: "number"))
    var passphraseFd: Int32?

    @Flag(name: .customLong("passphrase"), help: "Ask for the passphrase on the terminal.")
    var isAsked = false

    func validate() throws {
        let count = [passphraseFile != nil, passphraseFd != nil, isAsked].count { $0 }
        guard count <= 1 else { throw ValidationError("Name one source of the passphrase.") }
    }

    /// - Parameter confirming: whether to ask twice, because the passphrase is new.
    /// - Returns: `nil` unless one was named.
    func read(confirming: Bool) throws -> Passphrase? {
        if let passphraseFile { return try Passphrase(file: passphraseFile) }
        if let passphraseFd { return try Passphrase(readingFrom: passphraseFd) }
        return isAsked ? try PassphrasePrompt.ask(confirming: confirming) : nil
    }
}
