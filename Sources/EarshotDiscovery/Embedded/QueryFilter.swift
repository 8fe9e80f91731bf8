/// Of the queries that ask who is there, lets through as many as are needed for everybody to be answered: an answer goes to
/// all at once (RFC 6762 section 6). Pure.
///
/// Where many nodes start together each asks several times, and tells all whom it knows; and the library takes long over that.
struct QueryFilter {
    /// Where questions come in, and answers go out.
    struct Place: Hashable {
        let socket: CInt
        let interface: UInt32
    }

    /// For how long the answer to one does for all: the library gives it within 120 ms, and does not repeat it for 500 ms
    /// after that.
    static let answerTime = Duration.milliseconds(500)
    /// The same after a question that may yet turn out to need no answer. It holds up only others of its kind: else who
    /// always takes back what they asked could keep a node from answering anybody.
    static let unfinishedTime = Duration.milliseconds(100)
    /// Places that are kept track of.
    static let placeLimit = 256

    private struct LastQuestion {
        let time: ContinuousClock.Instant
        let isWhole: Bool
    }

    private var lastQuestions: [Place: LastQuestion] = [:]

    /// - Returns: whether the library is to see a query that came to this place.
    mutating func admits(
        _ want: DNSMessageCheck.Want, at place: Place, now: ContinuousClock.Instant
    ) -> Bool {
        switch want {
        case .nothing: return false
        case .unknown: return true
        case .instances(let isWhole):
            guard !isAnswered(place, isWhole: isWhole, now: now) else { return false }
            if lastQuestions[place] == nil, lastQuestions.count >= Self.placeLimit { lastQuestions = [:] }
            lastQuestions[place] = LastQuestion(time: now, isWhole: isWhole)
            return true
        case .noInstances:
            guard let last = lastQuestions[place] else { return false }
            return !last.isWhole && now - last.time < Self.answerTime
        }
    }

    private func isAnswered(_ place: Place, isWhole: Bool, now: ContinuousClock.Instant) -> Bool {
        guard let last = lastQuestions[place] else { return false }
        let elapsed = now - last.time
        return last.isWhole ? elapsed < Self.answerTime : !isWhole && elapsed < Self.unfinishedTime
    }
}
