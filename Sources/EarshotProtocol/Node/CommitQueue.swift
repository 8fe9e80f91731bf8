import DequeModule
import EarshotModel

/// How far one log has come for one recipient: what the disk says, and what is true and waits to be written.
struct TrackedProgress: Sendable {
    var committed: DeliveryProgress
    var target: DeliveryProgress

    init(_ progress: DeliveryProgress = DeliveryProgress()) {
        committed = progress
        target = progress
    }
}

struct ProgressKey: Hashable, Sendable, Comparable {
    let logID: LogID
    let recipientID: UserID

    static func < (a: ProgressKey, b: ProgressKey) -> Bool {
        a.logID == b.logID ? a.recipientID < b.recipientID : a.logID < b.logID
    }
}

/// Messages that were asked for and wait for a commit.
struct PendingSend: Sendable {
    let requestID: RequestID
    let recipientID: UserID
    let drafts: [MessageDraft]
    /// Texts and headers, in bytes.
    let bytes: Int

    init(requestID: RequestID, recipientID: UserID, drafts: [MessageDraft]) {
        self.requestID = requestID
        self.recipientID = recipientID
        self.drafts = drafts
        bytes = drafts.reduce(0) { sum, draft in
            sum + draft.text.utf8.count + draft.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
    }
}

/// A run of proved entries that waits for a commit.
struct ReceivedRun: Sendable {
    let connectionID: ConnectionID
    let deviceID: DeviceID
    let logID: LogID
    let head: LogHead
    let entries: [EntryRecord]
    let messages: [Message]
    let bytes: Int
}

/// What waits to be written, and the one commit that is being written.
///
/// While one commit is under way everything gathers for the next: the busier the node, the larger the groups.
struct CommitQueue: Sendable {
    var sends: Deque<PendingSend> = []
    var sendCount = 0
    var sendBytes = 0
    /// Sends to users from whose devices a log is being taken back. They do not wait for the disk, and do not count with
    /// the others, but for those that were among these and for which `heldTotal` had no room.
    var held: [UserID: HeldSends] = [:]
    var received: Deque<ReceivedRun> = []
    var recovered: [RecoveredPiece] = []
    /// Bytes of what was received, with that in flight.
    var receivedBytes = ReceivedBytes()
    var failures = PendingFailures()
    var users: [UserID: UserRecord] = [:]
    var forgottenUsers: [UserID] = []
    var devices: [DeviceID: DeviceRecord] = [:]
    var forgottenDevices: Set<DeviceID> = []
    /// Events to post when the users above are written.
    var userEvents: [Event] = []
    var changedProgress: Set<ProgressKey> = []
    /// Logs whose earliest expiry changed.
    var changedExpiry: Set<LogID> = []
    /// Requests that are answered when the changes above are written.
    var markRequests: [RequestID] = []

    /// Whether something waits that must not wait for company.
    var isUrgent = false
    /// When a change that may wait for company has waited long enough.
    var lazyDeadline = Int64.max
    /// When to try again after a commit that failed.
    var retryAt: Int64?
    var inFlight: CommitInFlight?

    var hasWork: Bool {
        !sends.isEmpty || !received.isEmpty || !recovered.isEmpty || !failures.isEmpty || !users.isEmpty
            || !forgottenUsers.isEmpty || !devices.isEmpty || !forgottenDevices.isEmpty || !changedProgress.isEmpty
            || !changedExpiry.isEmpty
            || !markRequests.isEmpty
    }

    /// What of the held ones does not count with the others.
    var heldTotal: HeldTotal { held.values.reduce(HeldTotal()) { $0 + $1.outside } }

    /// Whether a send may wait for the disk, too.
    func hasRoom(for send: PendingSend) -> Bool {
        sendCount == 0
            || (sendCount + send.drafts.count <= Limits.pendingSends
                && sendBytes + send.bytes <= Limits.pendingSendBytes)
    }

    mutating func append(_ send: PendingSend) {
        sends.append(send)
        sendCount += send.drafts.count
        sendBytes += send.bytes
    }

    /// Whether a commit is to be made now.
    func isDue(now: Int64) -> Bool {
        guard inFlight == nil, hasWork, (retryAt ?? .min) <= now else { return false }
        return isUrgent || !sends.isEmpty || !received.isEmpty || !recovered.isEmpty || !failures.isEmpty
            || lazyDeadline <= now
    }

    /// An event to post when its user is written.
    /// - Parameter isMerged: whether it becomes one with an earlier one about the same user. So it is while the disk
    ///   fails, however long that takes and however often the user comes and goes.
    mutating func add(_ event: Event, isMerged: Bool) {
        guard isMerged, case .userUpdated(let user, let changes) = event,
            let place = userEvents.firstIndex(where: { $0.met?.userID == user.userID })
        else {
            userEvents.append(event)
            return
        }
        if case .userUpdated(_, let earlier) = userEvents[place] {
            userEvents[place] = .userUpdated(user, changes: earlier.union(changes))
        } else {
            userEvents[place] = .userDiscovered(user)
        }
    }

    /// Nothing is told of a user who is forgotten before it could be written that they were met.
    mutating func dropEvents(about userID: UserID) {
        userEvents.removeAll { $0.met?.userID == userID }
    }

    var deadline: Int64 {
        guard inFlight == nil, hasWork else { return .max }
        return max(lazyDeadline == .max || isUrgent ? 0 : lazyDeadline, retryAt ?? 0)
    }
}

/// A commit that is being written, and what follows from it.
struct CommitInFlight: Sendable {
    /// Entries that were appended to a log of this node's own.
    struct Appended: Sendable {
        let record: LogRecord
        let entries: [EntryRecord]
        let messages: [Message]
    }

    var commit = Commit()
    var appended: [Appended] = []
    var completions: [(requestID: RequestID, messages: [Message])] = []
    var received: [ReceivedRun] = []
    var recovered: [RecoveredPiece] = []
    var failures: [PendingFailure] = []
    var progress: [(key: ProgressKey, value: DeliveryProgress)] = []
    var userEvents: [Event] = []
    var markRequests: [RequestID] = []
}

extension Event {
    /// The user whom this is about, if it is about one who was met.
    fileprivate var met: User? {
        switch self {
        case .userDiscovered(let user), .userUpdated(let user, _): user
        default: nil
        }
    }
}
