import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

/// The `earshot` program.
@main
struct EarshotProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot",
        abstract: "Messages for everyone within earshot: people on the local network, without a server.",
        discussion: """
            On a terminal, earshot alone takes the first steps with you, and later says where you stand. Step by step: make \
            an identity, keep a node running, and write to somebody:

              earshot init --name alice
              earshot up --detach
              earshot send bob "Lunch?"
              earshot chat bob

            init, network, export, import, stop and service work on the home directory itself. The others but completions \
            and test-network talk to the node that runs on it; where none runs, they start one for as long as they take \
            (metrics does not).

            With --json each line of standard output is one JSON object.

            EXIT CODES:
            \(ExitStatus.table)

            ENVIRONMENT:
              EARSHOT_HOME   the home directory, unless --home names one
              NO_COLOR       no colours, not even on a terminal
            """,
        version: "earshot \(Earshot.versionOfBuild)",
        groupedSubcommands: [
            CommandGroup(
                name: "Node",
                subcommands: [
                    Init.self, Up.self, Stop.self, Web.self, Service.self, Status.self, Doctor.self, Metrics.self,
                    Network.self,
                    ShortLivedNode.self,
                ]),
            CommandGroup(
                name: "Message",
                subcommands: [
                    Send.self, Chat.self, InboxCommand.self, Conversations.self, ConversationCommand.self, History.self,
                    Search.self, Read.self, Save.self, FilesCommand.self, NotifyCommand.self, DraftCommand.self,
                    Reply.self, Edit.self,
                    React.self,
                    Cancel.self, Retract.self, Erase.self, Delete.self, Audit.self,
                ]),
            CommandGroup(
                name: "User",
                subcommands: [
                    Users.self, ProfileCommand.self, TrustCommand.self, Verify.self, Block.self, Unblock.self,
                ]),
            CommandGroup(name: "Device", subcommands: [DeviceCommand.self]),
            CommandGroup(name: "Program", subcommands: [TokenCommand.self]),
            CommandGroup(name: "Backup", subcommands: [Export.self, Import.self]),
            CommandGroup(name: "Bot", subcommands: [BotCommand.self, TestNetworkCommand.self]),
            CommandGroup(name: "Shell", subcommands: [Completions.self]),
        ])

    static func main() async {
        // The threads of libdispatch ask for priorities that only root may have, and it logs each refusal.
        setenv("LIBDISPATCH_LOG", "NO", 0)
        // A closed pipe is an error of the write, and does not end a node: see `Output` and `StandardError`.
        signal(SIGPIPE, SIG_IGN)
        // The runtime repairs arguments that are not UTF-8, so something other than what was typed would be sent.
        let arguments = Array(CommandLine.arguments.dropFirst())
        let output = Output(isJSON: arguments.prefix { $0 != "--" }.contains("--json"))
        guard RawArguments.areUTF8 else {
            output.report(
                Failure(
                    .invalidUTF8, "an argument is not valid UTF-8", remedy: "type it in UTF-8, or check the locale"))
            exit(withError: ExitStatus.usage.code)
        }
        if let failure = Typo.failure(in: arguments) {
            output.report(failure)
            exit(withError: failure.status.code)
        }
        do {
            let alone = EarshotAlone.command(for: arguments)
            var command: any ParsableCommand
            if let alone { command = alone } else { command = try await asyncParseAsRoot(arguments) }
            if let failure = tooFewOpenFiles {
                output.report(failure)
                exit(withError: failure.status.code)
            }
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            if exitCode(for: error) == ExitStatus.usage.code, !(error is ExitCode),
                let failure = UsageHint.failure(for: message(for: error), in: arguments)
            {
                output.report(failure)
                exit(withError: failure.status.code)
            }
            if output.isJSON, exitCode(for: error) == ExitStatus.usage.code, !(error is ExitCode) {
                output.report(usageFailure(error))
                exit(withError: ExitStatus.usage.code)
            }
            exit(withError: error)
        }
    }

    /// What a program does that may open too few files is left half done, and looks like something else.
    private static var tooFewOpenFiles: Failure? {
        let allowed = OpenFiles.raiseLimit(to: OpenFiles.needed)
        guard allowed < OpenFiles.needed else { return nil }
        return Failure(
            .tooFewOpenFiles, "too few open files are allowed: \(allowed), and \(OpenFiles.needed) are needed",
            remedy: "ulimit -n 1024, in the shell or service that starts it; ulimit -H -n shows how far that goes")
    }

    /// What the argument parser says about a command line, as other failures are said.
    private static func usageFailure(_ error: any Error) -> Failure {
        let help = fullMessage(for: error).firstMatch(of: /See '(.+)' for more information/)
        return Failure(.invalidUsage, message(for: error), remedy: help.map { String($0.output.1) } ?? "earshot --help")
    }
}
