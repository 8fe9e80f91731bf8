/// What a node wants on disk at once: all of it, or nothing.
///
/// The protocol's machines fill it, the store commits it in one transaction, and only then anything that
/// depends on it leaves the node.
package struct Commit: Hashable, Sendable {
    package var users: [UserRecord] = []
    /// Strangers whose place is needed; their devices go with them.
    package var forgottenUsers: [UserID] = []
    package var devices: [DeviceRecord] = []
    /// Devices that have written nothing, and whose place is needed.
    package var forgottenDevices: [DeviceID] = []
    /// Logs that are new or longer, with their heads after this commit.
    package var logs: [LogRecord] = []
    /// New entries, ascending within a log.
    package var entries: [LogEntries] = []
    package var deliveries: [DeliveryRecord] = []
    package var failures: [DeliveryFailure] = []
    /// Logs that a peer continues in another way than this node, cut before their new entries are written.
    package var cuts: [LogCut] = []
    /// Messages that have not failed after all: their recipients hold them.
    package var withdrawnFailures: [Addressed] = []

    package init() {}
}

/// A run of entries of one log, without a hole.
package struct LogEntries: Hashable, Sendable {
    package let logID: LogID
    package var entries: [EntryRecord]

    package init(logID: LogID, entries: [EntryRecord]) {
        self.logID = logID
        self.entries = entries
    }
}

/// What a node knows when it starts: everything but the entries.
package struct Snapshot: Hashable, Sendable {
    package var users: [UserRecord] = []
    package var devices: [DeviceRecord] = []
    package var logs: [LogRecord] = []
    package var deliveries: [DeliveryRecord] = []
    /// Failures of messages that are not covered by a receipt, and all of those that were withheld.
    package var failures: [DeliveryFailure] = []

    package init() {}
}
