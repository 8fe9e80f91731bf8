import Earshot
import EarshotGateway

/// A command's connection to the node of a home directory: a node that runs, or a short-lived one that commands share.
struct Session: Sendable {
    let client: GatewayClient
    /// The node's user.
    let own: GatewayParty
    /// Whether the node ends when no command uses it.
    let isShortLived: Bool

    /// - Parameter network: how a node that this command starts reaches others. Without it, a short-lived node need not
    ///   be on the network.
    /// - Throws: `EarshotError`, `GatewayError`, and what the body throws.
    static func with<Result: Sendable>(
        _ home: Home, network: NetworkOptions? = nil, _ body: @Sendable (Session) async throws -> Result
    ) async throws -> Result {
        let lease = try await NodeLease.take(home, network: network)
        let result: Result
        do {
            let session = Session(client: lease.client, own: lease.own, isShortLived: lease.isShortLived)
            result = try await body(session)
        } catch {
            await lease.end()
            throw error
        }
        await lease.end()
        return result
    }

    /// The names of everybody who is known now.
    func names() async throws(GatewayError) -> NameBook { NameBook(try await client.users(), own: own) }

    /// The node that runs on a home directory, unless it is there only for commands.
    static func pid(of home: Home) -> Int32? {
        HomeMark.isSet(.shortLived, of: home) ? nil : HomeLock.holder(of: home)
    }
}
