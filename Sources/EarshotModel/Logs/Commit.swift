/// What a node wants on disk at once: all of it, or nothing.
///
/// The protocol's machines fill it, the store commits it in one transaction, and only then anything that
/// depends on it leaves the node.
public struct Commit: Hashable, Sendable {
    public var users: [UserRecord] = []
    /// Strangers whose place is needed; their devices go with them.
    public var forgottenUsers: [UserID] = []
    public var devices: [DeviceRecord] = []
    /// Devices that have written nothing, and whose place is needed.
    public var forgottenDevices: [DeviceID] = []
    /// Logs that are new or longer, with their heads after this commit.
    public var logs: [LogRecord] = []
    /// New entries, ascending within a log.
    public var entries: [LogEntries] = []
    public var deliveries: [DeliveryRecord] = []
    public var failures: [DeliveryFailure] = []
    /// Logs that a peer continues in another way than this node, cut before their new entries are written.
    public var cuts: [LogCut] = []
    /// Messages that have not failed after all: their recipient holds them.
    public var withdrawnFailures: [MessageID] = []

    public init() {}
}

/// A run of entries of one log, without a hole.
public struct LogEntries: Hashable, Sendable {
    public let logID: LogID
    public var entries: [EntryRecord]

    public init(logID: LogID, entries: [EntryRecord]) {
        self.logID = logID
        self.entries = entries
    }
}

/// What a node knows when it starts: everything but the entries.
public struct Snapshot: Hashable, Sendable {
    public var users: [UserRecord] = []
    public var devices: [DeviceRecord] = []
    public var logs: [LogRecord] = []
    public var deliveries: [DeliveryRecord] = []
    /// Failures of messages that are not covered by a receipt, and all of those that were withheld.
    public var failures: [DeliveryFailure] = []

    public init() {}
}
