import Earshot
import EarshotGateway

/// Finds a user by name, and gives discovery a moment where the node has just started.
struct UserLookup {
    let session: Session

    static let patience = Duration.seconds(5)

    /// - Throws: `GatewayError` `unknownUser` or `ambiguousUser`.
    func user(named name: String) async throws -> GatewayUser {
        let client = session.client
        let events = try await client.events([.userDiscovered, .userUpdated])
        do throws(GatewayError) { return try await client.user(named: name) } catch {
            guard session.isOwn, error.code == .unknownUser else { throw error }
            let found = try await within(Self.patience) { () -> GatewayUser? in
                for try await _ in events {
                    do throws(GatewayError) { return try await client.user(named: name) } catch {
                        guard error.code == .unknownUser else { throw error }
                    }
                }
                return nil
            }
            guard let user = found ?? nil else { throw error }
            return user
        }
    }
}
