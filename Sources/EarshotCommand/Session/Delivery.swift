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
    /// As it was when the node was asked last.
    var message: GatewayMessage
    /// Which of the submission's recipients it is for.
    let place: Int
    /// The recipient, as typed.
    let name: String
    /// The recipient, as shown.
    let shown: String
    /// What keeps the recipient away for good; `nil` for a recipient who was never met, and for many.
    let obstacles: Obstacles?
    /// Whether it goes to a conversation of many: then it has reached a stage when it has for all of them.
    var isOfMany = false

    static let events: Set<EventName> = Obstacles.events.union([
        .messageSent, .messageDelivered, .messageHandled, .messageRead, .messageFailed, .historyRecovered,
    ])
}

/// Follows messages of this node to a stage, each for itself: one that fails keeps none from being followed.
final class DeliveryFollower: Sendable {
    private struct Course {
        var delivery: Delivery
        /// What it has reached, for each recipient by key; `nil` for one that has failed, or stays queued until somebody does
        /// something about it.
        var stages: [String: Set<DeliveryStage>]?

        func isPending(for goal: DeliveryStage) -> Bool {
            stages.map { $0.values.contains { !goal.isReached(by: $0) } } ?? false
        }
    }

    private let client: GatewayClient
    private let submission: Submission
    private let goal: DeliveryStage
    private let results: SendResults
    private let courses: Mutex<[Course]>

    /// - Parameter submission: what the node was given, with a key.
    init(
        client: GatewayClient, _ submission: Submission, _ all: [Delivery], to goal: DeliveryStage, results: SendResults
    ) {
        self.client = client
        self.submission = submission
        self.goal = goal
        self.results = results
        courses = Mutex(
            all.map { delivery in
                let recipients = delivery.message.recipients.map { ($0.id, Set([DeliveryStage.queued])) }
                return Course(delivery: delivery, stages: Dictionary(recipients, uniquingKeysWith: { $1 }))
            })
    }

    /// Messages that neither have reached the stage nor have failed.
    var pending: [Delivery] {
        courses.withLock { courses in courses.filter { $0.isPending(for: goal) }.map(\.delivery) }
    }

    private var pendingPlaces: [Int] {
        courses.withLock { courses in courses.indices.filter { courses[$0].isPending(for: goal) } }
    }

    private func delivery(_ place: Int) -> Delivery { courses.withLock { $0[place].delivery } }

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
            let found = try await Obstacles.standing(courses.withLock { $0.map(\.delivery.obstacles) }, client)
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
                if let obstacle = delivery(place).obstacles?.obstacle(in: event) { block(place, obstacle) }
            }
            if event.isIncomplete || event.name == EventName.historyRecovered.rawValue {
                try await lookAgain()
            } else if let change = event.stateChange {
                for place in pendingPlaces where delivery(place).message.id == change.messageID {
                    try take(change.recipient, for: place)
                }
            }
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

    /// Asks for the messages again, by the key that they were sent with. Where the node has taken back its log, they have new ids, and
    /// the old ones may name other messages. The stream says that events are gone before it tells of any of those.
    private func lookAgain() async throws {
        let found = try await submission.submit(to: client)
        for place in pendingPlaces {
            switch found[delivery(place).place] {
            case .success(let message):
                courses.withLock { $0[place].delivery.message = message }
                for news in message.recipients { try take(news, for: place) }
            case .failure(let error): fail(place, Failure(error))
            }
        }
    }

    private func take(_ news: GatewayDelivery, for place: Int) throws {
        let delivery = delivery(place)
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

    /// - Returns: whether the stage is a later one for this recipient.
    private func advance(_ place: Int, _ recipientID: String, to stage: DeliveryStage) -> Bool {
        courses.withLock { courses in
            guard let recipients = courses[place].stages else { return false }
            let old = recipients[recipientID] ?? [.queued]
            guard !stage.isReached(by: old) else { return false }
            courses[place].stages?[recipientID] = old.union([stage])
            return true
        }
    }

    private func fail(_ place: Int, _ failure: Failure) {
        courses.withLock { $0[place].stages = nil }
        results.failed(failure, delivery(place).name)
    }

    /// Something stands in the way of a message, unless it has left meanwhile.
    private func block(_ place: Int, _ failure: Failure) {
        let isBlocked = courses.withLock { courses in
            guard courses[place].stages?.values.allSatisfy({ $0 == [.queued] }) == true else { return false }
            courses[place].stages = nil
            return true
        }
        if isBlocked { results.failed(failure, delivery(place).name) }
    }
}
