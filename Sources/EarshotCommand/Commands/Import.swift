import ArgumentParser
import Earshot
import EarshotGateway

struct Import: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Restore a backup into a new home directory.",
        discussion: """
            The home directory must be empty, or not exist. If the import fails or you interrupt it, nothing is \
            written. A crash may leave HOME.import-... beside it; the next import to the same place, or the next start \
            of a node there, removes that.

            You get a NEW DEVICE: identity, name, history and trust are the same, so nobody has to trust you anew, and \
            the old machine may go on. What others send is delivered here from now on. Messages that still waited when \
            the backup was made stay with the old machine; only it can deliver them. They are listed here and shown as \
            failed. If the old machine is gone, send them again.

            With --same-device you go on as the old device, and messages that waited are delivered from here. Only do \
            that if the old machine is gone for good: two machines with one device's keys put each other out of the \
            network.

            EXAMPLES:
              earshot import alice.backup
              earshot import alice.backup --home /srv/earshot --passphrase-file ~/.backup-passphrase
              earshot import alice.backup --same-device
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var passphrase: PassphraseOptions

    @Argument(help: "The file that earshot export has written.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The identity's passphrase, if it is not that of the backup: the first line of a "
                + "file of mode 600.", valueName: "file"))
    var identityPassphraseFile: String?

    @Flag(name: .customLong("same-device"), help: "Go on as the old device. The old machine must never run again.")
    var isSameDevice = false

    @Flag(name: .customLong("yes"), help: "Do not ask whether the old machine is gone.")
    var isSure = false

    func validate() throws {
        guard isSameDevice || !isSure else { throw ValidationError("--yes goes with --same-device.") }
    }

    func execute(_ output: Output) async throws {
        try SocketPath.check(common.homeDirectory)
        if isSameDevice { try await confirm(output) }
        let home = common.homeDirectory
        let passphrase = try passphrase.read(confirming: false) ?? PassphrasePrompt.ask(confirming: false)
        let identityPassphrase = try identityPassphraseFile.map { try Passphrase(file: $0) }
        let summary = try Interruptible.run { work in
            try home.restore(
                from: file, passphrase: passphrase, as: isSameDevice ? .same : .new,
                identityPassphrase: identityPassphrase, work: work)
        }
        let report = BackupReport(summary, file: file, isSameDevice: isSameDevice)
        try output.object(report)
        output.line("restored \(SafeText.line(summary.name.text)) in \(SafeText.line(home.path)): \(report.contents)")
        output.line(isSameDevice ? "this is the same device as before" : "this is a new device of the same user")
        for line in report.waiting { output.line(line) }
    }

    private func confirm(_ output: Output) async throws {
        let warning = "two machines with one device's keys put each other out of the network"
        guard !isSure else { return }
        guard Confirmation.isPossible else {
            throw Failure(
                .notConfirmed, "--same-device needs a yes: \(warning)",
                remedy: "if the old machine is gone for good, say --yes")
        }
        output.note("\(warning); the old home directory must never be used again")
        guard try await Confirmation.ask("Is the old machine gone for good?") else {
            throw Failure(
                .notConfirmed, "nothing was restored", remedy: "leave out --same-device, and get a new device")
        }
    }
}
