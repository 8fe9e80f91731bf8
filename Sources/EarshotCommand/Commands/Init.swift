import ArgumentParser
import Earshot
import EarshotDiscovery
import EarshotGateway

struct Init: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make an identity, or make this machine another device of yours.",
        discussion: """
            The keys are written to the home directory, for its owner alone (mode 700). With a passphrase the \
            identity's secret key is sealed; a node needs the passphrase again to renew the credential.

            With --join this machine becomes a device of an identity that there is already: run earshot device add on a \
            machine that holds it, and type the code that it shows. The code is read from the terminal or from \
            standard input, and never from an argument, which others could see.

            Said again with the same name, it changes nothing and succeeds, so a script may say it each time.

            EXAMPLES:
              earshot init --name alice
              earshot init --name alice --passphrase
              earshot init --name alice --passphrase-file ~/.earshot-passphrase --home /srv/earshot
              earshot init --name alice --network-key-file ~/network-key
              earshot init --join
              earshot init --join --peer 192.0.2.7:28350
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var passphrase: PassphraseOptions

    @Option(help: "What others see: 1 to \(Limits.nameBytes) bytes of UTF-8.")
    var name: String?

    @Flag(name: .customLong("join"), help: "Become another device of an identity that there is already.")
    var isJoining = false

    @Option(
        name: .customLong("peer"),
        help: ArgumentHelp(
            "With --join: where the other machine's node is, if it cannot be found.", valueName: "host:port"),
        transform: { try Init.address($0) })
    var peer: PeerAddress?

    @Option(help: ArgumentHelp("With --join: what you call this machine.", valueName: "name"))
    var deviceName: String?

    @Option(
        help: ArgumentHelp(
            "Join the network whose key is in a file of mode 600.", valueName: "file"), completion: .file())
    var networkKeyFile: String?

    func validate() throws {
        guard isJoining != (name != nil) else {
            throw ValidationError("Name the user with --name, or join one of yours with --join.")
        }
        guard isJoining || peer == nil && deviceName == nil else {
            throw ValidationError("--peer and --device-name go with --join.")
        }
        guard !isJoining || networkKeyFile == nil else {
            throw ValidationError("With --join the network key comes from the other machine.")
        }
    }

    fileprivate static func address(_ text: String) throws -> PeerAddress {
        do throws(DiscoveryError) { return try StaticPeers.address(text) } catch {
            throw ValidationError("\(SafeText.line(error.message)): \(Remedy.addresses)")
        }
    }

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
        // Else everything but the node could use the home.
        try SocketPath.check(common.homeDirectory)
        guard let name else { return try await JoinDialog(home: common.homeDirectory, output: output).run(self) }
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
