import ArgumentParser
import Earshot
import EarshotGateway

struct Status: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show who you are, and what the node is doing.",
        discussion: """
            EXAMPLES:
              earshot status
              earshot status --json | jq -r .fingerprint
              earshot status --json | jq -r '.links[].user.name'
              earshot status --json | jq .unread.messageCount
            """)

    @OptionGroup var common: CommonOptions

    /// The node's status, and what the command adds to it.
    struct Record: Encodable {
        let status: GatewayStatus
        let unread: UnreadSummary
        let home: String
        let pid: Int32?

        private enum CodingKeys: String, CodingKey {
            case unread, home, pid, isRunning
        }

        func encode(to encoder: any Encoder) throws {
            try status.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(unread, forKey: .unread)
            try container.encode(home, forKey: .home)
            try container.encodeIfPresent(pid, forKey: .pid)
            try container.encode(pid != nil, forKey: .isRunning)
        }
    }

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        try await Session.with(home) { session in
            let pid = session.isShortLived ? nil : HomeLock.holder(of: home)
            let status = try await session.client.status()
            let unread = try await session.client.unread(ownID: status.id)
            let record = Record(status: status, unread: unread, home: home.path, pid: pid)
            try output.object(record)
            let report = StatusReport(record: record, names: try await session.names(), style: output.style)
            for line in report.lines { output.line(line) }
        }
    }
}
