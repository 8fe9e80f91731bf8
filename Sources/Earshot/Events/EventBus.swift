import Synchronization

/// A notification centre for one node. It tells every observer what happened, once, after it became true. Only the node
/// posts.
///
/// Observers never hold up the node. Each has a bounded buffer of its own. An observer that is too slow loses the
/// newest events, and is told so: an observer is called with `Event.eventsLost`, whatever it observes, and a sequence gives
/// that or throws. Programs that must miss nothing read the `Inbox`, the `Journal`, or the history (`Conversation.feed`).
public final class EventBus: Sendable {
    /// What an observer is told of.
    private enum Interest {
        case names(Set<EventName>)
        /// The states of one message.
        case message(FollowedMessage)

        var isLossesAlone: Bool { if case .names([.eventsLost]) = self { true } else { false } }
    }

    private struct Follower {
        let message: FollowedMessage
        let mailbox: EventMailbox
    }

    private struct State {
        var mailboxes: [UInt64: EventMailbox] = [:]
        /// The same by the names that they are for, so that an event costs nothing where nobody observes it.
        var observers: [EventName: [EventMailbox]] = [:]
        /// The same by the message that they are for, so that many may each follow one of many.
        var followers: [MessageID: [Follower]] = [:]
        var nextNumber: UInt64 = 0
        var isFinished = false

        /// - Returns: those who follow messages of a run, with the places of these in it.
        func followers(of progress: MessageProgress) -> [(index: Int, followers: [Follower])] {
            // It goes through whichever are fewer: a run may tell of very many messages.
            guard followers.count < progress.sequences.count else {
                return progress.sequences.enumerated().compactMap { index, sequence in
                    followers[MessageID(log: progress.logID, sequence: sequence)].map { (index, $0) }
                }
            }
            return followers.compactMap { messageID, followers in
                progress.index(of: messageID).map { ($0, followers) }
            }
        }

        /// - Returns: those who follow a message that has a new id; they follow it under that one from now on.
        mutating func rename(_ runs: [RenamedMessages]) -> [Follower] {
            var renamed: [Follower] = []
            for (old, following) in followers {
                guard let new = runs.lazy.compactMap({ $0.newID(of: old) }).first else { continue }
                followers[old] = nil
                followers[new, default: []] += following
                for follower in following { follower.message.rename(new) }
                renamed += following
            }
            return renamed
        }

        mutating func add(_ mailbox: EventMailbox, _ number: UInt64, _ interest: Interest) {
            mailboxes[number] = mailbox
            switch interest {
            case .names(let names): for name in names { observers[name, default: []].append(mailbox) }
            case .message(let message):
                followers[message.id, default: []].append(Follower(message: message, mailbox: mailbox))
            }
        }

        mutating func remove(_ number: UInt64, _ interest: Interest) {
            guard let mailbox = mailboxes.removeValue(forKey: number) else { return }
            switch interest {
            case .names(let names): for name in names { observers[name]?.removeAll { $0 === mailbox } }
            case .message(let message):
                let others = followers[message.id]?.filter { $0.mailbox !== mailbox } ?? []
                followers[message.id] = others.isEmpty ? nil : others
            }
        }
    }

    private let state = Mutex(State())
    private let lost = Atomic<Int>(0)
    /// Wakes those who wait for messages.
    let arrivals = CommitSignal()
    /// Wakes those who read the journal.
    let journalGrowth = CommitSignal()
    /// Wakes who follows the contents of the history.
    let contents = CommitSignal()
    /// Counts the commits after which messages are whole, or count, that had their places before.
    let lateContents = CommitSignal()
    /// Wakes those who wait for a pairing to move on.
    let pairing = CommitSignal()

    package init() {}

    /// How many follow a message.
    package func followerCount(of messageID: MessageID) -> Int {
        state.withLock { $0.followers[messageID]?.count ?? 0 }
    }

    /// Gives an event to everyone who observes its name, or follows its message. Messages come as runs.
    package func post(_ event: Event) {
        for mailbox in mailboxes(for: event.name) { mailbox.offer(.one(event)) }
        guard let messageID = event.stateChange?.messageID else { return }
        for follower in state.withLock({ $0.followers[messageID] }) ?? [] { follower.mailbox.offer(.one(event)) }
    }

    /// Gives events to everyone who observes their name, and those of a message to those who follow it. Each observer makes
    /// them when it takes them.
    func post(_ run: EventRun) {
        for mailbox in mailboxes(for: run.name) { mailbox.offer(.several(run, 0..<run.count)) }
        switch run {
        case .received: arrivals.signal()
        case .progress(let progress): tellFollowers(of: progress)
        case .queued: break
        }
    }

