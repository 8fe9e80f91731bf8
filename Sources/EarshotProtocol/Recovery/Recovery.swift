import EarshotModel

/// The way back to a log of this node's own, of which a peer holds more than this node, or something else.
///
/// A database that was restored from an older copy makes that so. The peer's receipt is its claim; what proves it are
/// the entries, which this device has signed. One log of a link is recovered at a time.
struct Recovery: Sendable {
    enum Phase: Sendable {
        case waiting
        /// The last entry that both ends are known to hold is being read.
        case placing
        /// The peer was asked for the next run.
        case asking
        /// This node's own entries in the places of the run are being read.
        case comparing
        /// The logs part: what this node has written from there on is being read.
        case measuring
        /// An earlier successor of the log is being read, because it may hold what was written already.
        case following
        case committing
    }

    let logID: LogID
    /// What the peer says that it holds.
    var claim: Receipt
    var phase = Phase.waiting
    /// Proves what comes; `nil` for a log that is not known here, until the first run says what it is.
    var log: IncomingLog?
    /// The run that came last, and how many of its entries were compared with this node's own.
    var run: [EntryRecord] = []
    var compared = 0
    /// When this node wrote the last of them, which a peer that has only its hash does not know.
    var comparedTime = HybridTimestamp(rawValue: 0)
    /// Up to here this node had the log before the recovery began.
    var common: UInt64 = 0
    var fork: Fork?
    /// Messages that are called withheld here, and that the peer has.
    var withdrawn: [UInt64] = []

    init(claim: Receipt) {
        logID = claim.logID
        self.claim = claim
    }

    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }

    var isAsking: Bool {
        if case .asking = phase { true } else { false }
    }

    /// Up to here the peer's log is proved.
    var proved: UInt64 { log?.proved.sequence ?? 0 }
}

/// Where two logs of one name part, and where the entries that this node has written after that go: each to a
/// successor, a log whose epoch is the timestamp of its first entry. So the same entries find the same successor again,
/// should the same old copy be restored once more, and no recipient gets them twice.
struct Fork: Sendable {
    struct Entry: Sendable {
        let hash: EntryHash
        let timestamp: HybridTimestamp
        /// When its message fails; `nil` if its content is gone.
        let expiry: Int64?

        init(_ record: EntryRecord) {
            hash = record.content.hash
            timestamp = record.timestamp
            if case .body = record.content { expiry = record.expiry } else { expiry = nil }
        }
    }

    /// The last entry that is the same.
    let after: UInt64
    /// This node's own entries after it.
    var tail: [Entry] = []
    /// How many of them were found in earlier successors.
    var known = 0
    /// The earlier successor that is being looked at, and how many entries of it are the same.
    var candidate: LogID?
    var matching = 0
    /// Added to an epoch that another log has.
    var detour: UInt64 = 0
    var renamed: [RenamedMessages] = []

    init(after: UInt64) { self.after = after }
}

/// A part of a log that comes back, proved, and waits for its commit.
struct RecoveredPiece: Sendable {
    let connectionID: ConnectionID
    let record: LogRecord
    let entries: [EntryRecord]
    let cut: LogCut?
    let successor: LogRecord?
    let renamed: [RenamedMessages]
    let common: UInt64
    let withdrawn: [UInt64]
    /// Up to here the peer holds the log.
    let proved: UInt64
    /// The peer's word for it, if the log has reached that.
    let receipt: Receipt?
    /// What the log's progress is with this commit.
    var progress = DeliveryProgress()

    var key: ProgressKey { ProgressKey(logID: record.logID, recipientID: record.peerID) }
}

/// What a link has brought back so far.
struct RecoveryTally: Sendable {
    var count = 0
    var renamed: [RenamedMessages] = []

    var isEmpty: Bool { count == 0 && renamed.isEmpty }
}
