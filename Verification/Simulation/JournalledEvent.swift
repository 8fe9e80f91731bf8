import EarshotModel
import EarshotStore

/// An event of a kind that the journal keeps, without what may change after it.
enum JournalledEvent: Hashable {
    case queued(MessageID)
    case received(MessageID)
    case state(MessageStateChange)
    case update(MessageUpdate)
    case user(UserID, JournalRecord.News)
    case conversation(ConversationUpdate)
    case participant(ParticipantUpdate)
    case draft(DraftNews)

    /// - Returns: `nil` for an event of another kind.
    init?(_ event: Event) {
        switch event {
        case .messageQueued(let message): self = .queued(message.messageID)
        case .messageReceived(let message): self = .received(message.messageID)
        case .messageSent(let change), .messageDelivered(let change), .messageHandled(let change),
            .messageRead(let change),
            .messageFailed(let change):
            self = .state(change)
        case .messageUpdated(let update): self = .update(update)
        case .conversationUpdated(let update): self = .conversation(update)
        case .participantUpdated(let update): self = .participant(update)
        case .draftInserted(let change): self = .draft(DraftNews(.inserted, change))
        case .draftUpdated(let change): self = .draft(DraftNews(.updated, change))
        case .draftSent(let change): self = .draft(DraftNews(.sent, change))
        case .draftDiscarded(let change): self = .draft(DraftNews(.discarded, change))
        case .userDiscovered(let user): self = .user(user.userID, .discovered)
        case .userUpdated(let user, let changes): self = .user(user.userID, .updated(changes))
        default: return nil
        }
    }

    init(_ entry: JournalEntry) {
        switch entry.content {
        case .queued(let row): self = .queued(MessageID(log: row.log.logID, sequence: row.entry.sequence))
        case .received(let row): self = .received(MessageID(log: row.log.logID, sequence: row.entry.sequence))
        case .state(let change): self = .state(change)
        case .update(let update): self = .update(update)
        case .user(let userID, let news): self = .user(userID, news)
        case .conversation(let update): self = .conversation(update)
        case .participant(let update): self = .participant(update)
        case .draft(let news): self = .draft(news)
        }
    }
}

/// What follows a place in a journal.
enum JournalRest {
    case events([JournalledEvent], end: EventID)
    case gone
}

/// Holds a node's journal against what the node posts.
struct JournalCheck {
    /// Everything that the journal said when it was written, in its generation.
    private var kept: [JournalledEvent] = []
    private var end: EventID?
    /// What the last commit made true, and the node has not posted yet.
    private var unposted: ArraySlice<JournalledEvent> = []

    /// The process begins. What the last one did not post is in the journal all the same.
    /// - Parameter isReplaced: whether the disk is another one since.
    /// - Returns: what does not hold.
    mutating func begin(_ store: SimulatedStore, isReplaced: Bool) throws -> String? {
        let before = kept
        guard case .events(let all, let end) = try store.journal(after: nil) else { return "has no beginning" }
        (kept, self.end, unposted) = (all, end, [])
        return isReplaced || Self.isRest(all, of: before) ? nil : "is another one after a restart"
    }

    /// Whether the node has posted all that its last commit made true: it may hear of the commit a little later.
    var isPosted: Bool { unposted.isEmpty }

    /// A commit is about to be written: what the one before made true must have been posted.
    func checkPosted() -> String? { unposted.first.map { "says \($0), and that was not posted" } }

    /// A commit was written.
    mutating func written(_ commit: Commit, _ store: SimulatedStore) throws -> String? {
        let rest = try store.journal(after: end)
        switch rest {
        case .events(let new, let end):
            (self.end, unposted) = (end, new[...])
            kept += new
            return commit.beginsGeneration ? "goes on after a change of its generation" : nil
        case .gone:
            guard case .events(let all, let end) = try store.journal(after: nil) else { return "has no beginning" }
            (kept, self.end, unposted) = (all, end, all[...])
            return commit.beginsGeneration ? nil : "does not go on"
        }
    }

    /// The node posts an event.
    mutating func posted(_ event: Event) -> String? {
        guard let event = JournalledEvent(event) else { return nil }
        let next = unposted.popFirst()
        guard next != event else { return nil }
        return "says \(next.map { "\($0)" } ?? "nothing") where \(event) is posted"
    }

    /// The run is over.
    func checkEnd(_ store: SimulatedStore) throws -> String? {
        guard case .events(let all, _) = try store.journal(after: nil) else { return "has no beginning" }
        guard Self.isRest(all, of: kept) else {
            return "has changed: it has \(all.count) events, and had \(kept.count)"
        }
        return checkPosted()
    }

    /// A clock that is far ahead makes events old, and the oldest go, but never all.
    private static func isRest(_ events: [JournalledEvent], of kept: [JournalledEvent]) -> Bool {
        kept.suffix(events.count) == events[...] && events.isEmpty == kept.isEmpty
    }
}