    /// Messages have new ids. Whoever follows one is to look at it again: there may have been changes.
    func rename(_ runs: [RenamedMessages]) {
        for follower in state.withLock({ $0.rename(runs) }) { follower.mailbox.noteLoss() }
    }

    private func mailboxes(for name: EventName) -> [EventMailbox] { state.withLock { $0.observers[name] } ?? [] }

    private func tellFollowers(of progress: MessageProgress) {
        for (index, followers) in state.withLock({ $0.followers(of: progress) }) {
            for follower in followers { follower.mailbox.offer(.several(.progress(progress), index..<index + 1)) }
        }
    }

    /// How many events all observers together have lost because they were too slow.
    package var lostCount: Int { lost.load(ordering: .relaxed) }

    /// Counts an event that did not fit into an observer's buffer, and tells the observers that observe only losses.
    package func noteLost() {
        lost.wrappingAdd(1, ordering: .relaxed)
        for mailbox in mailboxes(for: .eventsLost) where mailbox.watchesLosses { mailbox.noteLoss() }
    }

    /// Calls a closure for each event, one at a time and in order, until the token is removed or released.
    ///
    /// - Parameters:
    ///   - names: the events to observe; by default all.
    ///   - bufferLimit: how many events may wait for the observer; when there are more, the newest are lost.
    ///   - body: called for each event; the next event waits until it returns.
    public func addObserver(
        for names: Set<EventName> = Set(EventName.allCases), bufferLimit: Int = Limits.observerEvents,
        using body: @escaping @Sendable (Event) async -> Void
    ) -> EventObserverToken {
        let mailbox = register(.names(names), bufferLimit)
        let task = Task {
            do throws(EarshotError) {
                while let event = try await mailbox.next() { await body(event) }
            } catch { preconditionFailure("nobody else takes an observer's events: \(error)") }
        }
        return EventObserverToken {
            task.cancel()
            mailbox.finish()
        }
    }

    /// The events of one kind, from now on, as a sequence for one task to iterate.
    ///
    /// - Parameters:
    ///   - kind: which events.
    ///   - bufferLimit: how many may wait for the task; when there are more, the newest are lost, and iterating says so.
    public func events<Payload>(
        _ kind: EventKind<Payload>, bufferLimit: Int = Limits.observerEvents
    ) -> EventSequence<Payload> {
        let mailbox = register(.names(kind.names), bufferLimit)
        let token = EventObserverToken { mailbox.finish() }
        return EventSequence(mailbox: mailbox, token: token, extract: kind.extract)
    }

    /// The changes of state of one message, and reports of lost ones, from now on, as a sequence for one task to iterate.
    /// - Parameter message: it has the new id as soon as the message has one.
    func states(of message: FollowedMessage) -> EventSequence<Event> {
        let mailbox = register(.message(message), Limits.observerEvents)
        return EventSequence(mailbox: mailbox, token: EventObserverToken { mailbox.finish() }) { $0 }
    }

    /// Ends every sequence once its buffer is empty. The node has stopped.
    package func finish() {
        let mailboxes = state.withLock { state in
            state.isFinished = true
            return Array(state.mailboxes.values)
        }
        for mailbox in mailboxes { mailbox.finish() }
        arrivals.finish()
        journalGrowth.finish()
        contents.finish()
        lateContents.finish()
        pairing.finish()
    }

    private func register(_ interest: Interest, _ limit: Int) -> EventMailbox {
        let (mailbox, isFinished) = state.withLock { state in
            state.nextNumber += 1
            let number = state.nextNumber
            let mailbox = EventMailbox(watchesLosses: interest.isLossesAlone, limit: max(1, limit)) { [weak self] in
                self?.noteLost()
            } onFinish: { [weak self] in
                self?.state.withLock { $0.remove(number, interest) }
            }
            if !state.isFinished { state.add(mailbox, number, interest) }
            return (mailbox, state.isFinished)
        }
        if isFinished { mailbox.finish() }
        return mailbox
    }
}

/// A message that somebody follows, under the id that it has now.
final class FollowedMessage: Sendable {
    private let current: Mutex<MessageID>

    init(_ id: MessageID) { current = Mutex(id) }

    var id: MessageID { current.withLock(\.self) }

    fileprivate func rename(_ id: MessageID) { current.withLock { $0 = id } }
}

/// Keeps an observer on the bus. Removing or releasing the token takes the observer off.
public final class EventObserverToken: Sendable {
    private let onRemove: @Sendable () -> Void

    init(onRemove: @escaping @Sendable () -> Void) { self.onRemove = onRemove }

    deinit { onRemove() }

    /// Takes the observer off the bus, and drops the events that wait for it.
    public func remove() { onRemove() }
}
