/// What a node writes to the disk at once: all of it or nothing.
///
/// The protocol's machines fill it, and the store commits it in one transaction. Only then does anything that depends
/// on it leave the node.
package struct Commit: Hashable, Sendable {
    package var users: [UserRecord] = []
    /// Strangers who are removed to make room; their devices go with them.
    package var forgottenUsers: [UserID] = []
    package var devices: [DeviceRecord] = []
    /// Devices that have written nothing, and are removed to make room.
    package var forgottenDevices: [DeviceID] = []
    /// Devices of this node's own user.
    package var ownDevices: [OwnDeviceRecord] = []
    package var forgottenOwnDevices: [DeviceID] = []
    package var revocations: [Revocation] = []
    /// Logs that are new or longer, with their heads after this commit.
    package var logs: [LogRecord] = []
    /// New entries, ascending within a log.
    package var entries: [LogEntries] = []
    /// Bodies, or their authors' marks, of entries that are on the disk without them. One that was erased meanwhile stays
    /// so.
    package var bodies: [LogEntries] = []
    /// Contents that another device of this node's user has erased. What its own recipients may still need stays.
    package var erasures: [LogErasure] = []
    package var deliveries: [DeliveryRecord] = []
    package var failures: [DeliveryFailure] = []
    /// Ends of own logs that nobody has, and that give way to what does come back. They go before new entries are written.
    package var unsentTails: [UnsentTail] = []
    /// Entries of such ends that are written anew. They go before that, too.
    package var rewrittenTails: [RewrittenTail] = []
    /// Messages that did not fail after all: their recipients hold them.
    package var withdrawnFailures: [Addressed] = []
    /// The events that are posted after it, group by group, in their order.
    package var journal: [JournalRecord] = []
    /// Open conversations that are new or have changed.
    package var conversations: [OpenConversationRecord] = []
    /// Private conversations of which something has changed.
    package var privateConversations: [PrivateConversationRecord] = []
    /// Messages that did not count, and do now that more is known of who was in their conversations.
    package var regarded: [LogEntries] = []
    /// Receipts for logs of others, which this node passes on: all that are kept of each device and log that they name, one
    /// after the other.
    package var receipts: [Receipt] = []
    /// The device that makes it: it keeps what recipients of its own entries may still need.
    package var deviceID: DeviceID?
    /// When it was made, by the wall clock, in milliseconds since 1970.
    package var time: Int64 = 0
    /// Whether the database turns out to be an older copy, or messages get new ids: what the journal says so far is
    /// about other messages, and goes.
    package var beginsGeneration = false
    /// What programs change beside messages, in this order.
    package var programChanges: [ProgramChange] = []

    package init() {}
}

/// A run of consecutive entries of one log.
package struct LogEntries: Hashable, Sendable {
    package let logID: LogID
    package var entries: [EntryRecord]

    package init(logID: LogID, entries: [EntryRecord]) {
        self.logID = logID
        self.entries = entries
    }
}

/// What a node knows when it starts: everything except the entries.
package struct Snapshot: Hashable, Sendable {
    package var users: [UserRecord] = []
    package var devices: [DeviceRecord] = []
    package var ownDevices: [OwnDeviceRecord] = []
    package var revocations: [Revocation] = []
    package var logs: [LogRecord] = []
    package var deliveries: [DeliveryRecord] = []
    /// Own entries that no history shows, and that are no messages.
    package var hidden: [MessageID] = []
    /// Entries whose content this node never had, or does not know.
    package var unknown: [MessageID] = []
    /// Messages of others that are kept and not shown, and what says something about messages and does not count; in each log
    /// ascending.
    package var silent: [MessageID] = []
    /// Failures of messages that no receipt covers, and of all messages that were withheld or did not count.
    package var failures: [DeliveryFailure] = []
    /// Ascending by name.
    package var consumers: [ConsumerRecord] = []
    package var scheduled: [ScheduledRecord] = []
    package var drafts: [DraftRecord] = []
    /// The ids of drafts that were discarded, in that order.
    package var discardedDrafts: [EntryKey] = []
    /// Until then, in milliseconds since 1970, all programs shared the names of their idempotency keys; 0 if they never did.
    package var sharedKeysEnd: Int64 = 0
    package var conversations: [OpenConversationRecord] = []
    /// What programs were told last of private conversations.
    package var privateConversations: [PrivateConversationRecord] = []
    /// The entries that say who belongs to private conversations, log by log.
    package var membershipEntries: [RecordedEntries] = []
    /// The first `join` of each log of an open conversation, log by log.
    package var joinEntries: [RecordedEntries] = []
    /// Those of `silent` that came last, whole, log by log, at most `Limits.silentEntries` of each conversation.
    package var silentEntries: [RecordedEntries] = []
    /// What users' devices tell each other in entries: decisions, erasures, what was shown, and cuts of revoked devices; log by
    /// log.
    package var sharedEntries: [RecordedEntries] = []
    /// Receipts for logs of others.
    package var receipts: [Receipt] = []
    /// Entries in conversations of many that have neither a body nor a mark of their author, and were not erased here.
    package var missing: [LogID: SequenceSet] = [:]
    /// Entries without a body, by their author's word.
    package var withheld: [LogID: SequenceSet] = [:]

    package init() {}
}
