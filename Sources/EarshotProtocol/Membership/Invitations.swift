import EarshotModel

/// What users have answered to additions: `Join` and `Leave` entries of their own logs.
///
/// Who has left answers that addition no more, so a `Join` counts only without a `Leave`, in whatever order they come.
struct Invitations: Hashable, Sendable {
    private struct Answer: Hashable, Sendable {
        let userID: UserID
        let addition: LogPlace
    }

    private var joined: Set<Answer> = []
    private var left: Set<Answer> = []

    mutating func noteJoin(of userID: UserID, answering addition: LogPlace) {
        joined.insert(Answer(userID: userID, addition: addition))
    }

    mutating func noteLeave(of userID: UserID, answering addition: LogPlace) {
        left.insert(Answer(userID: userID, addition: addition))
    }

    func hasLeft(_ userID: UserID, answering addition: LogPlace) -> Bool {
        left.contains(Answer(userID: userID, addition: addition))
    }

    /// - Parameter additions: what the user may answer.
    func status(of userID: UserID, additions: [LogPlace]) -> Participant.Status {
        let answers = additions.map { Answer(userID: userID, addition: $0) }
        if answers.contains(where: left.contains) { return .left }
        return answers.contains(where: joined.contains) ? .joined : .invited
    }
}
