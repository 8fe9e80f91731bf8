import EarshotModel
import GRDB

/// What a row of the journal is about, as the table says it. The numbers of kinds that shipped never change.
enum JournalKind: Int {
    case queued = 1
    case received = 2
    case sent = 3
    case delivered = 4
    case read = 5
    case failed = 6
    case userDiscovered = 7
    case userUpdated = 8

    init(_ step: JournalRecord.Step) {
        self =
            switch step {
            case .sent: .sent
            case .delivered: .delivered
            case .read: .read
            }
    }
}

/// The steps whose times are kept, as the table `stateTime` says them.
enum TimedState: Int, CaseIterable {
    case sent = 1
    case delivered = 2
    case read = 3

    /// The kinds of rows that say it, as SQL. A message that was received is delivered here.
    var kindList: String {
        let kinds: [JournalKind] =
            switch self {
            case .sent: [.sent]
            case .delivered: [.delivered, .received]
            case .read: [.read]
            }
        return kinds.map { "\($0.rawValue)" }.joined(separator: ", ")
    }
}

extension Rows {
    /// - Parameter logID: the log that the row names.
    func journalRecord(_ row: Row, of logID: LogID?) throws -> JournalRecord {
        guard let kind = JournalKind(rawValue: row["kind"]) else {
            throw StoreError.damaged("the kind of a row of the journal", path: path)
        }
        if kind == .userDiscovered { return .user(try identifier(row, "userID"), .discovered) }
        if kind == .userUpdated {
            let changes = (row["detail"] as String? ?? "").split(separator: " ")
                .compactMap { UserChange(rawValue: String($0)) }
            return .user(try identifier(row, "userID"), .updated(Set(changes)))
        }
        let (first, last) = (try number(row, "first"), try number(row, "last"))
        guard let logID, first > 0, first <= last else {
            throw StoreError.damaged("a row of the journal", path: path)
        }
        let sequences = first...last
        switch kind {
        case .queued: return .queued(logID, sequences)
        case .received: return .received(logID, try identifier(row, "userID"), sequences)
        case .sent: return .progress(logID, try identifier(row, "userID"), .sent, sequences)
        case .delivered: return .progress(logID, try identifier(row, "userID"), .delivered, sequences)
        case .read: return .progress(logID, try identifier(row, "userID"), .read, sequences)
        case .failed, .userDiscovered, .userUpdated:
            guard let reason = (row["detail"] as String?).flatMap(FailureReason.init) else {
                throw StoreError.damaged("the reason of a failure in the journal", path: path)
            }
            return .failed(logID, try identifier(row, "userID"), reason, sequences)
        }
    }
}
