import ArgumentParser
import Earshot
import EarshotGateway

struct Metrics: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print what the node has measured, as Prometheus reads it.",
        discussion: """
            Needs a node that runs: what is measured begins with it. The same is at GET /metrics of the local API.

            EXAMPLES:
              earshot metrics
              earshot metrics | grep refused
            """)

    @OptionGroup var common: CommonOptions

    private struct Record: Encodable {
        let metrics: String
    }

    func execute(_ output: Output) async throws {
        let text = try await GatewayClient(home: common.homeDirectory).metrics()
        try output.object(Record(metrics: text))
        // Only names and numbers of the node itself; nobody else wrote any of it.
        text.split(separator: "\n").forEach { output.line(String($0)) }
    }
}
