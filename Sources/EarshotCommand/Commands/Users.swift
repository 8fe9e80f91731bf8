import ArgumentParser
import Earshot
import EarshotGateway

struct Users: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the users that this node has met.",
        discussion: """
            A user is its key; the fingerprint is the beginning of it. Where two have one name, say which:
            earshot send bob@3fk9 "hello"

            EXAMPLES:
              earshot users
              earshot users --json | jq -r 'select(.isOnline) | .name'
            """)

    @OptionGroup var common: CommonOptions

    func execute(_ output: Output) async throws {
        let users = try await Session.with(common.homeDirectory) { try await $0.client.users() }
        for user in users { try output.object(user) }
        guard !users.isEmpty else {
            output.line("nobody was met yet: a node finds others while it runs (earshot up)")
            return
        }
        for line in table(users, output.style) { output.line(line) }
    }

    private func table(_ users: [GatewayUser], _ style: Style) -> [String] {
        let rows = users.map { user in
            [
                SafeText.line(user.name),
                user.isOnline ? "online" : "seen \(LocalTime.full(user.lastSeenMilliseconds))",
                user.trust, user.fingerprint,
            ]
        }
        let all = [["NAME", "PRESENCE", "TRUST", "FINGERPRINT"]] + rows
        let widths = all[0].indices.map { column in all.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
        return all.enumerated().map { number, row in
            let line = zip(row, widths).map { DisplayWidth.pad($0, to: $1) }.joined(separator: "  ")
            let text = String(line.reversed().drop { $0 == " " }.reversed())
            return number == 0 ? style.dim(text) : text
        }
    }
}
