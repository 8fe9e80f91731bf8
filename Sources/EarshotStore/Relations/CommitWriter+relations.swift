import EarshotCrypto
import EarshotModel
import Foundation
import GRDB

extension CommitWriter {
    /// Few entries have to do with others, so all others are spared this.
    func writeRelations(of run: LogEntries) throws {
        for index in run.entries.placesOfParts {
            guard let relation = run.entries[index].relation else { continue }
            let entry = run.entries[index]
            let columns = RelationColumns(relation)
            try db.cachedStatement(
                sql: """
                    INSERT INTO relation (log, sequence, kind, targetLog, targetSequence, targetChain, session, counter,
                        emoji, isRemoved) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                try number(of: run.logID), Int64(entry.sequence), entry.kind.rawValue,
                columns.target?.logID.data, columns.target.map { Int64($0.sequence) }, columns.target?.chain.data,
                columns.session, Int64(clamping: columns.counter), columns.emoji, columns.isRemoved,
            ])
        }
    }

    // MARK: - What was retracted

    /// How many retractions that wait for their messages to be delivered a commit looks at.
    private static let dueLimit = 256

    /// Erases the texts of messages that were retracted, those of their edits included. What the commit's own device has
    /// written and may still have to leave stays until each recipient has it, or the retraction: whoever got only a hash would sign for
    /// what they never had. Nobody else waits: whoever still lacks it gets it from its author's device.
    func eraseRetracted(_ commit: Commit) throws {
        var due: Set<RelationPlace> = []
        // Some bodies come later than their entries, and some entries count only later.
        let late = commit.bodies + commit.regarded
        for run in late.isEmpty ? commit.entries : commit.entries + late {
            for index in run.entries.placesOfParts {
                switch run.entries[index].relation {
                case .retraction:
                    let sequence = run.entries[index].sequence
                    due.insert(RelationPlace(log: try number(of: run.logID), sequence: sequence))
                case .edit(let target, _): due.formUnion(try retractions(of: target))
                case .reaction, .session, .version, nil: break
                }
            }
        }
        let waits = try memory.mayRetractionsWait && retractionsWait()
        if waits { try due.formUnion(dueRetractions(with: commit)) }
        if waits, !memory.hasSettledOthers { try due.formUnion(dueRetractions(besides: commit.deviceID)) }
        found.findings.hasSettledOthers = true
        found.findings.mayRetractionsWait = waits || !due.isEmpty
        guard !due.isEmpty else { return }
        let reader = HistoryReader(db: db, rows: rows, order: .time)
        let waiting = WaitingEntries(reader, of: commit.deviceID, besides: .withheld)
        for place in due.sorted() { try settle(place, waiting) }
    }

    /// Retractions of what other devices have written, and which earlier versions let wait for its recipients.
    private func dueRetractions(besides deviceID: DeviceID?) throws -> [RelationPlace] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT relation.log, relation.sequence FROM relation
                    JOIN log AS target ON target.logID = relation.targetLog OR target.wireID = relation.targetLog
                WHERE relation.isDue = 1 AND target.deviceID IS NOT ?
                """, arguments: [deviceID?.data]
        ).map { RelationPlace(log: $0[0], sequence: UInt64($0[1] as Int64)) }
    }

    private func retractionsWait() throws -> Bool {
        try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM relation WHERE isDue = 1)")) == true
    }

