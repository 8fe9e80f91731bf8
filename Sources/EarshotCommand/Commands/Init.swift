import ArgumentParser
import Earshot

struct Init: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make an identity: a name, and the keys that prove it.",
        discussion: """
            The keys are written to the home directory, for its owner alone (mode 700). With a passphrase the \
            identity's secret key is sealed; a node needs the passphrase again to renew the credential.

            EXAMPLES:
              earshot init --name alice
              earshot init --name alice --passphrase
              earshot init --name alice --passphrase-file ~/.earshot-passphrase --home /srv/earshot
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var passphrase: PassphraseOptions

    @Option(help: "What others see: 1 to \(Limits.nameBytes) bytes of UTF-8.")
    var name: String

    private struct Record: Encodable {
        let home: String
        let name: String
        let id: String
        let fingerprint: String
    }

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        let userID = try home.create(name: name, passphrase: passphrase.read(confirming: true))
        output.line("made the identity of \(SafeText.line(name)) in \(SafeText.line(home.path))")
        output.line("fingerprint: \(userID.fingerprint)")
        try output.object(
            Record(home: home.path, name: name, id: userID.description, fingerprint: userID.fingerprint))
    }
}
