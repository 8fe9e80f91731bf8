/// A group of events that one commit makes true, as the journal keeps it: one row, whatever its length.
///
/// The node posts exactly these events after the commit, in this order, except those of entries of a kind that is not
/// shown.
package enum JournalRecord: Hashable, Sendable {
    /// A step that a message makes on the way to a recipient.
    package enum Step: Hashable, Sendable, CaseIterable {
        case sent, delivered, handled, read

        package var state: DeliveryState {
            switch self {
            case .sent: .sent
            case .delivered: .delivered
            case .handled: .handled
            case .read: .read
            }
        }
    }

    /// What is new about a user.
    package enum News: Hashable, Sendable {
        case discovered
        case updated(Set<UserChange>)
    }

    /// Messages of this node.
    case queued(LogID, ClosedRange<UInt64>)
    /// Messages of another user for this node's user.
    case received(LogID, UserID, ClosedRange<UInt64>)
    /// Messages of this node that have made a step on the way to a recipient.
    case progress(LogID, UserID, Step, ClosedRange<UInt64>)
    /// Messages of this node that have failed for a recipient.
    case failed(LogID, UserID, FailureReason, ClosedRange<UInt64>)
    case user(UserID, News)
    case conversation(ConversationUpdate)
    case participant(ParticipantUpdate)
    case draft(DraftNews)

    /// The log and the messages that it is about; `nil` if it is about none.
    package var run: (logID: LogID, sequences: ClosedRange<UInt64>)? {
        switch self {
        case .queued(let logID, let sequences), .received(let logID, _, let sequences),
            .progress(let logID, _, _, let sequences), .failed(let logID, _, _, let sequences):
            (logID, sequences)
        case .user, .conversation, .participant, .draft: nil
        }
    }

    /// The same about other messages.
    private func about(_ sequences: ClosedRange<UInt64>) -> JournalRecord {
        switch self {
        case .queued(let logID, _): .queued(logID, sequences)
        case .received(let logID, let userID, _): .received(logID, userID, sequences)
        case .progress(let logID, let userID, let step, _): .progress(logID, userID, step, sequences)
        case .failed(let logID, let userID, let reason, _): .failed(logID, userID, reason, sequences)
        case .user, .conversation, .participant, .draft: self
        }
    }

    /// One record for this and the next; `nil` if they do not say the same about messages that follow each other.
    fileprivate func joined(with next: JournalRecord) -> JournalRecord? {
        guard let (_, first) = run, let (_, second) = next.run, first.upperBound + 1 == second.lowerBound,
            about(second) == next
        else { return nil }
        return about(first.lowerBound...second.upperBound)
    }
}

extension [JournalRecord] {
    /// Appends a record, or makes the last one longer.
    package mutating func add(_ record: JournalRecord) {
        if let joined = last?.joined(with: record) {
            self[count - 1] = joined
        } else {
            append(record)
        }
    }
}