    /// Retractions that wait, and may be due with a commit.
    private func dueRetractions(with commit: Commit) throws -> [RelationPlace] {
        var due: [RelationPlace] = []
        let descriptions = Dictionary(commit.logs.map { ($0.logID, $0.description.logID) }) { first, _ in first }
        for run in commit.entries {
            guard let first = run.entries.first, let last = run.entries.last else { continue }
            let found = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT log, sequence FROM relation
                        WHERE isDue = 1 AND targetLog = ? AND targetSequence BETWEEN ? AND ?
                        """),
                arguments: [
                    (descriptions[run.logID] ?? run.logID).data, Int64(first.sequence), Int64(last.sequence),
                ])
            due += found.map { RelationPlace(log: $0[0], sequence: UInt64($0[1] as Int64)) }
        }
        // Nobody waits for whoever is out.
        let conversationIDs =
            commit.conversations.map(\.conversationID) + commit.privateConversations.map(\.conversationID)
        for conversationID in conversationIDs {
            let found = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT relation.log, relation.sequence FROM relation JOIN log ON log.number = relation.log
                        WHERE relation.isDue = 1 AND log.conversationID = ? LIMIT ?
                        """), arguments: [conversationID.data, Self.dueLimit])
            due += found.map { RelationPlace(log: $0[0], sequence: UInt64($0[1] as Int64)) }
        }
        guard !commit.deliveries.isEmpty || !commit.failures.isEmpty else { return due }
        let delivered = Set(commit.deliveries.map(\.logID) + commit.failures.map(\.messageID.log))
        for logID in delivered {
            let found = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT log, sequence FROM relation WHERE isDue = 1 AND (targetLog = ?1 OR log = ?2) LIMIT ?3
                        """),
                arguments: [(descriptions[logID] ?? logID).data, try number(of: logID), Self.dueLimit])
            due += found.map { RelationPlace(log: $0[0], sequence: UInt64($0[1] as Int64)) }
        }
        return due
    }

    private func retractions(of target: LogPlace) throws -> [RelationPlace] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT log, sequence FROM relation
                    WHERE targetLog = ? AND targetSequence = ? AND targetChain = ? AND kind = ?
                    """),
            arguments: [
                target.logID.data, Int64(target.sequence), target.chain.data, EntryKind.retract.rawValue,
            ]
        ).map { RelationPlace(log: $0[0], sequence: UInt64($0[1] as Int64)) }
    }

    /// Erases what a retraction names, as far as nobody needs it any more.
    /// - Parameter waiting: what the commit's own device has written, and a recipient neither has nor is it withheld from them.
    private func settle(_ place: RelationPlace, _ waiting: WaitingEntries) throws {
        guard
            let target = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT relation.targetLog, relation.targetSequence, relation.targetChain, own.authorID,
                            own.conversationID
                        FROM relation JOIN log AS own ON own.number = relation.log
                        WHERE relation.log = ? AND relation.sequence = ?
                        """), arguments: [place.log, Int64(place.sequence)])
        else { return }
        let message = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT entry.cursor, entry.log, entry.sequence, entry.body, log.authorID,
                        entry.body IS NULL AND NOT entry.isDeleted AS isLacking
                    FROM entry JOIN log ON log.number = entry.log
                    WHERE entry.log IN (SELECT number FROM log WHERE logID = ?1
                            UNION ALL SELECT number FROM log WHERE wireID = ?1)
                        AND entry.sequence = ?2 AND entry.chain = ?3 AND log.conversationID = ?4
                    """),
            arguments: [
                target["targetLog"] as Data, target["targetSequence"] as Int64, target["targetChain"] as Data,
                target["conversationID"] as Data,
            ])
        guard let message else { return try setDue(true, place) }
        guard message["authorID"] as Data == target["authorID"] as Data else { return try setDue(false, place) }
        if message["isLacking"] { try show(message["cursor"]) }
        let edits = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT entry.cursor, entry.log, entry.sequence, entry.body
                    FROM relation JOIN log ON log.number = relation.log
                        JOIN entry ON entry.log = relation.log AND entry.sequence = relation.sequence
                    WHERE relation.targetLog = ? AND relation.targetSequence = ? AND relation.targetChain = ?
                        AND relation.kind = ? AND log.authorID = ? AND log.conversationID = ?
                    """),
            arguments: [
                target["targetLog"] as Data, target["targetSequence"] as Int64, target["targetChain"] as Data,
                EntryKind.edit.rawValue, target["authorID"] as Data, target["conversationID"] as Data,
            ])
        var isLeft = false
        for row in [message] + edits {
            guard let body = row["body"] as Data? else { continue }
            let (sequence, log) = (UInt64(row["sequence"] as Int64), row["log"] as Int64)
            if try waiting.contains(sequence, of: log, unlessRetractedBy: (place.sequence, place.log)) {
                isLeft = true
            } else {
                found.hasErased = true
                try db.cachedStatement(sql: "UPDATE entry SET hash = ?, body = NULL, isDeleted = 1 WHERE cursor = ?")
                    .execute(arguments: [EntryHash.of(body: Array(body)).data, row["cursor"] as Int64])
            }
        }
        try setDue(isLeft, place)
    }

    /// A message that was taken back before its body came, as on a device that was away, is shown like one that had come, also where
    /// its author gives only the hash by now. Nobody needs its body any more.
    private func show(_ cursor: Int64) throws {
        try db.cachedStatement(sql: "UPDATE entry SET kind = ?, isDeleted = 1 WHERE cursor = ?")
            .execute(arguments: [EntryKind.text.rawValue, cursor])
    }

    private func setDue(_ isDue: Bool, _ place: RelationPlace) throws {
        try db.cachedStatement(sql: "UPDATE relation SET isDue = ? WHERE log = ? AND sequence = ? AND isDue <> ?")
            .execute(arguments: [isDue, place.log, Int64(place.sequence), isDue])
    }
}

/// The place of an entry with a relation, in the numbers of the tables.
private struct RelationPlace: Hashable, Comparable {
    let log: Int64
    let sequence: UInt64

    static func < (a: RelationPlace, b: RelationPlace) -> Bool { (a.log, a.sequence) < (b.log, b.sequence) }
}

/// A relation in the columns of its table.
private struct RelationColumns {
    var target: LogPlace?
    var session: Data?
    var counter: UInt64 = 0
    var emoji: String?
    var isRemoved = false

    init(_ relation: EntryRelation) {
        switch relation {
        case .edit(let target, let counter): (self.target, self.counter) = (target, counter)
        case .retraction(let target), .version(let target): self.target = target
        case .reaction(let target, let emoji, let counter, let isRemoved):
            (self.target, self.emoji, self.counter, self.isRemoved) = (target, emoji, counter, isRemoved)
        case .session(let id, let counter): (session, self.counter) = (id.bytes.data, counter)
        }
    }
}
