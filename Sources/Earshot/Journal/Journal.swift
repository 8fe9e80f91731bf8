import EarshotStore

/// What happened on a node, in the order of its commits, for programs that were away.
///
/// The journal keeps the events that follow from a commit: `messageQueued`, `messageReceived`, `messageSent`,
/// `messageDelivered`, `messageHandled`, `messageRead`, `messageFailed`, `messageUpdated`, `conversationUpdated`,
/// `participantUpdated`, `draftInserted`, `draftUpdated`, `draftSent`, `draftDiscarded`, `userDiscovered` and
/// `userUpdated`. It is written in the same commit, so it also has what the
/// node could not post because it died. Events of other kinds say what is so now, and are only on the `EventBus`.
///
/// It is kept for 30 days, and for a million groups of events. To read messages and nothing else, read a
/// conversation's history: it is kept for ever.
public struct Journal: Sendable {
    let node: Node

    /// The place of the last event.
    /// - Throws: `EarshotError` `storeDamaged`, `storeUnavailable`.
    public func latest() async throws(EarshotError) -> EventID {
        let store = node.store
        return try await node.readStore { () throws(StoreError) in try store.journalEnd() }
    }

    /// All events that are left, and then those that follow, until the node has stopped.
    ///
    /// Messages and users in these events are as they are when the event is read: a message may have been erased since.
    public func events() -> JournalEvents { JournalEvents(journal: self, start: nil) }

    /// The events after a place, and then those that follow, until the node has stopped.
    ///
    /// A program that keeps the place as a text reads it with `EventID(parsing:)`, which throws for a text that was damaged.
    /// - Parameter id: the last event that the program knows.
    public func events(after id: EventID) -> JournalEvents { JournalEvents(journal: self, start: id) }

    /// A part of the journal.
    package enum Page: Sendable {
        /// What follows, and the place after which the next page begins: the same place if nothing follows.
        case events([JournalEvent], end: EventID)
        /// What followed is gone. The first event that is left has this id.
        case gone(first: EventID)
    }

    package func page(after id: EventID?) async throws(EarshotError) -> Page {
        let store = node.store
        let page = try await node.readStore { () throws(StoreError) in
            try store.journal(after: id, countLimit: Limits.journalPage, byteLimit: Limits.journalPageBytes)
        }
        switch page {
        case .gone(let first): return .gone(first: first)
        case .entries(let entries, let end): return .events(await events(entries), end: end)
        }
    }

    private func events(_ entries: [JournalEntry]) async -> [JournalEvent] {
        let userIDs = entries.compactMap { if case .user(let userID, _) = $0.content { userID } else { nil } }
        let users = userIDs.isEmpty ? [:] : await node.shell.users(Set(userIDs))
        return entries.compactMap { entry in
            entry.event(users: users).map { JournalEvent(id: entry.id, event: $0, time: entry.time) }
        }
    }
}

extension Node {
    /// What happened on this node, for programs that were away.
    public var journal: Journal { Journal(node: self) }
}

/// An event, and its place in the journal.
public struct JournalEvent: Sendable, Hashable {
    /// Where to go on reading: `Journal.events(after:)`.
    public let id: EventID
    public let event: Event
    /// Milliseconds since 1970.
    package let time: Int64
}

/// The events of a journal, for one task to iterate.
///
/// Iterating throws `EarshotError`: `gone` when events that should have followed are not there any more, and
/// `parameters.eventID` names the first that is left; `storeDamaged`, `storeUnavailable`. It ends when the node has
/// stopped or the task is cancelled.
public struct JournalEvents: AsyncSequence, Sendable {
    public typealias Element = JournalEvent

    let journal: Journal
    let start: EventID?

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(journal: journal, place: start) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private let journal: Journal
        private var place: EventID?
        private var events: ArraySlice<JournalEvent> = []
        /// Observed since before the first read, so that nothing is written unnoticed between a read and the wait.
        private var growth: AsyncStream<Void>.AsyncIterator
        private var isLastPage = false

        init(journal: Journal, place: EventID?) {
            self.journal = journal
            self.place = place
            growth = journal.node.events.journalGrowth.waiter().signals.makeAsyncIterator()
        }

        public mutating func next() async throws -> JournalEvent? {
            while !Task.isCancelled {
                if let event = events.popFirst() { return event }
                switch try await journal.page(after: place) {
                case .gone(let first): throw EarshotError.gone(after: place, first: first)
                case .events(let page, let end):
                    let isAtEnd = place == end
                    (events, place) = (page[...], end)
                    guard isAtEnd else { continue }
                    guard !isLastPage else { return nil }
                    isLastPage = await growth.next() == nil
                }
            }
            return nil
        }
    }
}

extension EarshotError {
    fileprivate static func gone(after place: EventID?, first: EventID) -> EarshotError {
        EarshotError(
            .gone,
            "what followed \(place.map { "event \($0)" } ?? "the beginning") is not in the journal any more",
            .init(eventID: first))
    }
}

extension JournalEntry {
    /// - Returns: `nil` for a user who was forgotten.
    fileprivate func event(users: [UserID: User]) -> Event? {
        switch content {
        case .queued(let row): Message(row, isOwn: true, asItWas: .queued).map(Event.messageQueued)
        case .received(let row): Message(row, isOwn: false, asItWas: .delivered).map(Event.messageReceived)
        case .state(let change):
            switch change.state {
            case .queued: nil
            case .sent: .messageSent(change)
            case .delivered: .messageDelivered(change)
            case .handled: .messageHandled(change)
            case .read: .messageRead(change)
            case .failed: .messageFailed(change)
            }
        case .update(let update): .messageUpdated(update)
        case .conversation(let update): .conversationUpdated(update)
        case .participant(let update): .participantUpdated(update)
        case .draft(let news): news.event
        case .user(let userID, .discovered): users[userID].map(Event.userDiscovered)
        case .user(let userID, .updated(let changes)):
            users[userID].map { Event.userUpdated($0, changes: changes) }
        }
    }
}
