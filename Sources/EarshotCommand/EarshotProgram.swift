import ArgumentParser
import EarshotGateway

/// The `earshot` program.
@main
struct EarshotProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot",
        abstract: "Messages for everyone within earshot: people on the local network, without a server.",
        discussion: """
            Make an identity, keep a node running, and write to somebody:

              earshot init --name alice
              earshot up &
              earshot send bob "Lunch?"
              earshot chat bob

            All commands but init and up talk to the node that runs on the home directory. Where none runs, they start \
            one for as long as they take.

            With --json each line of standard output is one JSON object.

            EXIT CODES:
            \(ExitStatus.table)

            ENVIRONMENT:
              EARSHOT_HOME   the home directory, unless --home names one
              NO_COLOR       no colours, not even on a terminal
            """,
        subcommands: [
            Init.self, Up.self, Status.self, Users.self, Send.self, Chat.self, History.self, Cancel.self,
            Network.self, Doctor.self,
        ])

    static func main() async {
        // The runtime repairs arguments that are not UTF-8, and something else than was typed would be sent.
        guard RawArguments.areUTF8 else {
            Output(isJSON: false).report(
                Failure(
                    .invalidUTF8, "an argument is not valid UTF-8", remedy: "type it in UTF-8, or check the locale"))
            exit(withError: ExitStatus.usage.code)
        }
        await main(nil)
    }
}
