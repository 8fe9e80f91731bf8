import ArgumentParser
import Earshot
import EarshotGateway

struct Status: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say who this is, and whether a node runs.",
        discussion: """
            EXAMPLES:
              earshot status
              earshot status --json | jq -r .fingerprint
            """)

    @OptionGroup var common: CommonOptions

    /// The node's status, and what the command knows beside it.
    private struct Record: Encodable {
        let status: GatewayStatus
        let home: String
        let pid: Int32?

        private enum CodingKeys: String, CodingKey {
            case home, pid, isRunning
        }

        func encode(to encoder: any Encoder) throws {
            try status.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(home, forKey: .home)
            try container.encodeIfPresent(pid, forKey: .pid)
            try container.encode(pid != nil, forKey: .isRunning)
        }
    }

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        try await Session.with(home) { session in
            let pid = session.isOwn ? nil : HomeLock.holder(of: home)
            let record = Record(status: try await session.client.status(), home: home.path, pid: pid)
            try output.object(record)
            describe(record, on: output)
        }
    }

    private func describe(_ record: Record, on output: Output) {
        let status = record.status
        let port = status.port.map { ", port \($0)" } ?? ""
        let links = status.links.map { "\($0.user.name ?? $0.user.id) (\($0.address ?? "unknown address"))" }
        let rows = [
            ("name", status.name),
            ("fingerprint", status.fingerprint),
            ("home", record.home),
            ("node", record.pid.map { "runs, pid \($0)\(port)" } ?? "does not run (start it with: earshot up)"),
            ("links", links.isEmpty ? "none" : links.joined(separator: ", ")),
            ("users", "\(status.knownUsers) known"),
            ("undelivered", "\(status.undeliveredMessages) messages"),
            ("credential", "valid until \(LocalTime.full(status.credentialExpiryMilliseconds))"),
        ]
        for (label, value) in rows {
            output.line(output.style.dim(DisplayWidth.pad(label, to: 13)) + SafeText.line(value))
        }
    }
}
