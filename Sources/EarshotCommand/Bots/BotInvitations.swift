import Earshot
import EarshotGateway
import Logging

/// Accepts invitations of a bot's user to private conversations, up to a number of conversations, and else says how they
/// are accepted.
///
/// Whoever invites a bot gets what it has to say, so nobody is let in without being asked for.
struct BotInvitations: Sendable {
    let client: GatewayClient
    /// In how many private conversations the user may be before the next is accepted.
    let limit: Int
    let logger: Logger
    private let told = Told()

    /// The invitations that the log has.
    private actor Told {
        private var ids: Set<String> = []

        /// - Returns: whether it is news.
        func insert(_ id: String) -> Bool { ids.count < Limits.conversationsOfMany && ids.insert(id).inserted }
    }

    init(client: GatewayClient, limit: Int, logger: Logger) {
        self.client = client
        self.limit = limit
        self.logger = logger
    }

    /// Runs until the task is cancelled. A node that is away is waited for.
    func run() async throws {
        while true {
            do { try await follow() } catch let error as GatewayError {
                guard case .trouble = BotInbox.meaning(of: error, acknowledging: false) else { throw error }
            }
            try await Task.sleep(for: NodeLease.interval)
        }
    }

    private func follow() async throws {
        try await client.withEvents([.conversationUpdated]) { events in
            try await answer()
            let _: Never? = try await events.follow(patience: .zero) { event in
                guard event.conversation?.status == Participant.Status.invited.rawValue else { return nil }
                try await answer()
                return nil
            }
        }
    }

    private func answer() async throws {
        let all = try await client.allConversations().filter { $0.kind == ConversationKind.private.rawValue }
        var count = all.count { $0.status == Participant.Status.joined.rawValue }
        for conversation in all where conversation.status == Participant.Status.invited.rawValue {
            let name = "#" + SafeText.line(conversation.uniqueName ?? conversation.id)
            if count < limit {
                _ = try await client.join(known: conversation.id)
                count += 1
                logger.info("joined \(name)")
            } else if await told.insert(conversation.id) {
                logger.notice(
                    """
                    invited to \(name): earshot conversation accept \(conversation.id), or run the bot with \
                    --accept-invitations
                    """)
            }
        }
    }
}
