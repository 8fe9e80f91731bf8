import EarshotModel
import Foundation
import GRDB

/// What other entries make of a message.
struct MessageFacts: Sendable {
    var changes: MessageChanges
    /// Whether a later message of its session stands.
    var isSuperseded = false
}

extension HistoryReader {
    /// What other entries say about messages of a log, by their numbers; those about which none says anything are left out.
    func facts(of entries: [EntryRecord], in log: NumberedLog) throws -> [UInt64: MessageFacts] {
        guard let first = entries.map(\.sequence).min(), let last = entries.map(\.sequence).max() else { return [:] }
        var facts: [UInt64: MessageFacts] = [:]
        let chains = Dictionary(entries.map { ($0.sequence, $0.chain) }) { first, _ in first }
        let found = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    \(Self.relations) WHERE relation.targetLog = ? AND relation.targetSequence BETWEEN ? AND ?
                        AND log.conversationID = ? AND NOT \(Self.isHidden)
                    """),
            arguments: [
                log.record.description.logID.data, Int64(first), Int64(last),
                log.record.description.conversationID.data,
            ])
        while let row = try found.next() {
            let (relation, author, stamp, messageID) = try relation(row)
            guard case let target? = relation.target, chains[target.sequence] == target.chain else { continue }
            facts[target.sequence, default: MessageFacts(changes: MessageChanges(authorID: log.record.authorID))]
                .changes.note(relation, by: author, at: stamp, in: messageID)
        }
        for (sequence, isSuperseded) in try supersessions(first...last, of: log) where isSuperseded {
            facts[sequence, default: MessageFacts(changes: MessageChanges(authorID: log.record.authorID))]
                .isSuperseded = true
        }
        return facts
    }

    /// The messages of a log that are steps of sessions, and whether a later one stands.
    private func supersessions(
        _ run: ClosedRange<UInt64>, of log: NumberedLog
    ) throws -> [(sequence: UInt64, isSuperseded: Bool)] {
        let steps = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT sequence, session, counter FROM relation
                    WHERE log = ? AND sequence BETWEEN ? AND ? AND session IS NOT NULL
                    """), arguments: [log.number, Int64(run.lowerBound), Int64(run.upperBound)])
        guard !steps.isEmpty else { return [] }
        var sessions: [Data: Succession<MessageID>] = [:]
        return try steps.map { row in
            let (sequence, counter) = (try rows.number(row, "sequence"), try rows.number(row, "counter"))
            let id: Data = row["session"]
            let session = try sessions[id] ?? session(id, in: log.record.description.conversationID)
            sessions[id] = session
            let isStanding = session.standing == MessageID(log: log.record.logID, sequence: sequence)
            return (sequence, counter <= session.counter && !isStanding)
        }
    }

    /// The steps of a session in one conversation. One that its author withholds is none: nobody else ever has it.
    func session(_ id: Data, in conversationID: ConversationID) throws -> Succession<MessageID> {
        var session = Succession<MessageID>()
        let found = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    \(Self.relations) WHERE relation.session = ? AND log.conversationID = ? AND entry.kind = ?
                        AND NOT EXISTS (SELECT 1 FROM failure
                            WHERE failure.log = relation.log AND failure.sequence = relation.sequence AND isWithheld)
                    """), arguments: [id, conversationID.data, EntryKind.text.rawValue])
        while let row = try found.next() {
            let (_, _, stamp, messageID) = try relation(row)
            session.note(messageID, counter: try rows.number(row, "counter"), at: stamp)
        }
        return session
    }

    /// The entry whose text a message shows, with its content; `nil` for its own.
    func edit(_ facts: MessageFacts?) throws -> EntryRecord? {
        guard let edit = facts?.changes.edit else { return nil }
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Rows.entryColumns) FROM log JOIN entry ON entry.log = log.number
                WHERE log.logID = ? AND entry.sequence = ?
                """)
        return try Row.fetchOne(statement, arguments: [edit.log.data, Int64(edit.sequence)]).map(rows.entry)
    }

    private static let relations = """
        SELECT relation.*, log.logID, ifnull(log.wireID, log.logID) AS wireID, log.authorID, entry.timestamp, entry.chain
        FROM relation JOIN log ON log.number = relation.log
            JOIN entry ON entry.log = relation.log AND entry.sequence = relation.sequence
        """

    private func relation(
        _ row: Row
    ) throws -> (relation: EntryRelation, authorID: UserID, stamp: EntryStamp, messageID: MessageID) {
        let sequence = try rows.number(row, "sequence")
        let stamp = EntryStamp(
            timestamp: HybridTimestamp(rawValue: try rows.number(row, "timestamp")),
            place: LogPlace(
                logID: try rows.identifier(row, "wireID"), sequence: sequence, chain: try rows.identifier(row, "chain"))
        )
        let messageID = MessageID(log: try rows.identifier(row, "logID"), sequence: sequence)
        return (try content(row), try rows.identifier(row, "authorID"), stamp, messageID)
    }

    private func content(_ row: Row) throws -> EntryRelation {
        let counter = try rows.number(row, "counter")
        if let id = row["session"] as Data? {
            guard let key = EntryKey(id) else { throw StoreError.damaged("the id of a session", path: rows.path) }
            return .session(SessionID(key), counter: counter)
        }
        let target = LogPlace(
            logID: try rows.identifier(row, "targetLog"), sequence: try rows.number(row, "targetSequence"),
            chain: try rows.identifier(row, "targetChain"))
        switch EntryKind(rawValue: row["kind"]) {
        case .edit: return .edit(of: target, counter: counter)
        case .retract: return .retraction(of: target)
        case .version: return .version(target)
        case .reaction:
            guard let emoji = row["emoji"] as String? else { break }
            return .reaction(to: target, emoji: emoji, counter: counter, isRemoved: row["isRemoved"])
        default: break
        }
        throw StoreError.damaged("what an entry says about another", path: rows.path)
    }
}

extension EntryRelation {
    fileprivate var target: LogPlace? {
        switch self {
        case .edit(let target, _), .retraction(let target), .reaction(let target, _, _, _): target
        case .session, .version: nil
        }
    }
}
