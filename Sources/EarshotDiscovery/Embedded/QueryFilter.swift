/// Decides which queries the library need not see: those that want nothing of this node, and those that it would not answer,
/// because it has just given everybody the same answer (RFC 6762 section 6). Pure.
///
/// The library keeps each known answer of each query for a while, and looks for a new one among all of them; and it looks for
/// each question among those that were asked lately. Where many nodes ask at the same time, and know each other, it does
/// little else, and what they answer finds no room on the socket meanwhile.
struct QueryFilter {
    /// Where questions come in, and answers go out.
    struct Place: Hashable {
        let socket: CInt
        let interface: UInt32
    }

    /// For how long after an answer the library does not repeat it.
    static let silence = Duration.milliseconds(500)
    /// The library answers a question after 20 to 120 ms, and that one answer serves everybody who asks within this time. If none
    /// is heard, the library does not answer that question, so every question is let through until an answer is heard.
    static let answerTime = Duration.milliseconds(250)
    /// How long after a truncated question the next one is let through. What they know costs the library most, and it turns
    /// out later whether they want an answer.
    static let truncatedInterval = Duration.milliseconds(100)
    /// For how long after a truncated question what goes on with it is let through. RFC 6762 section 7.2 has 500 ms.
    static let continuationTime = Duration.milliseconds(500)
    /// Places that are kept track of.
    static let placeLimit = 256

    private enum Standing {
        case quiet
        /// A question was let through at this time, and its answer has not been heard.
        case asked(ContinuousClock.Instant)
        /// A question was not answered in time.
        case unanswered
        /// This node was last heard to answer at this time.
        case answered(ContinuousClock.Instant)
    }

    private struct History {
        var standing = Standing.quiet
        /// When a truncated question was last let through, and from where it came.
        var truncated: (time: ContinuousClock.Instant, source: [UInt8])?
    }

    private var places: [Place: History] = [:]

    /// - Parameters:
    ///   - isToGroup: whether it was sent to everybody.
    ///   - source: who sent it.
    /// - Returns: whether the library is to see a message that came to this place.
    mutating func admits(
        _ purpose: DNSMessageCheck.Purpose, isToGroup: Bool, from source: [UInt8], at place: Place,
        now: ContinuousClock.Instant
    ) -> Bool {
        switch purpose {
        case .needless: return false
        case .other: return true
        case .ownAnswer:
            // What is heard back is known to have been sent; what was sent to this node alone tells nobody else.
            if isToGroup { update(place) { $0.standing = .answered(now) } }
            return true
        case .question(let isWhole):
            let history = places[place] ?? History()
            if case .answered(let time) = history.standing, now - time < Self.silence { return false }
            guard isWhole else { return admitsTruncated(history, from: source, at: place, now: now) }
            return admitsWhole(history.standing, at: place, now: now)
        case .continuation:
            guard let last = places[place]?.truncated else { return false }
            return last.source == source && now - last.time < Self.continuationTime
        }
    }

    private mutating func admitsWhole(
        _ standing: Standing, at place: Place, now: ContinuousClock.Instant
    ) -> Bool {
        switch standing {
        case .asked(let time) where now - time < Self.answerTime: return false
        case .asked: update(place) { $0.standing = .unanswered }
        case .quiet, .answered: update(place) { $0.standing = .asked(now) }
        case .unanswered: break
        }
        return true
    }

    private mutating func admitsTruncated(
        _ history: History, from source: [UInt8], at place: Place, now: ContinuousClock.Instant
    ) -> Bool {
        if let last = history.truncated, now - last.time < Self.truncatedInterval { return false }
        update(place) { $0.truncated = (now, source) }
        return true
    }

    private mutating func update(_ place: Place, _ change: (inout History) -> Void) {
        if places[place] == nil, places.count >= Self.placeLimit { places = [:] }
        change(&places[place, default: History()])
    }
}
