import Earshot
import TestSupport

/// All that a node posts from now on, and a way to wait for more of it.
actor EventRecorder {
    private let recorded = Watched<[Event]>([])
    private var token: EventObserverToken?

    var events: [Event] { recorded.value }

    static func observing(_ bus: EventBus) async -> EventRecorder {
        let recorder = EventRecorder()
        await recorder.observe(bus)
        return recorder
    }

    private func observe(_ bus: EventBus) {
        token = bus.addObserver(bufferLimit: 100_000) { [recorded] event in recorded.update { $0.append(event) } }
    }

    /// Waits until something can be found among the events.
    @discardableResult
    func wait<T: Sendable>(for what: String, _ find: @escaping @Sendable ([Event]) -> T?) async throws -> T {
        try await recorded.wait(for: what, find)
    }

    /// Waits until something holds of the node that it posts an event about.
    func until(_ what: String, _ condition: @escaping @Sendable () async throws -> Bool) async throws {
        try await recorded.wait(for: what) { _ in try await condition() ? true : nil }
    }

    /// Waits for the first event that is what is looked for.
    @discardableResult
    func first<T: Sendable>(_ what: String, _ extract: @escaping @Sendable (Event) -> T?) async throws -> T {
        try await wait(for: what) { $0.lazy.compactMap(extract).first }
    }

    /// Waits for a message's state.
    func state(_ state: DeliveryState, of messageID: MessageID) async throws {
        try await first("\(messageID) is \(state)") { event in
            event.change.flatMap { $0.messageID == messageID && $0.state == state ? $0 : nil }
        }
    }

    /// Waits until so many messages were received, and gives the texts of all. A recipient may hear of a message after
    /// its sender has heard that it is delivered.
    func receivedTexts(_ count: Int) async throws -> [String] {
        try await wait(for: "\(count) messages are received") { events in
            let texts = events.compactMap { $0.received?.text }
            return texts.count >= count ? texts : nil
        }
    }

    /// The texts of the messages that were received so far.
    var receivedTexts: [String] { events.compactMap { $0.received?.text } }

    /// The names of all events about one message, in their order.
    func names(about messageID: MessageID) -> [EventName] {
        events.filter { event in
            if case .messageQueued(let message) = event { return message.messageID == messageID }
            return event.received?.messageID == messageID || event.change?.messageID == messageID
        }.map(\.name)
    }
}

extension Event {
    var received: Message? {
        if case .messageReceived(let message) = self { message } else { nil }
    }

    var change: MessageStateChange? {
        switch self {
        case .messageSent(let change), .messageDelivered(let change), .messageHandled(let change),
            .messageRead(let change),
            .messageFailed(let change):
            change
        default: nil
        }
    }

    var linkFailure: LinkFailure? {
        if case .linkFailed(let failure) = self { failure } else { nil }
    }

    var discovered: User? {
        if case .userDiscovered(let user) = self { user } else { nil }
    }
}
