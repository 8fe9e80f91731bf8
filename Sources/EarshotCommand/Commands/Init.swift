import ArgumentParser
import Earshot

struct Init: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make an identity: a name, and the keys that prove it.",
        discussion: """
            The keys are written to the home directory, for its owner alone (mode 700). With a passphrase the \
            identity's secret key is sealed; a node needs the passphrase again to renew the credential.

            Said again with the same name, it changes nothing and succeeds, so a script may say it each time.

            EXAMPLES:
              earshot init --name alice
              earshot init --name alice --passphrase
              earshot init --name alice --passphrase-file ~/.earshot-passphrase --home /srv/earshot
              earshot init --name alice --network-key-file ~/network-key
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var passphrase: PassphraseOptions

    @Option(help: "What others see: 1 to \(Limits.nameBytes) bytes of UTF-8.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "Join the network whose key is in a file of mode 600.", valueName: "file"), completion: .file())
    var networkKeyFile: String?

    private struct Record: Encodable {
        /// Whether the identity is new.
        let isMade: Bool
        let home: String
        let name: String
        let id: String
        let fingerprint: String
        let networkTag: String?
    }

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        let networkKey = try networkKeyFile.map { try NetworkKey(file: $0) }
        // Repeated with the same name it changes nothing, so that a script may say what it wants to be there.
        let owner = home.isInitialized ? try home.owner() : nil
        let existing = owner.flatMap { $0.name.text == name ? $0.userID : nil }
        let userID = try existing ?? home.create(name: name, passphrase: passphrase.read(confirming: true))
        if let networkKey { try home.joinNetwork(networkKey) }
        let place = "the identity of \(SafeText.line(name)) \(existing == nil ? "in" : "is there already, in")"
        output.line("\(existing == nil ? "made " : "")\(place) \(SafeText.line(home.path))")
        output.line("fingerprint: \(userID.fingerprint)")
        if let networkKey { output.line("network: \(networkKey.tag)") }
        try output.object(
            Record(
                isMade: existing == nil, home: home.path, name: name, id: userID.description,
                fingerprint: userID.fingerprint, networkTag: networkKey?.tag))
    }
}
