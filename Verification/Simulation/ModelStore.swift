package import EarshotModel
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
            let last = record.head.sequence
            guard UInt64(entries.count) == last else { return entries.keys.filter { $0 >= first }.sorted() }
            return first <= last ? Array(max(1, first)...last) : []
        }

        /// The time of an entry that has only its hash is not known, except that it is after the time of the entry
        /// before it.
        mutating func raiseTimes() {
            var last = HybridTimestamp(rawValue: 0)
            for entry in sequences(from: 1).compactMap({ entries[$0] }) {
                let isLate = entry.timestamp <= last && entry.isUnknown
                last = isLate ? last.next : entry.timestamp
                guard isLate else { continue }
                entries[entry.sequence] = EntryRecord(
                    sequence: entry.sequence, timestamp: last, expiry: entry.expiry, kind: entry.kind,
                    content: entry.content, chain: entry.chain, checkpoint: entry.checkpoint, key: entry.key)
            }
            if record.head.sequence > 0 { record.head.timestamp = last }
        }
    }

    private var users: [UserID: UserRecord] = [:]
    private var devices: [DeviceID: DeviceRecord] = [:]
    private var logs: [LogID: StoredLog] = [:]
    private var records: [JournalRecord] = []
    private var generation: UInt64 = 0
    private var programs = ModelPrograms()

    package init() {}

    // MARK: - Writing

    /// Like `Store.commit`: all of it or nothing.
    package mutating func commit(_ commit: Commit) throws(Refused) {
        guard commit.cuts.isEmpty, commit.retimed.isEmpty else {
            self = try cut(commit)
            return
        }
        let users = try users(after: commit)
        let devices = try devices(after: commit, users: users)
        try checkLogs(commit)
        self.users = users
        self.devices = devices
        for log in commit.logs { write(log) }
        for run in commit.entries {
            for entry in run.entries {
                if let key = entry.key { dropKey(key) }
                logs[run.logID]?.entries[entry.sequence] = entry
                programs.arrived(MessageID(log: run.logID, sequence: entry.sequence))
            }
        }
        for change in commit.programChanges { try programs.apply(change) }
        for delivery in commit.deliveries { logs[delivery.logID]?.deliveries[delivery.recipientID] = delivery.progress }
        for message in commit.withdrawnFailures { logs[message.messageID.log]?.failures[message] = nil }
        for failure in commit.failures { write(failure) }
        if commit.beginsGeneration { (records, generation) = ([], generation + 1) }
        records += commit.journal
    }

    /// Like the unique index: the entry that comes has the key.
    private mutating func dropKey(_ key: EntryKey) {
        for (logID, log) in logs {
            for (sequence, entry) in log.entries where entry.key == key {
                logs[logID]?.entries[sequence] = entry.withKey(nil)
            }
        }
    }

    // MARK: - Cutting

    /// A commit that first cuts the ends off logs, or gives them new times. It is rare, so it works on a copy.
    private func cut(_ commit: Commit) throws(Refused) -> ModelStore {
        var copy = self
        for log in commit.logs { copy.write(log) }
        for cut in commit.cuts { try copy.apply(cut) }
        for retimed in commit.retimed { try copy.apply(retimed) }
        var rest = commit
        (rest.cuts, rest.retimed) = ([], [])
        try copy.commit(rest)
        return copy
    }

    private mutating func apply(_ cut: LogCut) throws(Refused) {
        for run in cut.kept { fillIn(run) }
        guard var log = logs[cut.logID] else { return }
        let failures = log.failures.filter { $0.key.messageID.sequence > cut.after }
        for run in cut.kept {
            for offset in 0..<run.count { log.entries[run.from.sequence + offset] = nil }
        }
        let moved = cut.movedSequences.compactMap { log.entries.removeValue(forKey: $0) }
        for message in failures.keys { log.failures[message] = nil }
        logs[cut.logID] = log
        guard let successorID = cut.successor, var successor = logs[successorID] else { return }
        for (index, entry) in moved.enumerated() {
            let sequence = cut.firstPlace + UInt64(index)
            guard successor.entries[sequence] == nil else {
                throw Refused(reason: "entry \(sequence) of \(successorID) is there already")
            }
            successor.entries[sequence] = EntryRecord(
                sequence: sequence, timestamp: entry.timestamp, expiry: entry.expiry, kind: entry.kind,
                content: entry.content, chain: cut.chains[index],
                checkpoint: index == cut.chains.count - 1 ? cut.checkpoint : nil, isDeleted: entry.isDeleted,
                key: entry.key)
        }
        for (message, failure) in failures {
            guard let place = cut.place(of: message.messageID) else { continue }
            let moved = DeliveryFailure(
                messageID: place, recipientID: message.recipientID, reason: failure.reason,
                isWithheld: failure.isWithheld)
            successor.failures[moved.addressed] = moved
        }
        logs[successorID] = successor
    }

    /// A log that came back from a peer has only the hashes of what was withheld from that peer, or deleted there.
    private mutating func fillIn(_ run: RenamedMessages) {
        guard var log = logs[run.to.log] else { return }
        var isChanged = false
        for offset in 0..<run.count {
            guard let entry = log.entries[run.to.sequence + offset], entry.isUnknown,
                let own = logs[run.from.log]?.entries[run.from.sequence + offset], !own.isUnknown
            else { continue }
            log.entries[entry.sequence] = EntryRecord(
                sequence: entry.sequence, timestamp: own.timestamp, expiry: own.expiry, kind: own.kind,
                content: own.content, chain: entry.chain, checkpoint: entry.checkpoint, isDeleted: own.isDeleted,
                key: entry.key)
            isChanged = true
        }
        if isChanged { log.raiseTimes() }
        logs[run.to.log] = log
    }

    private mutating func apply(_ retimed: RetimedEntries) throws(Refused) {
        for (index, new) in retimed.entries.enumerated() {
            let sequence = retimed.after + UInt64(index) + 1
            guard let entry = logs[retimed.logID]?.entries[sequence], entry.hasBody == new.hasBody,
                let content = entry.content.retimed(to: new.timestamp)
            else { throw Refused(reason: "entry \(sequence) of \(retimed.logID) has changed meanwhile") }
            logs[retimed.logID]?.entries[sequence] = EntryRecord(
                sequence: sequence, timestamp: new.timestamp, expiry: entry.expiry, kind: entry.kind, content: content,
                chain: new.chain, checkpoint: index == retimed.entries.count - 1 ? retimed.checkpoint : nil,
                isDeleted: entry.isDeleted, key: entry.key)
        }
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
        for delivery in commit.deliveries where delivery.progress.read > delivery.progress.delivered {
            throw Refused(reason: "more is read than delivered")
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
        for (logID, log) in logs.sorted(by: { $0.key < $1.key }) {
            snapshot.logs.append(log.record)
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
        return snapshot
    }

    /// Like `Store.entries`.
    package func entries(
        of logID: LogID, from sequence: UInt64, countLimit: Int, byteLimit: Int
    ) -> [EntryRecord] {
        guard let log = logs[logID] else { return [] }
        var entries: [EntryRecord] = []
        var bytes = 0
        for sequence in log.sequences(from: sequence) {
            guard entries.count < countLimit, let entry = log.entries[sequence] else { break }
            bytes += entry.windowBytes
            if bytes > byteLimit && !entries.isEmpty { break }
            entries.append(entry)
        }
        return entries
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
    package func expired(in logID: LogID, after sequence: UInt64, now: Int64) -> (
        sequences: [UInt64], nextExpiry: Int64
    ) {
        guard let log = logs[logID] else { return ([], .max) }
        var sequences: [UInt64] = []
        var nextExpiry = Int64.max
        for sequence in log.sequences(from: sequence + 1) {
            guard let expiry = log.entries[sequence]?.expiry else { continue }
            if expiry <= now { sequences.append(sequence) } else { nextExpiry = min(nextExpiry, expiry) }
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
            .flatMap { log in log.entries.values.compactMap { held($0, in: log) } }
            .sorted { ($0.entry.timestamp, $0.messageID.log) < ($1.entry.timestamp, $1.messageID.log) }
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
        }
    }

    private func shown(_ run: ClosedRange<UInt64>, of logID: LogID) -> [MessageID] {
        run.filter { logs[logID]?.entries[$0]?.kind.isShown == true }.map { MessageID(log: logID, sequence: $0) }
    }

    private func states(
        _ state: DeliveryState, _ run: ClosedRange<UInt64>, of logID: LogID, for userID: UserID
    ) -> [JournalledEvent] {
        guard let conversationID = logs[logID]?.record.description.conversationID else { return [] }
        return run.map {
            .state(
                MessageStateChange(
                    messageID: MessageID(log: logID, sequence: $0), conversationID: conversationID,
                    recipientID: userID, state: state))
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
    fileprivate var hasBody: Bool {
        if case .body = content { true } else { false }
    }

    /// Whether only its hash is here.
    fileprivate var isUnknown: Bool {
        if case .withheld = content { !isDeleted } else { false }
    }
}
