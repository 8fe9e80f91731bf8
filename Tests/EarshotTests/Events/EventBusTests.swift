import Synchronization
import TestSupport
import Testing

@testable import Earshot

@Suite("The event bus")
struct EventBusTests {
    private let bus = EventBus()

    @Test("gives every event to every observer, once and in order")
    func delivery() async throws {
        let sequences = (0..<3).map { _ in bus.events(.all) }
        for number in 0..<100 { bus.post(event(number)) }
        bus.finish()
        for sequence in sequences { #expect(try await numbers(in: sequence) == Array(0..<100)) }
    }

    @Test("has a sequence for every name, which gives that event and no other", arguments: EventName.allCases)
    func sequences(_ name: EventName) async throws {
        let samples = try EventSamples()
        let count = samples.countingSequence(of: name, on: bus)
        for event in samples.all { bus.post(event) }
        if name == .eventsLost { bus.noteLost() }
        bus.finish()
        #expect(try await count() == 1)
    }

    @Test("tells who observes nothing but losses of every observer's, those of one moment together")
    func lossesOfAll() async throws {
        let losses = bus.events(.eventsLost)
        let (first, second) = (bus.events(.all, bufferLimit: 1), bus.events(.storageFailed, bufferLimit: 2))
        for number in 0..<4 { bus.post(event(number)) }
        bus.finish()
        var told: [Int] = []
        for try await count in losses { told.append(count) }
        #expect(told == [3 + 2])
        withExtendedLifetime((first, second)) {}
    }

    @Test("calls an observer for one event at a time, in order")
    func observer() async throws {
        struct Calls {
            var begun: [Int] = []
            var ended: [Int] = []
        }
        let calls = Watched(Calls())
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let token = bus.addObserver { event in
            guard let number = number(of: event) else { return }
            calls.update { $0.begun.append(number) }
            if number == 0 { for await _ in gate {} }
            calls.update { $0.ended.append(number) }
        }
        for number in 0..<50 { bus.post(event(number)) }
        // While the observer is at the first, nobody calls it for the second.
        try await calls.wait(for: "the first event") { $0.begun.isEmpty ? nil : true }
        #expect(calls.value.begun == [0])
        opener.finish()
        let all = Array(0..<50)
        try await calls.wait(for: "50 events") { $0.ended == all ? true : nil }
        #expect(calls.value.begun == all)
        withExtendedLifetime(token) {}
    }

    @Test("gives an observer only what it asked for")
    func names() async throws {
        let failures = bus.events(.named([.storageRecovered]))
        let messages = bus.events(.messageReceived)
        bus.post(.storageFailed("full"))
        bus.post(.storageRecovered)
        bus.finish()
        #expect(try await all(in: failures) == [.storageRecovered])
        for try await _ in messages { Issue.record("nobody sent a message") }
    }

    @Test("begins with what is posted from now on")
    func fromNowOn() async throws {
        bus.post(event(0))
        let events = bus.events(.all)
        bus.post(event(1))
        bus.finish()
        #expect(try await numbers(in: events) == [1])
    }

    @Test("never waits for an observer: what does not fit is lost, counted and told")
    func bound() async throws {
        let events = bus.events(.all, bufferLimit: 10)
        for number in 0..<100_000 { bus.post(event(number)) }
        bus.finish()
        #expect(try await all(in: events) == (0..<10).map(event) + [.eventsLost(count: 99_990)])
    }

    @Test("tells of messages that follow each other one by one, and loses the last ones if they do not fit")
    func run() async throws {
        let (all, some) = (bus.events(.messageDelivered), bus.events(.named([.messageDelivered]), bufferLimit: 2))
        let user = UserID(Bytes32())
        let log = LogID(Bytes32())
        bus.post(
            .progress(
                MessageProgress(
                    logID: log, conversationID: ConversationID(Bytes32()), recipientID: user, step: .delivered,
                    sequences: 1...5)))
        bus.finish()
        var sequences: [UInt64] = []
        for try await change in all { sequences.append(change.messageID.sequence) }
        #expect(sequences == [1, 2, 3, 4, 5])
        let names = try await self.all(in: some).map(\.name)
        #expect(names == [.messageDelivered, .messageDelivered, .eventsLost])
    }

    @Test("tells those who follow a message of that one alone, in a run of few and of many", arguments: [3, 1000])
    func followers(runLength: UInt64) async throws {
        let (log, other) = (LogID(Bytes32()), LogID(try #require(Bytes32(repeatElement(1, count: 32)))))
        let followed = (1...5).map { bus.states(of: FollowedMessage(MessageID(log: log, sequence: $0))) }
        let again = bus.states(of: FollowedMessage(MessageID(log: log, sequence: 3)))
        let change = MessageStateChange(
            messageID: MessageID(log: log, sequence: 4), conversationID: ConversationID(Bytes32()),
            recipientID: UserID(Bytes32()), state: .failed(.expired))
        for log in [other, log] {
            bus.post(
                .progress(
                    MessageProgress(
                        logID: log, conversationID: change.conversationID, recipientID: change.recipientID,
                        step: .delivered, sequences: 2...1 + runLength)))
        }
        bus.post(.messageFailed(change))
        bus.finish()
        var told: [[DeliveryState]] = []
        for sequence in followed + [again] { told.append(try await all(in: sequence).compactMap(\.stateChange?.state)) }
        let fifth: [DeliveryState] = runLength > 3 ? [.delivered] : []
        #expect(told == [[], [.delivered], [.delivered], [.delivered, .failed(.expired)], fifth, [.delivered]])
        #expect(bus.lostCount == 0)
    }

    @Test("tells those who follow a message of that one under its new id, and of nobody else under its old one")
    func renamed() async throws {
        let (log, limbo) = (LogID(Bytes32()), LogID(try #require(Bytes32(repeatElement(1, count: 32)))))
        let followed = [2, 7].map { FollowedMessage(MessageID(log: log, sequence: $0)) }
        let sequences = followed.map { bus.states(of: $0) }
        bus.rename([
            RenamedMessages(
                from: MessageID(log: log, sequence: 6), to: MessageID(log: limbo, sequence: 1), count: 3)
        ])
        let named = [MessageID(log: log, sequence: 2), MessageID(log: limbo, sequence: 2)]
        #expect(followed.map(\.id) == named)
        for log in [log, limbo] {
            bus.post(
                .progress(
                    MessageProgress(
                        logID: log, conversationID: ConversationID(Bytes32()), recipientID: UserID(Bytes32()),
                        step: .delivered, sequences: 1...9)))
        }
        let told = sequences.map { sequence in Task { try await all(in: sequence) } }
        bus.finish()
        #expect(try await told[0].value.map { $0.stateChange?.messageID } == [named[0]])
        // Between the two it may have changed: that is to be looked up.
        #expect(try await told[1].value.map { $0.stateChange?.messageID } == [nil, named[1]])
    }

    @Test("tells an observer of its losses at the place where they were, even if it never catches up")
    func lossWithoutCatchingUp() async throws {
        let events = bus.events(.all, bufferLimit: 2)
        for number in 0..<5 { bus.post(event(number)) }
        var iterator = events.makeAsyncIterator()
        #expect(try await iterator.next() == event(0))
        bus.post(event(5))
        #expect(try await iterator.next() == event(1))
        #expect(try await iterator.next() == .eventsLost(count: 3))
        #expect(try await iterator.next() == event(5))
    }

    @Test(
        "has no sequence that loses events without a word, whichever kind it is",
        arguments: EventName.allCases.filter { $0 != .eventsLost })
    func lossesOfEachKind(_ name: EventName) async throws {
        let samples = try EventSamples()
        let count = samples.countingSequence(of: name, on: bus, bufferLimit: 1)
        for _ in 0..<3 { for event in samples.all where event.name == name { bus.post(event) } }
        bus.finish()
        let error = await #expect(throws: EarshotError.self) { try await count() }
        #expect(error?.code == .eventsLost && error?.message.hasPrefix("2 events") == true)
    }

    @Test("goes on after a loss, for whoever wants to")
    func afterLoss() async throws {
        var failures = bus.events(.storageFailed, bufferLimit: 1).makeAsyncIterator()
        for number in 0..<3 { bus.post(event(number)) }
        #expect(try await failures.next() == "0")
        await #expect(throws: EarshotError.self) { try await failures.next() }
        bus.post(event(3))
        #expect(try await failures.next() == "3")
    }

    @Test("tells a second task that iterates a sequence that it is taken, and gives the first what it waits for")
    func twoTasks() async throws {
        let events = bus.events(.storageFailed)
        let tasks = (0..<2).map { _ in Task { try await events.first { _ in true } } }
        // One of them waits for ever; the other is told at once.
        let refused = try await withDeadline("one is refused") {
            await withTaskGroup(of: EarshotError.Code?.self) { group in
                for task in tasks {
                    group.addTask {
                        do { _ = try await task.value } catch { return (error as? EarshotError)?.code }
                        return nil
                    }
                }
                let first = await group.next()
                bus.post(event(0))
                return first ?? nil
            }
        }
        #expect(refused == .sequenceBusy)
        var texts: [String] = []
        for task in tasks { if case .success(let text?) = await task.result { texts.append(text) } }
        #expect(texts == ["0"])
    }

    @Test("counts for each observer what that one lost")
    func separateBounds() async throws {
        let (small, large) = (bus.events(.all, bufferLimit: 1), bus.events(.all, bufferLimit: 4))
        for number in 0..<4 { bus.post(event(number)) }
        bus.finish()
        #expect(try await all(in: small) == [event(0), .eventsLost(count: 3)])
        #expect(try await numbers(in: large) == [0, 1, 2, 3])
    }

    @Test("stops calling an observer whose token is removed or released")
    func removal() async throws {
        let calls = Mutex(0)
        let removed = bus.addObserver { _ in calls.withLock { $0 += 1 } }
        removed.remove()
        do { _ = bus.addObserver { _ in calls.withLock { $0 += 1 } } }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let last = bus.addObserver { _ in continuation.yield() }
        bus.post(event(0))
        try await withDeadline("the one observer that is left") { for await _ in stream { return } }
        #expect(calls.withLock { $0 } == 0)
        withExtendedLifetime(last) {}
    }

    @Test("ends every sequence when the node stops, after what waits, and those that begin later at once")
    func finish() async throws {
        let events = bus.events(.all)
        bus.post(event(0))
        bus.finish()
        bus.post(event(1))
        #expect(try await numbers(in: events) == [0])
        #expect(try await numbers(in: bus.events(.all)) == [])
    }

    @Test("ends a sequence whose task is cancelled while it waits")
    func cancellation() async throws {
        let events = bus.events(.all)
        let (stream, begun) = AsyncStream<Void>.makeStream()
        let task = Task {
            begun.yield()
            for try await _ in events {}
        }
        for await _ in stream { break }
        task.cancel()
        try await withDeadline("the task ends") { try await task.value }
    }

    @Test("gives nothing of what waits to a task that is cancelled, nor to an observer whose token is removed")
    func cancellationBeforeEvents() async throws {
        let (bus, events) = (bus, bus.events(.all))
        for number in 0..<3 { bus.post(event(number)) }
        let taken = Task {
            var iterator = events.makeAsyncIterator()
            let first = try await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            return [first != nil, try await iterator.next() != nil]
        }
        #expect(try await taken.value == [true, false])

        let calls = Mutex(0)
        let (stream, begun) = AsyncStream<Void>.makeStream()
        let (end, ended) = AsyncStream<Void>.makeStream()
        let token = bus.addObserver { [releasing = Releasing { ended.yield() }] _ in
            calls.withLock { $0 += 1 }
            begun.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            withExtendedLifetime(releasing) {}
        }
        for number in 0..<3 { bus.post(event(number)) }
        for await _ in stream { break }
        token.remove()
        try await withDeadline("the observer is released") { for await _ in end { return } }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("ends a sequence whose task is cancelled, though with each event that it takes another comes")
    func cancellationUnderLoad() async throws {
        let (bus, events) = (bus, bus.events(.all))
        bus.post(event(0))
        let (stream, begun) = AsyncStream<Void>.makeStream()
        let task = Task {
            for try await _ in events {
                bus.post(.storageFailed("more"))
                begun.yield()
            }
        }
        for await _ in stream { break }
        task.cancel()
        try await withDeadline("the task ends") { try await task.value }
    }

    /// An event that is told apart from others by a number.
    private func event(_ number: Int) -> Event { .storageFailed("\(number)") }

    private func number(of event: Event) -> Int? {
        if case .storageFailed(let text) = event { Int(text) } else { nil }
    }

    private func all(in events: EventSequence<Event>) async throws -> [Event] {
        var all: [Event] = []
        for try await event in events { all.append(event) }
        return all
    }

    private func numbers(in events: EventSequence<Event>) async throws -> [Int] {
        try await all(in: events).compactMap(number)
    }
}

/// Tells of its release.
private final class Releasing: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }
}
