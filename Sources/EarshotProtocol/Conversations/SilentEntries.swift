import DequeModule
import EarshotModel

/// Entries of others that this node keeps, so that nobody is held up, and does not show: their authors did not belong to the
/// conversation, or a cut came before them.
///
/// This node's receipts name them as missing: what they say to be delivered, its user can see. Some come to count, when more is
/// known of who was in, or another device of this node's user has shown them.
struct SilentEntries: Sendable {
    /// An entry as the disk has it.
    struct Silent: Sendable {
        /// The branch's id on this node.
        let branch: LogID
        let log: LogDescription
        let authorID: UserID
        let entry: EntryRecord

        var place: LogPlace { log.place(entry.place) }
    }

    /// Where something that is shown may not count any more.
    struct Due: Hashable, Sendable {
        /// Whether more is known of who was in, or of a revoked device.
        fileprivate(set) var isWhole = false
        /// The first entries that were just written of logs.
        fileprivate(set) var first: [LogID: UInt64] = [:]
    }

    /// By the branch's id on this node.
    private(set) var all: [LogID: SequenceSet] = [:]
    /// Those that are looked at again, oldest first, by conversation.
    private var entries: [ConversationID: Deque<Silent>] = [:]
    /// Those that turn out to count, as they then stand, until the disk has that.
    private var regarded: [LogEntries] = []
    private var due: [ConversationID: Due] = [:]
    /// What was known of their authors when logs were looked through last.
    private var examined: [LogID: Int] = [:]

    /// What the disk has. What the last receipt named as missing, and is lacking no more, never came: it was taken back before.
    init(_ snapshot: Snapshot, by author: LogAuthor) {
        self.init(
            snapshot.silent, snapshot.silentEntries.filter { $0.log.description.deviceID != author.deviceID })
        for delivery in snapshot.deliveries where delivery.recipientID == author.userID {
            // With so many the last range may have grown over what came.
            guard let named = delivery.progress.receipt?.missing,
                named.ranges.count < Limits.missingRangesPerReceipt
            else { continue }
            cover(named.subtracting(snapshot.missing[delivery.logID] ?? SequenceSet()), of: delivery.logID)
        }
    }

    /// - Parameters:
    ///   - messageIDs: all that the disk has.
    ///   - entries: the last of these.
    init(_ messageIDs: [MessageID] = [], _ entries: [RecordedEntries] = []) {
        for messageID in messageIDs { cover(SequenceSet(messageID.sequence...messageID.sequence), of: messageID.log) }
        for run in entries {
            for entry in run.entries { keep(entry, of: run.log.logID, run.log.description, by: run.log.authorID) }
        }
    }

    /// Where some are looked at again.
    var conversationIDs: [ConversationID] { entries.keys.sorted() }

    /// Those of a branch.
    subscript(branch: LogID) -> SequenceSet { all[branch] ?? SequenceSet() }

    /// Notes which entries of a branch that are proved, and whose bodies are here, say nothing.
    mutating func insert(_ entries: [EntryRecord], of branch: IncomingLog) {
        for index in entries.indices where entries[index].kind.isSilent {
            cover(SequenceSet(entries[index].sequence...entries[index].sequence), of: branch.logID)
            keep(entries[index], of: branch.logID, branch.description, by: branch.authorID)
        }
    }

    private mutating func keep(_ entry: EntryRecord, of branch: LogID, _ log: LogDescription, by authorID: UserID) {
        var kept = entries.removeValue(forKey: log.conversationID) ?? []
        if kept.count >= Limits.silentEntries { kept.removeFirst() }
        kept.append(Silent(branch: branch, log: log, authorID: authorID, entry: entry))
        entries[log.conversationID] = kept
    }

    /// Where a branch has too many ranges of them, the last one grows over what lies between: a receipt may say less than is
    /// true, and never more.
    private mutating func cover(_ sequences: SequenceSet, of branch: LogID) {
        guard !sequences.isEmpty else { return }
        var silent = all.removeValue(forKey: branch) ?? SequenceSet()
        silent.formUnion(sequences)
        all[branch] = silent.fused(to: Limits.silentRanges)
    }

    /// The bodies of some entries will never come, because they were taken back.
    mutating func giveUp(_ retracted: [MessageID]) {
        for messageID in retracted { cover(SequenceSet(messageID.sequence...messageID.sequence), of: messageID.log) }
    }

