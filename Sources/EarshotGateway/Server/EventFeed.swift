import Earshot
import Logging
import NIOCore
import Synchronization

/// Reads and encodes what happens on a node, once for all event streams.
///
/// A stream takes the events from the feed's window, in which those are encoded that a stream wants. One that is new or too
/// slow reads the journal itself, and is told how many of the events it lost that no journal has. So no stream makes the
/// node keep anything for it. While there is no stream, the feed reads nothing.
final class EventFeed: Sendable {
    private enum Phase {
        /// Nobody has asked for events, or the feed has not found its place in the journal yet.
        case idle
        /// Everything that is journalled from now on will be in the window.
        case following
        /// The node has stopped.
        case finished
    }

    private struct Stream {
        let names: Set<EventName>
        /// Wakes it.
        let changes: AsyncStream<Void>.Continuation
    }

    private struct State {
        var phase = Phase.idle
        var window: EventWindow
        var streams: [UInt64: Stream] = [:]
        var lastNumber: UInt64 = 0
    }

    /// What a stream has of the feed.
    struct Seat: Sendable {
        let number: UInt64
        let begin: EventWindow.Place
        /// An element after each change, several of them merged. It ends with the stream.
        let changes: AsyncStream<Void>
    }

    /// The events that the journal keeps.
    static let journalled: Set<EventName> = [
        .messageQueued, .messageReceived, .messageSent, .messageDelivered, .messageHandled, .messageRead,
        .messageFailed,
        .messageUpdated, .conversationUpdated, .participantUpdated, .userDiscovered, .userUpdated,
        .draftInserted, .draftUpdated, .draftSent, .draftDiscarded,
    ]

    private let node: Node
    /// The other events.
    private let others: EventSequence<Event>
    /// An element after somebody has asked for events.
    private let joins: AsyncStream<Void>
    private let joined: AsyncStream<Void>.Continuation
    private let state: Mutex<State>

    init(node: Node, window: EventWindow = EventWindow()) {
        self.node = node
        others = node.events.events(.named(Set(EventName.allCases).subtracting(Self.journalled)))
        (joins, joined) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        state = Mutex(State(window: window))
    }

    // MARK: - The node

    /// Reads until the node has stopped or the task is cancelled. Then every stream ends.
    func run() async {
        async let following: Void = followOthers()
        async let _: Void = beat()
        await followJournal()
        // Ends with the node, too.
        await following
        finish()
    }

    private func followOthers() async {
        do throws(EarshotError) {
            for try await event in others where isWanted { await add(event, id: nil) }
        } catch { preconditionFailure("nobody else takes these events: \(error)") }
    }

    /// Something is sent now and then, so that both ends notice when the other is gone.
    private func beat() async {
        while true {
            do { try await Task.sleep(for: GatewayLimits.heartbeat) } catch { return }
            if isWanted { add(EventWindow.Item(content: .heartbeat, bytes: ByteBuffer())) }
        }
    }

    private func followJournal() async {
        for await _ in joins {
            while isWanted {
                await readJournal()
                if node.state == .stopped || Task.isCancelled { return }
            }
        }
    }

    /// Reads the journal from its end on, until there is no stream, the node has stopped, or it cannot go on.
    private func readJournal() async {
        do {
            let end = try await node.journal.latest()
            beginFollowing()
            for try await entry in node.journal.events(after: end) {
                await add(entry.event, id: entry.id)
                if rest() { return }
            }
        } catch let error as EarshotError where error.code == .gone {
            // It goes on from the new end, and each stream reads for itself what comes before that.
        } catch {
            node.configuration.logger.error("the journal cannot be read", metadata: ["error": "\(error)"])
            endStreams()
        }
    }

    private func add(_ event: Event, id: EventID?) async {
        // A stream that begins meanwhile and wants it finds it in the journal.
        if let id, !isWanted(event.name) {
            return add(EventWindow.Item(content: .omitted(event.name, id), bytes: ByteBuffer()))
        }
        let shown = await Representer(node: node).event(event, id: id)
        do {
            add(
                EventWindow.Item(
                    content: .event(event.name, id), bytes: try EventText.encode(shown),
                    draftedBy: event.draft?.insertedBy,
                    told: try event.name.isOfDraft ? EventText.encode(shown.told) : nil))
        } catch {
            node.configuration.logger.error("an event cannot be encoded", metadata: ["error": "\(error)"])
        }
    }

    private func add(_ item: EventWindow.Item) { change { $0.window.append(item) } }

    private var isWanted: Bool { state.withLock { !$0.streams.isEmpty } }

    private func isWanted(_ name: EventName) -> Bool {
        state.withLock { $0.streams.values.contains { $0.names.contains(name) } }
    }

    private func beginFollowing() {
        change { state in
            if case .following = state.phase {
                state.window.append(EventWindow.Item(content: .journalChanged, bytes: ByteBuffer()))
            }
            state.phase = .following
        }
    }

    /// Reads no further if there is no stream.
    private func rest() -> Bool {
        state.withLock { state in
            guard state.streams.isEmpty else { return false }
            state.phase = .idle
            state.window.removeAll()
            return true
        }
    }

    private func finish() {
        change { $0.phase = .finished }
        // They still write what is in the window.
        for stream in state.withLock({ Array($0.streams.values) }) { stream.changes.finish() }
    }

    /// Their clients may connect anew.
    private func endStreams() {
        let streams = state.withLock { state in
            defer { (state.phase, state.streams) = (.idle, [:]) }
            return Array(state.streams.values)
        }
        for stream in streams { stream.changes.finish() }
    }

    private func change(_ body: (inout State) -> Void) {
        let streams = state.withLock { state in
            body(&state)
            return Array(state.streams.values)
        }
        for stream in streams { stream.changes.yield() }
    }

    // MARK: - Streams

    /// Begins a stream: everything that happens from now on is for it.
    func join(_ names: Set<EventName>) -> Seat {
        let (changes, stream) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (seat, phase) = state.withLock { state in
            state.lastNumber += 1
            state.streams[state.lastNumber] = Stream(names: names, changes: stream)
            let begin = state.window.place(for: names.subtracting(Self.journalled))
            return (Seat(number: state.lastNumber, begin: begin, changes: changes), state.phase)
        }
        stream.yield()
        if case .finished = phase { stream.finish() }
        joined.yield()
        return seat
    }

    /// Ends a stream, from any thread.
    func leave(_ number: UInt64) { state.withLock { $0.streams.removeValue(forKey: number) }?.changes.finish() }

    /// Whether a stream has not been ended.
    func isOpen(_ number: UInt64) -> Bool { state.withLock { $0.streams[number] != nil } }

    /// What a stream does next; `nil` if that is not known yet, or the stream was ended.
    func next(_ number: UInt64, at place: inout EventWindow.Place) -> EventWindow.Step? {
        state.withLock { state in
            guard state.streams[number] != nil else { return nil }
            if case .idle = state.phase { return nil }
            return state.window.next(at: &place)
        }
    }
}
