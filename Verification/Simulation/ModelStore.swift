package import EarshotModel
import EarshotProtocol
import EarshotStore

/// A model of `Store` without a database: it accepts and refuses the same commits, and returns the same from reads.
///
/// A simulation of many nodes would spend its time in SQLite. A test gives both the same commits and compares them.
package struct ModelStore {
    /// A commit breaks a rule of the schema. Nothing of it was written.
    package struct Refused: Error {
        package let reason: String
    }

    private struct StoredLog {
        var record: LogRecord
        var entries: [UInt64: EntryRecord] = [:]
        var deliveries: [UserID: DeliveryProgress] = [:]
        var failures: [Addressed: DeliveryFailure] = [:]

        /// The sequence numbers of its entries, ascending. A sound log has no gaps, so this is quick.
        func sequences(from first: UInt64) -> [UInt64] {
            let (start, last) = (record.firstSequence, record.head.sequence)
            guard UInt64(entries.count) == last + 1 - start else { return entries.keys.filter { $0 >= first }.sorted() }
            return first <= last ? Array(max(start, first)...last) : []
        }
    }

    private var users: [UserID: UserRecord] = [:]
    private var devices: [DeviceID: DeviceRecord] = [:]
    private var ownDevices: [DeviceID: OwnDeviceRecord] = [:]
    private var revocations: Set<Revocation> = []
    private var logs: [LogID: StoredLog] = [:]
    private var conversations: [ConversationID: OpenConversationRecord] = [:]
    private var privateConversations: [ConversationID: PrivateConversationRecord] = [:]
    private var receipts: [Addressee: [Receipt]] = [:]

    /// A device, and the log that its receipt is for.
    private struct Addressee: Hashable {
        let logID: LogID
        let deviceID: DeviceID
    }

    private var records: [JournalRecord] = []
    private var generation: UInt64 = 0
    private var programs = ModelPrograms()

    package init() {}

    // MARK: - Writing

    /// Like `Store.commit`: all of it or nothing.
    package mutating func commit(_ commit: Commit) throws(Refused) {
        guard commit.unsentTails.isEmpty, commit.rewrittenTails.isEmpty else {
            self = try cut(commit)
            return
        }
        let users = try users(after: commit)
        let devices = try devices(after: commit, users: users)
        try checkLogs(commit)
        self.users = users
        self.devices = devices
        for deviceID in commit.forgottenOwnDevices { ownDevices[deviceID] = nil }
        for device in commit.ownDevices { ownDevices[device.deviceID] = device }
        revocations.formUnion(commit.revocations)
        for log in commit.logs { write(log) }
        for conversation in commit.conversations { conversations[conversation.conversationID] = conversation }
        for record in commit.privateConversations { privateConversations[record.conversationID] = record }
        for (addressee, kept) in Dictionary(
            grouping: commit.receipts, by: { Addressee(logID: $0.logID, deviceID: $0.deviceID) })
        {
            receipts[addressee] = kept
        }
        for run in commit.entries {
            for entry in run.entries {
                if let key = entry.key { dropKey(key) }
                logs[run.logID]?.entries[entry.sequence] = entry
                programs.arrived(MessageID(log: run.logID, sequence: entry.sequence))
            }
        }
        for run in commit.bodies { for entry in run.entries { complete(entry, in: run.logID) } }
        for run in commit.regarded {
            for entry in run.entries where logs[run.logID]?.entries[entry.sequence]?.kind.isSilent == true {
                logs[run.logID]?.entries[entry.sequence] = entry
            }
        }
        for change in commit.programChanges { try programs.apply(change) }
        for delivery in commit.deliveries { logs[delivery.logID]?.deliveries[delivery.recipientID] = delivery.progress }
        for message in commit.withdrawnFailures { logs[message.messageID.log]?.failures[message] = nil }
        for failure in commit.failures { write(failure) }
        for erasure in commit.erasures { erase(erasure) }
        if commit.beginsGeneration { (records, generation) = ([], generation + 1) }
        records += commit.journal
    }

    /// Like `Store.deleteContents`, on the word of another device of the user.
    private mutating func erase(_ erasure: LogErasure) {
        guard let log = logs[erasure.logID] else { return }
        let recipients = log.record.conversation.participantIDs.filter { $0 != log.record.authorID }
        for run in erasure.runs {
            let isHere = log.entries[run.last.sequence].map { $0.chain == run.last.chain } ?? (log.record.base == nil)
            for sequence in run.sequences where isHere {
                guard let entry = logs[erasure.logID]?.entries[sequence], entry.kind.isErasable,
                    case .body = entry.content
                else { continue }
                let mayLeave = recipients.contains { userID in
                    let message = Addressed(
                        messageID: MessageID(log: erasure.logID, sequence: sequence), recipientID: userID)
                    let progress = log.deliveries[userID]
                    let complete = progress?.missing.ranges.first.map { $0.lowerBound - 1 } ?? progress?.delivered ?? 0
                    return complete < sequence && log.failures[message] == nil
                }
                if erasure.isOwn && mayLeave { continue }
                logs[erasure.logID]?.entries[sequence] = entry.erased
            }
        }
    }

    /// Like the unique index: the entry that comes has the key.
    private mutating func dropKey(_ key: EntryKey) {
        for (logID, log) in logs {
            for (sequence, entry) in log.entries where entry.key == key {
                logs[logID]?.entries[sequence] = entry.withKey(nil)
            }
        }
    }

    // MARK: - Unsent ends

    /// A commit that first takes ends off logs, or out of the limbo. It is rare, so it works on a copy.
    private func cut(_ commit: Commit) throws(Refused) -> ModelStore {
        var copy = self
        for log in commit.logs { copy.write(log) }
        for tail in commit.unsentTails { copy.apply(tail) }
        for tail in commit.rewrittenTails { try copy.apply(tail) }
        var rest = commit
        (rest.unsentTails, rest.rewrittenTails) = ([], [])
        try copy.commit(rest)
        return copy
    }

    private mutating func apply(_ tail: UnsentTail) {
        guard var log = logs[tail.logID] else { return }
        var limbo = StoredLog(record: tail.limbo)
        for (sequence, entry) in log.entries where sequence > tail.after {
            log.entries[sequence] = nil
            limbo.entries[sequence] = entry.withKey(nil)
        }
        for (message, failure) in log.failures where message.messageID.sequence > tail.after {
            log.failures[message] = nil
            let moved = failure.moved(
                to: MessageID(log: tail.limbo.logID, sequence: message.messageID.sequence))
            limbo.failures[moved.addressed] = moved
        }
        log.record.head = tail.limbo.start
        (logs[tail.logID], logs[tail.limbo.logID]) = (log, limbo)
    }

    private mutating func apply(_ tail: RewrittenTail) throws(Refused) {
        guard var limbo = logs[tail.limboID] else { return }
        for run in tail.places {
            let sequences = run.from.sequence..<run.from.sequence + run.count
            if let deleted = sequences.first(where: { limbo.entries[$0]?.isDeleted == true }) {
                throw Refused(reason: "entry \(deleted) of \(tail.limboID) has changed meanwhile")
            }
            for (message, failure) in limbo.failures {
                let sequence = message.messageID.sequence
                guard sequence >= run.from.sequence, sequence - run.from.sequence < run.count else { continue }
                let moved = failure.moved(
                    to: MessageID(log: run.to.log, sequence: run.to.sequence + sequence - run.from.sequence))
                limbo.failures[message] = nil
                logs[run.to.log]?.failures[moved.addressed] = moved
            }
        }
        limbo.entries = limbo.entries.filter { $0.key > tail.through.sequence }
        limbo.failures = limbo.failures.filter { $0.key.messageID.sequence > tail.through.sequence }
        let old = limbo.record
        limbo.record = LogRecord(
            logID: old.logID, description: old.description, base: tail.through, isLimbo: true, authorID: old.authorID,
            conversation: old.conversation, head: old.head, nextExpiry: old.nextExpiry)
        logs[tail.limboID] = tail.isLast ? nil : limbo
    }

    private func users(after commit: Commit) throws(Refused) -> [UserID: UserRecord] {
        var users = users
        guard !commit.users.isEmpty || !commit.forgottenUsers.isEmpty else { return users }
        for userID in commit.forgottenUsers { users[userID] = nil }
        if commit.users.count > 1 {
            for user in commit.users { users[user.userID]?.isPinned = false }
        }
        var holders: [UserName: UserID] = [:]
        for user in users.values where user.isPinned { holders[user.name] = user.userID }
        for var user in commit.users {
            if let old = users[user.userID] {
                if old.isPinned { holders[old.name] = nil }
                user.firstSeen = old.firstSeen
            }
            if user.isPinned {
                guard holders.updateValue(user.userID, forKey: user.name) == nil else {
                    throw Refused(reason: "the name \(user.name) is pinned to another user")
                }
            }
            users[user.userID] = user
        }
        return users
    }

    private func devices(
        after commit: Commit, users: [UserID: UserRecord]
    ) throws(Refused) -> [DeviceID: DeviceRecord] {
        var devices = devices
        if !commit.forgottenUsers.isEmpty {
            let forgotten = Set(commit.forgottenUsers)
            devices = devices.filter { !forgotten.contains($0.value.userID) }
        }
        for deviceID in commit.forgottenDevices { devices[deviceID] = nil }
        for device in commit.devices {
            guard users[device.userID] != nil else { throw Refused(reason: "a device of nobody") }
            devices[device.deviceID] = device
        }
        return devices
    }

    private func checkLogs(_ commit: Commit) throws(Refused) {
        for run in commit.entries {
            var taken: Set<UInt64> = []
            for entry in run.entries {
                guard entry.sequence > 0, logs[run.logID]?.entries[entry.sequence] == nil,
                    taken.insert(entry.sequence).inserted
                else { throw Refused(reason: "entry \(entry.sequence) of \(run.logID) is there already") }
            }
        }
        for delivery in commit.deliveries
        where max(delivery.progress.read, delivery.progress.handled) > delivery.progress.delivered {
            throw Refused(reason: "more is read or handled than delivered")
        }
    }

    private mutating func write(_ log: LogRecord) {
        guard logs[log.logID] != nil else {
            logs[log.logID] = StoredLog(record: log)
            return
        }
        // An existing head has the time of its entry.
        if logs[log.logID]?.record.head.chain != log.head.chain { logs[log.logID]?.record.head = log.head }
        logs[log.logID]?.record.nextExpiry = log.nextExpiry
        logs[log.logID]?.record.bytes = log.bytes
    }

    /// The body of an entry that is here without it. What follows without one is later.
    private mutating func complete(_ entry: EntryRecord, in logID: LogID) {
        guard let here = logs[logID]?.entries[entry.sequence], case .withheld = here.content, !here.isDeleted else {
            return
        }
        logs[logID]?.record.bytes += entry.windowBytes
        if case .withheld = entry.content {
            logs[logID]?.entries[entry.sequence] = entry.at(here.timestamp)
        } else {
            logs[logID]?.entries[entry.sequence] = entry
        }
        guard case .body = entry.content, let head = logs[logID]?.record.head else { return }
        var (sequence, time) = (entry.sequence, entry.timestamp.rawValue)
        while let next = logs[logID]?.entries[sequence + 1], case .withheld = next.content {
            (sequence, time) = (sequence + 1, time + 1)
            guard next.timestamp.rawValue < time else { continue }
            logs[logID]?.entries[sequence] = next.at(HybridTimestamp(rawValue: time))
        }
        let latest = entry.timestamp.rawValue + head.sequence - entry.sequence
        logs[logID]?.record.head.timestamp = max(head.timestamp, HybridTimestamp(rawValue: latest))
    }

    private mutating func write(_ failure: DeliveryFailure) {
        let logID = failure.messageID.log
        let isWithheld = logs[logID]?.failures[failure.addressed]?.isWithheld == true || failure.isWithheld
        logs[logID]?.failures[failure.addressed, default: failure].isWithheld = isWithheld
    }

    // MARK: - Reading

    /// Like `Store.snapshot`, with everything in ascending order.
    package func snapshot() -> Snapshot {
        var snapshot = Snapshot()
        snapshot.users = users.values.sorted { $0.userID < $1.userID }
        snapshot.devices = devices.values.sorted { $0.deviceID < $1.deviceID }
        snapshot.ownDevices = ownDevices.values.sorted { $0.deviceID < $1.deviceID }
        snapshot.revocations = revocations.sorted { ($0.userID, $0.deviceID) < ($1.userID, $1.deviceID) }
        for (logID, log) in logs.sorted(by: { $0.key < $1.key }) {
            snapshot.logs.append(log.record)
            snapshot.hidden += log.entries.values.filter(\.kind.isHidden)
                .map { MessageID(log: logID, sequence: $0.sequence) }.sorted()
            for entry in log.entries.values where !entry.isDeleted {
                if case .body = entry.content { continue }
                if entry.mark == nil {
                    snapshot.missing[logID, default: SequenceSet()].insert(entry.sequence)
                } else {
                    snapshot.withheld[logID, default: SequenceSet()].insert(entry.sequence)
                }
            }
            snapshot.silent += log.entries.values.filter(\.kind.isSilent)
                .map { MessageID(log: logID, sequence: $0.sequence) }.sorted()
            snapshot.unknown += log.entries.values.filter { $0.kind == .unknown }
                .map { MessageID(log: logID, sequence: $0.sequence) }.sorted()
            for (recipientID, progress) in log.deliveries.sorted(by: { $0.key < $1.key }) {
                snapshot.deliveries.append(
                    DeliveryRecord(logID: logID, recipientID: recipientID, progress: progress))
            }
            snapshot.failures += log.failures.values
                .filter { $0.isWithheld || $0.messageID.sequence > log.deliveries[$0.recipientID]?.delivered ?? 0 }
                .sorted { ($0.messageID, $0.recipientID) < ($1.messageID, $1.recipientID) }
        }
        snapshot.consumers = programs.consumers
        snapshot.scheduled = programs.scheduled
        snapshot.drafts = programs.drafts
        snapshot.discardedDrafts = programs.discardedDrafts
        snapshot.conversations = conversations.values.sorted { $0.conversationID < $1.conversationID }
        snapshot.privateConversations = privateConversations.values.sorted { $0.conversationID < $1.conversationID }
        for log in snapshot.logs where log.conversation.kind == .private && !log.isLimbo {
            let isControl = log.description.kind == .control
            let entries =
                logs[log.logID].map {
                    $0.entries.values.filter { isControl || $0.kind.isMembership && !$0.kind.isSilent }
                } ?? []
            guard !entries.isEmpty else { continue }
            snapshot.membershipEntries.append(
                RecordedEntries(log: log, entries: entries.sorted { $0.sequence < $1.sequence }))
        }
        for log in snapshot.logs where log.conversation.kind == .open && !log.isLimbo {
            let joins = logs[log.logID].map { $0.entries.values.filter { $0.kind == .join } } ?? []
            guard let first = joins.min(by: { $0.sequence < $1.sequence }) else { continue }
            snapshot.joinEntries.append(RecordedEntries(log: log, entries: [first]))
        }
        for log in snapshot.logs where !log.isLimbo {
            let entries = logs[log.logID].map { $0.entries.values.filter(\.kind.isShared) } ?? []
            guard !entries.isEmpty else { continue }
            snapshot.sharedEntries.append(
                RecordedEntries(log: log, entries: entries.sorted { $0.sequence < $1.sequence }))
        }
        // More than the store gives; so many are in no simulation.
        for log in snapshot.logs where !log.isLimbo {
            let entries = logs[log.logID].map { $0.entries.values.filter { $0.kind.isSilent && $0.hasBody } } ?? []
            guard !entries.isEmpty else { continue }
            snapshot.silentEntries.append(
                RecordedEntries(log: log, entries: entries.sorted { $0.sequence < $1.sequence }))
        }
        snapshot.receipts = receipts.values.flatMap(\.self).sorted {
            ($0.logID, $0.deviceID, $0.sequence, $0.chain) < ($1.logID, $1.deviceID, $1.sequence, $1.chain)
        }
        return snapshot
    }

    /// Like `Store.entries`.
    package func entries(
        of logID: LogID, from sequence: UInt64, countLimit: Int, byteLimit: Int
    ) -> [EntryRecord] {
        guard let log = logs[logID] else { return [] }
        var entries: [EntryRecord] = []
        var bytes = 0
        for sequence in max(1, sequence)...max(1, sequence, log.record.head.sequence) {
            guard entries.count < countLimit, let entry = entry(at: sequence, of: log) else { break }
            bytes += entry.windowBytes
            if bytes > byteLimit && !entries.isEmpty { break }
            entries.append(entry)
        }
        return entries
    }

    /// An entry of a branch, or of the one that it parts from.
    private func entry(at sequence: UInt64, of log: StoredLog) -> EntryRecord? {
        guard let base = log.record.base, sequence <= base.sequence else { return log.entries[sequence] }
        let parent = logs.values.first { other in
            other.record.description == log.record.description && !other.record.isLimbo
                && (base.sequence == 0 ? other.record.base == nil : other.entries[base.sequence]?.chain == base.chain)
        }
        return parent.flatMap { entry(at: sequence, of: $0) }
    }

    /// Like `Store.chains`.
    package func chains(of logID: LogID, at sequences: [UInt64]) -> [UInt64: ChainHash] {
        guard let log = logs[logID] else { return [:] }
        return sequences.reduce(into: [:]) { chains, sequence in
            chains[sequence] = entry(at: sequence, of: log)?.chain
        }
    }

    /// Like `Store.entries(with:)`.
    package func entries(with keys: [EntryKey]) -> [KeyedEntry] {
        keys.compactMap { key in
            for (logID, log) in logs {
                if let entry = log.entries.values.first(where: { $0.key == key }) {
                    return KeyedEntry(logID: logID, entry: entry)
                }
            }
            return nil
        }
    }

    /// Like `Store.arrived`.
    func arrived(after cursor: Int64, for readerID: UserID, limit: Int) -> [(cursor: Int64, message: HeldMessage)] {
        Array(
            programs.places(after: cursor).lazy.compactMap { cursor, messageID in
                guard let message = held(messageID), message.log.authorID != readerID, message.hasBody else {
                    return nil
                }
                return (cursor, message)
            }.prefix(limit))
    }

    /// Like `Store.expired`.
    package func expired(in logID: LogID, after sequence: UInt64, by clock: ExpiryClock) -> (
        sequences: [UInt64], nextExpiry: Int64
    ) {
        guard let log = logs[logID] else { return ([], .max) }
        var sequences: [UInt64] = []
        var nextExpiry = Int64.max
        for sequence in log.sequences(from: sequence + 1) {
            guard let entry = log.entries[sequence] else { continue }
            let expiry = clock.end(entry.expiry, writtenAt: entry.timestamp)
            if expiry <= clock.now { sequences.append(sequence) } else { nextExpiry = min(nextExpiry, expiry) }
        }
        return (sequences, nextExpiry)
    }

    func held(_ messageID: MessageID) -> HeldMessage? {
        guard let log = logs[messageID.log], messageID.sequence <= log.record.head.sequence,
            let entry = log.entries[messageID.sequence]
        else { return nil }
        return held(entry, in: log)
    }

    /// Like the latest page of `Store.history`.
    func history(of conversationID: ConversationID) -> [HeldMessage] {
        logs.values.filter { $0.record.description.conversationID == conversationID }
            .flatMap { log in
                log.entries.values.compactMap { entry in
                    held(entry, in: log).map { (message: $0, trunkID: log.record.description.logID) }
                }
            }
            .sorted {
                ($0.message.entry.timestamp, $0.trunkID, $0.message.entry.chain)
                    < ($1.message.entry.timestamp, $1.trunkID, $1.message.entry.chain)
            }
            .map(\.message)
    }

    /// Like `Store.journal`, without a limit.
    func journal(after id: EventID?) -> JournalRest {
        if let id, id.generation != generation || id.row > Int64(records.count) { return .gone }
        let events = records.dropFirst(Int(id?.row ?? 0)).flatMap(events)
        return .events(events, end: EventID(generation: generation, row: Int64(records.count), index: 0))
    }

    private func events(_ record: JournalRecord) -> [JournalledEvent] {
        switch record {
        case .queued(let logID, let run): shown(run, of: logID).map(JournalledEvent.queued)
        case .received(let logID, _, let run): shown(run, of: logID).map(JournalledEvent.received)
        case .progress(let logID, let userID, let step, let run): states(step.state, run, of: logID, for: userID)
        case .failed(let logID, let userID, let reason, let run): states(.failed(reason), run, of: logID, for: userID)
        case .user(let userID, let news): [.user(userID, news)]
        case .conversation(let update): [.conversation(update)]
        case .participant(let update): [.participant(update)]
        case .draft(let news): [.draft(news)]
        }
    }

    private func shown(_ run: ClosedRange<UInt64>, of logID: LogID) -> [MessageID] {
        run.filter { logs[logID]?.entries[$0]?.kind.isShown == true }.map { MessageID(log: logID, sequence: $0) }
    }

    private func states(
        _ state: DeliveryState, _ run: ClosedRange<UInt64>, of logID: LogID, for userID: UserID
    ) -> [JournalledEvent] {
        guard let conversationID = logs[logID]?.record.description.conversationID else { return [] }
        // What is no message is left out. A message that came back as a hash has its states.
        let messages = run.filter { logs[logID]?.entries[$0]?.kind.isHidden == false }
        return messages.map { MessageID(log: logID, sequence: $0) }.map {
            .state(
                MessageStateChange(
                    messageID: $0, conversationID: conversationID, recipientID: userID, state: state))
        }
    }

    /// The messages of a conversation, as the latest page of `Store.history` has them.
    package func messageIDs(of conversationID: ConversationID) -> [MessageID] {
        history(of: conversationID).map(\.messageID)
    }

    private func held(_ entry: EntryRecord, in log: StoredLog) -> HeldMessage? {
        guard entry.kind.isShown else { return nil }
        return HeldMessage(
            log: log.record, entry: entry,
            failure: log.failures[
                Addressed(
                    messageID: MessageID(log: log.record.logID, sequence: entry.sequence),
                    recipientID: log.record.recipientID)],
            progress: log.deliveries[log.record.recipientID] ?? DeliveryProgress())
    }
}

extension EntryRecord {
    fileprivate var hasBody: Bool { if case .body = content { true } else { false } }

    fileprivate func at(_ timestamp: HybridTimestamp) -> EntryRecord {
        var entry = EntryRecord(
            sequence: sequence, timestamp: timestamp, expiry: expiry, kind: kind, content: content, chain: chain,
            checkpoint: checkpoint, isDeleted: isDeleted, key: key, relation: relation)
        entry.mark = mark
        return entry
    }
}

extension EntryRecord {
    /// The same entry with its hash alone.
    fileprivate var erased: EntryRecord {
        EntryRecord(
            sequence: sequence, timestamp: timestamp, expiry: expiry, kind: kind, content: .withheld(content.hash),
            chain: chain, checkpoint: checkpoint, isDeleted: true, key: key)
    }
}
