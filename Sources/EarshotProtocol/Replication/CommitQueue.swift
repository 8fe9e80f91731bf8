import EarshotModel

/// Decides when to make the next commit: one at a time. While one is under way, everything else gathers for the next,
/// so the busier the node is, the larger the groups.
///
/// What goes into a commit waits in the machine that it concerns (`Outbox`, `ReceivedRuns`, `Deliveries`, …). This
/// keeps only the time, the requests that a commit answers, and whether the disk takes writes at all.
struct CommitQueue: Sendable {
    /// What waits: nothing, changes that may wait for company, or changes that go as soon as they can.
    enum Work { case none, patient, pressing }

    private(set) var inFlight: CommitInFlight?
    /// Requests that are answered when everything that waits now is written.
    private var requests: [PendingRequest] = []
    /// Whether something waits that must not wait for company.
    private var isUrgent = false
    /// When changes that may wait for company have waited long enough.
    private var lazyDeadline = Int64.max
    /// When to try again after a commit that failed.
    private var retryAt: Int64?
    /// Whether the last commit failed.
    private(set) var hasFailed = false

    var hasRequests: Bool { !requests.isEmpty }

    /// Whether a commit is under way.
    var isWriting: Bool {
        if case .some = inFlight { true } else { false }
    }

    /// Whether the commit that is under way makes one of these branches of this device longer.
    func isAppending(to branches: [LogID]) -> Bool {
        guard let appended = inFlight?.appended, !appended.isEmpty else { return false }
        return appended.indices.contains { branches.contains(appended[$0].record.logID) }
    }

    /// Whether the disk may be used: not soon after it has failed.
    func mayTry(now: Moment) -> Bool { (retryAt ?? .min) <= now.uptime }

    /// What waits does not wait for company.
    mutating func hurry() { isUrgent = true }

    /// A change that is already true waits a moment for company.
    mutating func mayWait(now: Moment) { lazyDeadline = min(lazyDeadline, now.uptime + Timing.lazyCommit) }

    /// Answers a request with the next commit.
    mutating func answer(_ request: PendingRequest) {
        requests.append(request)
        isUrgent = true
    }

    /// The node stops: everything that waits is written now, if the disk takes it.
    mutating func stop() {
        isUrgent = true
        retryAt = nil
    }

    /// Whether a commit is to be made now.
    func isDue(_ work: Work, now: Moment) -> Bool { deadline(work) <= now.uptime }

    /// When a commit will be due, without further input. Changes that nobody asked to wait are due at once.
    func deadline(_ work: Work) -> Int64 {
        if isWriting { return .max }
        let isAwaitingCompany = !isUrgent && lazyDeadline != .max
        return switch work {
        case .none: .max
        case .patient where isAwaitingCompany: max(lazyDeadline, retryAt ?? .min)
        case .patient, .pressing: retryAt ?? .min
        }
    }

    mutating func takeRequests() -> [PendingRequest] {
        defer { requests = [] }
        return requests
    }

    mutating func begin(_ next: consuming CommitInFlight) {
        isUrgent = false
        lazyDeadline = .max
        retryAt = nil
        inFlight = next
    }

    /// The commit is on the disk.
    /// - Returns: what follows from it, and whether the commit before it had failed.
    mutating func finish() -> (done: CommitInFlight, isRecovery: Bool) {
        guard let done = inFlight.take() else {
            preconditionFailure("a shell says that a commit is done only after it was given one")
        }
        defer { hasFailed = false }
        return (done, hasFailed)
    }

    /// Nothing of the commit is on the disk.
    mutating func takeFailed() -> CommitInFlight {
        guard let failed = inFlight.take() else {
            preconditionFailure("a shell says that a commit failed only after it was given one")
        }
        return failed
    }

    /// The next try comes later.
    /// - Returns: when, and whether the commit before had not failed.
    mutating func fail(now: Moment) -> (retryAt: Int64, isFirst: Bool) {
        let next = now.uptime + Timing.commitRetry
        retryAt = next
        isUrgent = true
        defer { hasFailed = true }
        return (next, !hasFailed)
    }
}

