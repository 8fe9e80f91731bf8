import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

/// `earshot` without a command: the first steps, or where somebody stands. It is no subcommand, since it has no name.
struct EarshotAlone: ProgramCommand {
    static let configuration = CommandConfiguration(commandName: "earshot")

    @OptionGroup var common: CommonOptions

    /// - Parameter arguments: of the program.
    /// - Returns: `nil` if they name a command, or anything else but the options of every command.
    static func command(for arguments: [String]) -> EarshotAlone? {
        let own = ["--home", "--json"]
        guard arguments.first.map({ first in own.contains { first == $0 || first.hasPrefix("\($0)=") } }) ?? true else {
            return nil
        }
        // What cannot be parsed is for the whole program to explain.
        do { return try parse(arguments) } catch { return nil }
    }

    func execute(_ output: Output) async throws {
        guard !output.isJSON else {
            throw Failure(
                .invalidUsage, "no command was named",
                remedy:
                    "earshot status --json says who you are and what the node does; earshot --help lists the commands")
        }
        guard isatty(STDOUT_FILENO) == 1 else { return explain(output) }
        let home = common.homeDirectory
        do { try home.check() } catch {
            guard error.code == .notInitialized else { throw error }
            guard Confirmation.isPossible else { return explain(output) }
            let homeOptions = common.home.map { ["--home", $0] } ?? []
            return try await FirstStepsDialog(home: home, homeOptions: homeOptions, output: output).run()
        }
        let owner = try home.owner()
        let overview = HomeOverview(
            name: owner.name.text, fingerprint: owner.userID.fingerprint, node: await Self.node(of: home),
            home: common.home, style: output.style)
        for line in overview.lines { output.line(line) }
    }

    /// Starts none: nobody has asked for anything that needs one.
    private static func node(of home: Home) async -> HomeOverview.Node {
        guard let pid = Session.pid(of: home) else { return .none }
        do throws(GatewayError) {
            let client = try GatewayClient(home: home)
            let unread = try await client.allConversations().map(\.unreadCount)
            return .running(pid: pid, status: try await client.status(), unread: unread)
        } catch { return .silent(pid: pid, reason: error.message) }
    }

    private func explain(_ output: Output) {
        output.line(
            """
            Messages for everyone within earshot: people on the local network, without a server.

              earshot init --name NAME   makes your identity
              earshot up --detach        runs your node in the background
              earshot web                opens its page in a browser
              earshot users              lists who is here
              earshot send NAME "TEXT"   sends a message
              earshot --help             lists every command, and the exit codes

            On a terminal, earshot alone takes the first steps with you.
            """)
    }
}