    /// What came of a branch behind an entry is not on the disk: it comes again, and is judged then.
    mutating func forget(_ branch: LogID, after sequence: UInt64) {
        all[branch]?.removeAll(after: sequence)
        if all[branch]?.isEmpty == true { all[branch] = nil }
        drop { $0.branch == branch && $0.entry.sequence > sequence }
        regarded = regarded.compactMap { $0.filter { $0.log != branch || $0.sequence <= sequence } }
    }

    private mutating func drop(where isMeant: (Silent) -> Bool) {
        for conversationID in entries.keys {
            entries[conversationID]?.removeAll(where: isMeant)
            if entries[conversationID]?.isEmpty == true { entries[conversationID] = nil }
        }
    }

    // MARK: - What counts after all

    /// Looks at those of a conversation again; at all where none is named.
    mutating func regard(in conversationID: ConversationID? = nil, where counts: (Silent) -> Bool) {
        for conversationID in conversationID.map({ [$0] }) ?? entries.keys.sorted() {
            var rest: Deque<Silent> = []
            for silent in entries[conversationID] ?? [] {
                guard counts(silent), let entry = silent.entry.regarded, entry.kind.isOfMessages else {
                    rest.append(silent)
                    continue
                }
                regarded.append(LogEntries(logID: silent.branch, entries: [entry]))
            }
            entries[conversationID] = rest.isEmpty ? nil : rest
        }
    }

    /// The user has erased some of those that turned out to count: they are not told of.
    mutating func dropRegarded(where isErased: (LogID, EntryRecord) -> Bool) {
        regarded = regarded.compactMap { run in
            let entries = run.entries.filter { !isErased(run.logID, $0) }
            return entries.isEmpty ? nil : LogEntries(logID: run.logID, entries: entries)
        }
    }

    /// Whether some turn out to count.
    var hasRegarded: Bool { !regarded.isEmpty }

    /// Those that count from the next commit on.
    /// - Parameter isWritten: whether an entry is on the disk with that commit, and its body, too.
    mutating func takeRegarded(isWritten: (MessageID) -> Bool) -> [LogEntries] {
        guard !regarded.isEmpty else { return [] }
        let taken = regarded.compactMap { $0.filter(isWritten) }
        regarded = regarded.compactMap { $0.filter { !isWritten($0) } }
        for run in taken {
            for entry in run.entries { all[run.logID]?.remove(entry.sequence...entry.sequence) }
            if all[run.logID]?.isEmpty == true { all[run.logID] = nil }
        }
        return taken
    }

    /// They are not on the disk, and go into the next commit again.
    mutating func writeAgain(regarded runs: [LogEntries]) {
        regarded += runs
        for run in runs {
            for entry in run.entries { cover(SequenceSet(entry.sequence...entry.sequence), of: run.logID) }
        }
    }

    // MARK: - What does not count any more

    /// More is known of whose entries count in a conversation.
    mutating func noteDue(_ conversationID: ConversationID) { due[conversationID, default: Due()].isWhole = true }

    /// Entries of a log are on the disk.
    mutating func noteDue(_ log: LogDescription, from sequence: UInt64) {
        let first = due[log.conversationID]?.first[log.logID] ?? sequence
        due[log.conversationID, default: Due()].first[log.logID] = min(first, sequence)
    }

    /// The disk did not say what of branches was shown: all of them is looked through again.
    mutating func noteDue(again branches: [LogID], _ logs: Logs) {
        for branch in branches {
            examined[branch] = nil
            if let conversationID = logs.proved(branch)?.description.conversationID { noteDue(conversationID) }
        }
    }

    var hasDue: Bool { !due.isEmpty }

    /// - Returns: by conversation, ascending.
    mutating func takeDue() -> [(conversationID: ConversationID, due: Due)] {
        defer { due = [:] }
        return due.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// What devices said to be shown counts for less than before: all is looked through again.
    mutating func forgetExamined() { examined = [:] }

    /// From where on a log is looked through: all of it, once for each thing that becomes known of its author.
    /// - Parameter fingerprint: of what is known of its author; `nil` where nothing more is known.
    /// - Returns: `nil` if nothing of it is.
    mutating func start(of log: LogID, _ due: Due, fingerprint: Int?) -> UInt64? {
        guard let fingerprint, examined[log] != fingerprint else { return due.first[log] }
        examined[log] = fingerprint
        return 1
    }
}

extension LogEntries {
    /// `nil` if there is none that is meant.
    fileprivate func filter(_ isMeant: (MessageID) -> Bool) -> LogEntries? {
        let kept = entries.filter { isMeant(MessageID(log: logID, sequence: $0.sequence)) }
        return kept.isEmpty ? nil : LogEntries(logID: logID, entries: kept)
    }
}