/// A request that a commit answers.
struct PendingRequest: Sendable {
    let requestID: RequestID
    let answer: RequestAnswer
}

/// How far a log has come for one recipient, on its way to the disk.
struct WrittenProgress: Sendable {
    let key: DeliveryKey
    let value: DeliveryProgress
    /// The steps of this node's messages to tell when it is there.
    var steps: [JournalRecord] = []
}

/// A commit that is being written, and what follows from it.
struct CommitInFlight: Sendable {
    /// Entries that were appended to a log of this node's own.
    struct Appended: Sendable {
        let record: LogRecord
        let entries: [EntryRecord]
        let news: [EntryNews]
    }

    /// An own log whose unsent end gives way to what comes back.
    struct Cut: Sendable {
        let record: LogRecord
        let limbo: LogRecord

        /// What its messages are called from then on.
        var renamed: RenamedMessages {
            RenamedMessages(
                from: MessageID(log: record.logID, sequence: limbo.firstSequence),
                to: MessageID(log: limbo.logID, sequence: limbo.firstSequence),
                count: limbo.head.sequence - limbo.start.sequence)
        }
    }

    var commit = Commit()
    var appended: [Appended] = []
    var accepted: [AcceptedCall] = []
    var received: [ReceivedRun] = []
    var bodies: [MissingBodies.Found] = []
    /// What messages tell whose bodies come with this commit, or that count only from now on.
    var lateNews: [(logID: LogID, news: EntryNews, isByOwnUser: Bool)] = []
    var cuts: [Cut] = []
    var rewritten: [RewrittenPage] = []
    var failures: [PendingFailure] = []
    var progress: [WrittenProgress] = []
    var userEvents: [Event] = []
    /// What this device says of its user's decisions; its entries are among those appended.
    var statements: [PendingSend] = []
    /// What is new about conversations of many.
    var conversationNews: [JournalRecord] = []
    /// What is new about drafts.
    var draftNews: [JournalRecord] = []
    var requests: [PendingRequest] = []

    /// Whether it makes one of this device's branches longer.
    func appends(to branch: LogID) -> Bool { appended.contains { $0.record.logID == branch } }

    /// Takes out what nobody is told of, now or ever: it comes while its author is blocked.
    mutating func hide(trust: TrustMachine, conversations: ConversationTable) {
        conversationNews.removeAll { trust.isHidden($0) }
        for index in received.indices {
            received[index].news.removeAll { trust.isHidden($0, of: conversations) }
        }
        lateNews.removeAll { trust.isHidden($0.news, of: conversations) }
    }

    /// Notes what `Replication.commitFinished` posts, in the same order. All else is in the commit already.
    mutating func addJournal(_ deliveries: Deliveries, author: LogAuthor) {
        var journal = commit.journal
        for record in conversationNews { journal.add(record) }
        for appended in appended {
            guard let (first, last) = appended.news.ends else { continue }
            journal.add(.queued(appended.record.logID, first...last))
        }
        for record in draftNews { journal.add(record) }
        for run in received {
            guard let (first, last) = run.news.ends else { continue }
            // An entry that gets its body later, or counts only later, is told of then. One that never gets it may be shown as
            // taken back.
            let told = SequenceSet(first...last).subtracting(run.withoutBody).subtracting(run.disregarded)
            for part in told.ranges {
                journal.add(
                    run.isByOwnUser ? .queued(run.logID, part) : .received(run.logID, author.userID, part))
            }
        }
        for (logID, news, isByOwnUser) in lateNews {
            guard let (first, last) = [news].ends else { continue }
            journal.add(
                isByOwnUser ? .queued(logID, first...last) : .received(logID, author.userID, first...last))
        }
        for record in progress.flatMap(\.steps) { journal.add(record) }
        for record in deliveries.told(commit.failures, with: progress) { journal.add(record) }
        commit.journal = journal
    }
}
