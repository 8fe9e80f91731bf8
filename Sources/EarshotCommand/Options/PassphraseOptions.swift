import ArgumentParser
import Earshot
import Foundation

/// The source of the passphrase that seals the identity. It is never an argument, because other users can read those.
struct PassphraseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Take the passphrase from the first line of a file of mode 600.", valueName: "file"))
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "Take the passphrase from a credential of this service: a file in $CREDENTIALS_DIRECTORY, where systemd's "
                + "LoadCredential= puts it.", valueName: "name"))
    var passphraseCredential: String?

    @Option(
        help: ArgumentHelp(
            "Take the passphrase from the first line of an open file descriptor.", valueName: "number"))
    var passphraseFd: Int32?

    @Flag(name: .customLong("passphrase"), help: "Ask for the passphrase on the terminal.")
    var isAsked = false

    func validate() throws {
        let count = [passphraseFile != nil, passphraseFd != nil, passphraseCredential != nil, isAsked].count { $0 }
        guard count <= 1 else { throw ValidationError("Name one source of the passphrase.") }
    }

    /// - Parameter confirming: whether to ask twice, because the passphrase is new.
    /// - Returns: `nil` unless one was named.
    func read(confirming: Bool) throws -> Passphrase? {
        if let passphraseFile { return try Passphrase(file: passphraseFile) }
        if let passphraseCredential { return try Self.credential(passphraseCredential) }
        if let passphraseFd { return try Passphrase(readingFrom: passphraseFd) }
        return isAsked ? try PassphrasePrompt.ask(confirming: confirming) : nil
    }

    /// The service manager decides who may read the directory (systemd.exec(5), CREDENTIALS).
    private static func credential(_ name: String) throws -> Passphrase {
        guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], !name.contains("/") else {
            throw Failure(
                .passphraseNeeded, "there is no credential \"\(name)\": $CREDENTIALS_DIRECTORY names no directory",
                remedy: "say LoadCredential=\(name):FILE in the unit of the service")
        }
        let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(
                .passphraseNeeded, "the credential \"\(name)\" cannot be read: \(String(cString: strerror(errno)))",
                remedy: "say LoadCredential=\(name):FILE in the unit of the service")
        }
        defer { close(descriptor) }
        return try Passphrase(readingFrom: descriptor)
    }
}
