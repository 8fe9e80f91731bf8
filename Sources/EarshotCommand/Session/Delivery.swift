import Earshot
import EarshotGateway
import Synchronization

/// The stages of a message. A later stage includes the earlier ones, but for the last two: a message may be read that no
/// program has dealt with, and the other way about.
enum DeliveryStage: String, CaseIterable, Comparable {
    case queued, sent, delivered, handled, read

    static func < (a: Self, b: Self) -> Bool { a.index < b.index }

    private var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Whether a message that has reached some stages has reached this one.
    func isReached(by stages: Set<DeliveryStage>) -> Bool {
        self > .delivered ? stages.contains(self) : stages.contains { $0 >= self }
    }
}

/// One message of this node, on its way to its recipient.
struct Delivery: Sendable {
    let message: GatewayMessage
    /// The recipient, as typed.
    let name: String
    /// The recipient, as shown.
    let shown: String
    /// What keeps the recipient away for good; `nil` for a recipient who was never met, and for many.
    let obstacles: Obstacles?
    /// Whether it goes to a conversation of many: then it has reached a stage when it has for all of them.
    var isOfMany = false

    static let events: Set<EventName> = Obstacles.events.union([
        .messageSent, .messageDelivered, .messageHandled, .messageRead, .messageFailed,
    ])
}

/// Follows messages of this node to a stage, each for itself: one that fails keeps none from being followed.
final class DeliveryFollower: Sendable {
    private let client: GatewayClient
    private let all: [Delivery]
    private let goal: DeliveryStage
    private let results: SendResults
    /// What each has reached, for each recipient by key; `nil` for one that has failed, or stays queued until somebody does
    /// something about it.
    private let stages: Mutex<[[String: Set<DeliveryStage>]?]>

    init(client: GatewayClient, _ all: [Delivery], to goal: DeliveryStage, results: SendResults) {
        self.client = client
        self.all = all
        self.goal = goal
        self.results = results
        stages = Mutex(
            all.map { Dictionary($0.message.recipients.map { ($0.id, [.queued]) }, uniquingKeysWith: { $1 }) })
    }

    /// Messages that neither have reached the stage nor have failed.
    var pending: [Delivery] { pendingPlaces.map { all[$0] } }

    private var pendingPlaces: [Int] {
        stages.withLock { stages in
            stages.indices.filter { place in
                stages[place].map { $0.values.contains { !goal.isReached(by: $0) } } ?? false
            }
        }
    }

    /// Returns when each message has reached the stage or has failed.
    /// - Parameters:
    ///   - events: those of `Delivery.events`, from before the messages were sent.
    ///   - patience: how long a node that died is waited for.
    ///   - onLoss: called when the node is waited for.
    /// - Throws: `GatewayError` if the node stays away.
    func follow(
        _ events: GatewayEvents, patience: Duration, onLoss: @escaping @Sendable () -> Void
    ) async throws {
        guard !pendingPlaces.isEmpty else { return }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { [self] in
                try await followEvents(events, patience: patience, onLoss: onLoss)
                return true
            }
            group.addTask { [self] in
                // What has failed before may not be tried again for a while.
                try await findStandingObstacles()
                return pendingPlaces.isEmpty
            }
            defer { group.cancelAll() }
            while let isReached = try await group.next(), !isReached {}
        }
    }

    private func findStandingObstacles() async throws {
        do {
            let found = try await Obstacles.standing(all.map(\.obstacles), client)
            for (place, failure) in found { block(place, failure) }
        } catch let error as GatewayError where error.isLoss {
            // Whoever follows the events waits for the node, or says that it is gone.
        }
    }

    private func followEvents(
        _ events: GatewayEvents, patience: Duration, onLoss: () -> Void
    ) async throws {
        let isReached: Bool? = try await events.follow(patience: patience, onLoss: onLoss) { event in
            for place in pendingPlaces {
                if let obstacle = all[place].obstacles?.obstacle(in: event) { block(place, obstacle) }
            }
            for place in pendingPlaces { try await take(event, for: place) }
            return pendingPlaces.isEmpty ? true : nil
        }
        guard isReached == nil else { return }
        for place in pendingPlaces {
            fail(
                place,
                Failure(
                    .connectionLost, "the node ended; the message stays queued",
                    remedy: "start it again with: earshot up"))
        }
    }

    private func take(_ event: GatewayEvent, for place: Int) async throws {
        for news in try await news(in: event, of: all[place]) { try take(news, for: place) }
    }

    private func take(_ news: GatewayDelivery, for place: Int) throws {
        let delivery = all[place]
        if news.state == DeliveryState.failed(.expired).name {
            try results.reached(news, delivery)
            fail(
                place,
                Failure(
                    FailureWords.code(news.reason),
                    "the message will not be delivered: "
                        + FailureWords.sentence(news.reason, recipient: delivery.shown)))
            return
        }
        // Of a message that was read nothing else tells that it was handled, too.
        if news.state == DeliveryStage.read.rawValue, news.handledAt != nil {
            _ = advance(place, news.id, to: .handled)
        }
        if let stage = DeliveryStage(rawValue: news.state), advance(place, news.id, to: stage) {
            try results.reached(news, delivery)
        }
    }

    /// What an event says about a message.
    private func news(in event: GatewayEvent, of delivery: Delivery) async throws -> [GatewayDelivery] {
        if event.isIncomplete { return try await client.message(delivery.message.id).recipients }
        guard let change = event.stateChange, change.messageID == delivery.message.id else { return [] }
        return [change.recipient]
    }

    /// - Returns: whether the stage is a later one for this recipient.
    private func advance(_ place: Int, _ recipientID: String, to stage: DeliveryStage) -> Bool {
        stages.withLock { stages in
            guard let recipients = stages[place] else { return false }
            let old = recipients[recipientID] ?? [.queued]
            guard !stage.isReached(by: old) else { return false }
            stages[place]?[recipientID] = old.union([stage])
            return true
        }
    }

    private func fail(_ place: Int, _ failure: Failure) {
        stages.withLock { $0[place] = nil }
        results.failed(failure, all[place].name)
    }

    /// Something stands in the way of a message, unless it has left meanwhile.
    private func block(_ place: Int, _ failure: Failure) {
        let isBlocked = stages.withLock { stages in
            guard stages[place]?.values.allSatisfy({ $0 == [.queued] }) == true else { return false }
            stages[place] = nil
            return true
        }
        if isBlocked { results.failed(failure, all[place].name) }
    }
}
