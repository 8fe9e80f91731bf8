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
    case handled = 9
    case conversationUpdated = 20
    case participantUpdated = 21
    case draftInserted = 30
    case draftUpdated = 31
    case draftSent = 32
    case draftDiscarded = 33

    init(_ step: JournalRecord.Step) {
        self =
            switch step {
            case .sent: .sent
            case .delivered: .delivered
            case .handled: .handled
            case .read: .read
            }
    }
}

/// The steps whose times are kept, as the table `stateTime` says them.
enum TimedState: Int, CaseIterable {
    case sent = 1
    case delivered = 2
    case read = 3
    case handled = 4

    /// The kinds of rows that say it, as SQL. A message that was received is delivered here.
    var kindList: String {
        let kinds: [JournalKind] =
            switch self {
            case .sent: [.sent]
            case .delivered: [.delivered, .received]
            case .read: [.read]
            case .handled: [.handled]
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
        if kind == .conversationUpdated || kind == .participantUpdated {
            return try conversationRecord(row, kind)
        }
        if kind.isOfDraft { return try draftRecord(row, kind) }
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
        case .handled: return .progress(logID, try identifier(row, "userID"), .handled, sequences)
        case .read: return .progress(logID, try identifier(row, "userID"), .read, sequences)
        case .failed, .userDiscovered, .userUpdated, .conversationUpdated, .participantUpdated, .draftInserted,
            .draftUpdated, .draftSent, .draftDiscarded:
            guard let reason = (row["detail"] as String?).flatMap(FailureReason.init) else {
                throw StoreError.damaged("the reason of a failure in the journal", path: path)
            }
            return .failed(logID, try identifier(row, "userID"), reason, sequences)
        }
    }
}

// MARK: - Conversations

/// What is new about a conversation has no columns of its own: it is words in the column `detail`.
extension Rows {
    fileprivate func conversationRecord(_ row: Row, _ kind: JournalKind) throws -> JournalRecord {
        // A name may begin with a mark that would be one character with the space before it.
        let words = (row["detail"] as String? ?? "").unicodeScalars
            .split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map { String($0) }
        guard words.count >= 4, let conversationID = ConversationID(words[0]),
            let status = Participant.Status(rawValue: words[2])
        else { throw StoreError.damaged("a row of the journal", path: path) }
        if kind == .participantUpdated {
            guard let role = Participant.Role(rawValue: words[1]), let since = UInt64(words[3]) else {
                throw StoreError.damaged("a participant in the journal", path: path)
            }
            let participant = Participant(
                userID: try identifier(row, "userID"), role: role, status: status,
                since: HybridTimestamp(rawValue: since))
            return .participant(ParticipantUpdate(conversationID: conversationID, participant: participant))
        }
        guard words.count == 5, let kind = ConversationKind(rawValue: words[1]) else {
            throw StoreError.damaged("a conversation in the journal", path: path)
        }
        let changes = words[3].split(separator: ",").compactMap { ConversationChange(rawValue: String($0)) }
        return .conversation(
            ConversationUpdate(
                conversationID: conversationID, kind: kind, uniqueName: words[4], status: status,
                ownerID: kind == .private ? try identifier(row, "userID") : nil, changes: Set(changes)))
    }
}

extension ConversationUpdate {
    /// The name comes last, because it may have spaces.
    var journalDetail: String {
        let changes = changes.map(\.rawValue).sorted().joined(separator: ",")
        return "\(conversationID) \(kind.rawValue) \(status.rawValue) \(changes) \(uniqueName)"
    }
}

extension ParticipantUpdate {
    var journalDetail: String {
        "\(conversationID) \(participant.role.rawValue) \(participant.status.rawValue) \(participant.since.rawValue)"
    }
}
