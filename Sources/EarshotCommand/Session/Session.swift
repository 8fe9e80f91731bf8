import Earshot
import EarshotGateway

/// A command's connection to the node of a home directory: a running node, or one that runs as long as the command.
struct Session: Sendable {
    let client: GatewayClient
    /// Whether the node ends with the command.
    let isOwn: Bool
    private let start: NodeHost.Start

    /// How long a node that holds the lock may take until its local API answers.
    private static let patience = Duration.seconds(5)
    private static let interval = Duration.milliseconds(50)

    /// Puts the command's own node on the network. A node that already ran is there.
    func goOnline() async throws { if isOwn { _ = try await start() } }

    /// - Throws: `EarshotError`, `GatewayError`, and what the body throws.
    static func with<Result: Sendable>(
        _ home: Home, _ configuration: NodeConfiguration = NodeConfiguration(discovery: .off),
        _ body: @escaping @Sendable (Session) async throws -> Result
    ) async throws -> Result {
        let deadline = ContinuousClock.now + patience
        while true {
            if HomeLock.holder(of: home) != nil {
                let client = try GatewayClient(home: home)
                try await waitUntilAnswering(client, home: home, until: deadline)
                return try await body(Session(client: client, isOwn: false) { 0 })
            }
            do {
                let node = try await Node.open(home, configuration: configuration)
                return try await NodeHost(node: node).run { client, start in
                    try await body(Session(client: client, isOwn: true, start: start))
                }
            } catch let error as EarshotError where error.code == .homeInUse && ContinuousClock.now < deadline {
                // Another command was faster.
                try await Task.sleep(for: interval)
            }
        }
    }

    /// A node takes the lock first and opens its socket a little later.
    private static func waitUntilAnswering(
        _ client: GatewayClient, home: Home, until deadline: ContinuousClock.Instant
    ) async throws {
        while true {
            do throws(GatewayError) {
                _ = try await client.status()
                return
            } catch {
                guard error.code == .noNode, ContinuousClock.now < deadline else { throw error }
            }
            try await Task.sleep(for: interval)
        }
    }
}
