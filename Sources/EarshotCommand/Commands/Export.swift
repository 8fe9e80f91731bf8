import ArgumentParser
import Earshot
import Foundation

struct Export: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a backup of everything into one file, encrypted under a passphrase.",
        discussion: """
            The backup has the identity, device keys, network key, trust and the whole history, as they are at one \
            moment. A node may run meanwhile. Anybody with the file and the passphrase can speak as you: choose a long \
            one. Without an option the command asks for it on the terminal.

            While it works, the home directory holds a copy of the history. The command removes it at the end, also if \
            you interrupt it. The next start of a node, export or import removes what a crash leaves.

            EXAMPLES:
              earshot export alice.backup
              earshot export alice.backup --passphrase-file ~/.backup-passphrase
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var passphrase: PassphraseOptions

    @Argument(help: "The file to write. An existing file is not overwritten.", completion: .file())
    var file: String

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        let passphrase = try passphrase.read(confirming: true) ?? PassphrasePrompt.ask(confirming: true)
        let summary = try Interruptible.run { try home.export(to: file, passphrase: passphrase, work: $0) }
        let report = BackupReport(summary, file: file)
        try output.object(report)
        output.line("wrote \(SafeText.line(file)): \(report.contents)")
        for line in report.waiting { output.line(line) }
    }
}
