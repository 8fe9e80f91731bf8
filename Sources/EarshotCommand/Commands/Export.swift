import ArgumentParser
import Earshot
import Foundation

struct Export: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a backup of everything into one file, encrypted under a passphrase.",
        discussion: """
            Identity, device keys, network key, trust and the whole history, as they are at one moment; a node may run \
            meanwhile. Whoever has the file and the passphrase is you: choose a long one. Without an option it is asked \
            for on the terminal.

            While it works, the home directory holds a copy of the history, which goes with it, also where you interrupt \
            it. What a crash leaves goes with the next start of a node, export or import.

            EXAMPLES:
              earshot export alice.backup
              earshot export alice.backup --passphrase-file ~/.backup-passphrase
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var passphrase: PassphraseOptions

    @Argument(help: "The file to write. One that is there is not overwritten.", completion: .file())
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
