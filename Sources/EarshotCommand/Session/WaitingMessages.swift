import Earshot
import EarshotGateway

/// The last messages to a user, so that a command can say how many of them a decision has failed.
struct WaitingMessages: Sendable {
    private let client: GatewayClient
    private let userID: String
    private let waiting: Set<String>

    /// How many messages are checked. More may be waiting.
    private static let limit = 100

    init(_ client: GatewayClient, to user: GatewayUser) async throws {
        self.client = client
        userID = user.id
        let messages = try await client.history(with: user.id, limit: Self.limit)
        waiting = Set(
            messages.filter { $0.delivery(to: user.id).map { $0.state == "queued" || $0.state == "sent" } ?? false }
                .map(\.id))
    }

    /// - Returns: a sentence about the messages that have failed for this reason since; `nil` if none has.
    func failed(as reason: FailureReason) async throws -> String? {
        guard !waiting.isEmpty else { return nil }
        var count = 0
        for id in waiting {
            if try await client.message(id).delivery(to: userID)?.reason == reason.rawValue { count += 1 }
        }
        guard count > 0 else { return nil }
        let least = waiting.count == Self.limit ? "at least " : ""
        return count == 1
            ? "1 message that waited for them has failed"
            : "\(least)\(count) messages that waited for them have failed"
    }
}

extension GatewayMessage {
    /// Its state for a recipient; `nil` if the user is not one.
    func delivery(to userID: String) -> GatewayDelivery? { recipients.first { $0.id == userID } }
}
