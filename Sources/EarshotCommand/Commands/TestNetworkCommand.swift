import ArgumentParser
import Earshot
import Foundation

struct TestNetworkCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-network",
        abstract: "Serve nodes in memory, to test a bot in any language.",
        discussion: """
            The nodes are real, with the local API of each on a socket; the network, the disks and the clock are in \
            memory. Time stands still until it is told to go on, so a test of a reminder for tomorrow takes no time.

            Reads lines from standard input, each one JSON object, and answers each with one:
              {"node":"alice"}                     start the node of a user; the answer has its socket
              {"send":{"from":"alice","to":"robot","text":"hello"}}
              {"advance":"1h"}                     turn the clock
              {"crash":"robot"} {"stop":"robot"}   end a node; {"node":"robot"} starts it again
              {"cut":["alice","robot"]}            and mend, break (connections)
              {"fillDisk":"robot"}                 and freeDisk
              {"duplicateHandOut":{"user":"robot","consumer":"echo"}}
                                                   what the bot acknowledges next comes once more
              {"crashAfterHandOut":{"user":"robot","consumer":"echo"}}
                                                   the node crashes when the bot acknowledges next, and
                                                   starts again: nothing is acknowledged, nothing sent

            A line with a name is no answer: {"name":"ready",…} at the start, and {"name":"crashAfterHandOut",…} when \
            the fault has happened.

            It ends with its input, and removes everything.

            EXAMPLES:
              earshot test-network --folder /tmp/network < script
            """)

    @OptionGroup var common: CommonOptions

    @Option(help: ArgumentHelp("Where the sockets are; by default a new folder.", valueName: "path"))
    var folder: String?

    private struct Ready: Encodable {
        let name = "ready"
        let folder: String
    }

    func execute(_ output: Output) async throws {
        let lines = Output(isJSON: true)
        let path = folder ?? NSTemporaryDirectory() + "earshot-network-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let network = try ServedNetwork(folder: path) { news in
            do { try lines.object(news) } catch { preconditionFailure("names can be written as JSON: \(error)") }
        }
        try lines.object(Ready(folder: path))
        try await network.run {
            let input = StandardInput()
            while let line = try await input.line() {
                do { try lines.object(await network.obey(TestNetworkLine(line: line.utf8))) } catch {
                    let failure = (error as? LineError).map { Failure(.init("invalidLine"), $0.description) }
                    lines.report(failure ?? Failure(error))
                }
            }
        }
        if folder == nil { try FileManager.default.removeItem(atPath: path) }
    }
}
