import Earshot
import EarshotGateway

/// The stages of a message. A later stage includes the earlier ones.
enum DeliveryStage: String, CaseIterable, Comparable {
    case queued, sent, delivered, read

    static func < (a: Self, b: Self) -> Bool { a.index < b.index }

    private var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Follows one message of this node to a stage.
struct Delivery: Sendable {
    let client: GatewayClient
    let message: GatewayMessage
    /// The recipient, as shown.
    let recipient: String
    /// What keeps the recipient away for good; `nil` for a recipient who was never met.
    let obstacles: Obstacles?
    /// The events of `Delivery.events`, from before the message was sent.
    let events: GatewayEvents
    /// How long a node that died is waited for.
    let patience: Duration
    let onLoss: @Sendable () -> Void

    static let events: Set<EventName> = Obstacles.events.union([
        .messageSent, .messageDelivered, .messageRead, .messageFailed,
    ])

    /// - Parameter report: called for each state that is reached, in order.
    /// - Throws: `Failure`: why the message has failed, or why it stays queued until somebody does something about it;
    ///   `GatewayError` if the node ends.
    func follow(
        to goal: DeliveryStage, report: @escaping @Sendable (GatewayDelivery) throws -> Void
    ) async throws {
        guard .queued < goal else { return }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await followEvents(to: goal, report: report)
                return true
            }
            group.addTask {
                // What has failed before may not be tried again for a while.
                if let obstacle = try await standingObstacle() { throw obstacle }
                return false
            }
            defer { group.cancelAll() }
            while let isReached = try await group.next(), !isReached {}
        }
    }

    private func standingObstacle() async throws -> Failure? {
        do { return try await obstacles?.standing(client) } catch let error as GatewayError where error.isLoss {
            // Whoever follows the events waits for the node, or says that it is gone.
            return nil
        }
    }

    private func followEvents(
        to goal: DeliveryStage, report: @Sendable (GatewayDelivery) throws -> Void
    ) async throws {
        var reached = DeliveryStage.queued
        let isReached: Bool? = try await self.events.follow(patience: patience, onLoss: onLoss) { event in
            if reached == .queued, let obstacle = obstacles?.obstacle(in: event) { throw obstacle }
            guard let delivery = try await news(in: event) else { return nil }
            if delivery.state == DeliveryState.failed(.expired).name {
                try report(delivery)
                throw Failure(
                    FailureWords.code(delivery.reason),
                    "the message will not be delivered: "
                        + FailureWords.sentence(delivery.reason, recipient: recipient))
            }
            guard let stage = DeliveryStage(rawValue: delivery.state), stage > reached else { return nil }
            reached = stage
            try report(delivery)
            return reached >= goal ? true : nil
        }
        guard isReached == nil else { return }
        throw Failure(
            .connectionLost, "the node ended; the message stays queued", remedy: "start it again with: earshot up")
    }

    /// What an event says about the message.
    private func news(in event: GatewayEvent) async throws -> GatewayDelivery? {
        if event.isIncomplete {
            return try await client.message(message.id).recipients.first
        }
        guard let change = event.stateChange, change.messageID == message.id else { return nil }
        return change.recipient
    }
}
