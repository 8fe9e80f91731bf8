import ArgumentParser
import Earshot

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The home directory; else $EARSHOT_HOME, else the user's data directory.", valueName: "path"))
    var home: String?

    @Flag(name: .customLong("json"), help: "One JSON object a line on standard output.")
    var isJSON = false

    var homeDirectory: Home { home.map { Home(path: $0) } ?? .standard() }
}

/// A command of the program. All commands report failures in the same way.
protocol ProgramCommand: AsyncParsableCommand, Sendable {
    var common: CommonOptions { get }
    /// Whether its process may wait until somebody reads what it writes. A node may not.
    var waitsForReader: Bool { get }
    func execute(_ output: Output) async throws
}

extension ProgramCommand {
    var waitsForReader: Bool { true }

    func run() async throws {
        let output = Output(isJSON: common.isJSON, waitsForReader: waitsForReader)
        do { try await execute(output) } catch let status as ExitCode {
            // The failure was reported already.
            throw status
        } catch {
            let failure = Failure(error)
            output.report(failure)
            throw failure.status.code
        }
    }
}
