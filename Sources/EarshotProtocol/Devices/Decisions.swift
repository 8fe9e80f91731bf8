import EarshotModel

/// What a user has decided about others, on all of their devices: a fold over entries of their own conversation.
///
/// It is the same for all devices that hold the same entries, in whatever order they came. The order is that of
/// (counter, timestamp, log). A decision is numbered one higher than the last that its device knew, so behind a number
/// of which none is here nothing counts yet: nobody gets ahead of all others by a number that they make up.
struct Decisions: Sendable {
    /// What follows from all of them.
    struct Outcome: Hashable, Sendable {
        fileprivate(set) var blocked: Set<UserID> = []
        fileprivate(set) var verified: Set<UserID> = []
        /// Whose a name is.
        fileprivate(set) var holders: [UserName: UserID] = [:]
        /// What users were called when something was decided about them last.
        fileprivate(set) var names: [UserID: UserName] = [:]
        fileprivate var counter: UInt64 = 0
    }

    private struct Known: Hashable {
        let decision: Decision
        let timestamp: HybridTimestamp
        let log: LogDescription
        let place: LogPlace
    }

    private let userID: UserID
    private var known: [LogPlace: Known] = [:]
    /// Where the logs of revoked devices end in the user's own conversation.
    private var cuts = Cuts()
    /// Decisions of this device that are not on the disk.
    private var pending: [Decision] = []
    private(set) var outcome = Outcome()

    /// - Parameter entries: what the disk has of the user's own conversation.
    init(of userID: UserID, _ entries: [RecordedEntries] = []) {
        self.userID = userID
        for run in entries where run.log.conversation.isOwn(of: userID) { take(run) }
        fold()
    }

    /// The number of the next decision.
    var nextCounter: UInt64 { outcome.counter.nextCounter }

    /// Whether a decision would change anything.
    func isNews(_ verdict: TrustDecision, about userID: UserID, name: UserName) -> Bool {
        switch verdict {
        case .accept: outcome.holders[name] != userID
        case .verify: outcome.holders[name] != userID || !outcome.verified.contains(userID)
        case .block: !outcome.blocked.contains(userID)
        case .unblock: outcome.blocked.contains(userID)
        }
    }

    /// This device's user has decided.
    mutating func decide(_ decision: Decision) {
        pending.append(decision)
        fold()
    }

    /// Takes entries of the user's own conversation, from whichever device.
    /// - Parameter isOwn: whether this device has written them.
    mutating func insert(_ entries: RecordedEntries, isOwn: Bool = false) {
        if isOwn {
            for entry in entries.entries {
                guard case .decision(let decision) = entry.bodyContent else { continue }
                pending.firstIndex(of: decision).map { _ = pending.remove(at: $0) }
            }
        }
        take(entries)
        fold()
    }

    private mutating func take(_ entries: RecordedEntries) {
        let log = entries.log.description
        _ = cuts.insert(entries.entries, by: entries.log.authorID, in: log.conversationID)
        for entry in entries.entries where entry.kind == .decision {
            guard case .decision(let decision) = entry.bodyContent, decision.userID != userID,
                !decision.verdict.needsProof || decision.isProved(for: log.deviceID, by: userID)
            else { continue }
            let place = LogPlace(logID: log.logID, sequence: entry.sequence, chain: entry.chain)
            known[place] = Known(
                decision: decision, timestamp: entry.timestamp, log: log, place: place)
        }
    }

    private mutating func fold() {
        outcome = Outcome()
        let sorted = known.values.sorted {
            ($0.decision.counter, $0.timestamp, $0.place.logID, $0.place.sequence, $0.place.chain)
                < ($1.decision.counter, $1.timestamp, $1.place.logID, $1.place.sequence, $1.place.chain)
        }
        for item in sorted {
            guard item.decision.counter <= outcome.counter.nextCounter else { break }
            outcome.counter = item.decision.counter
            // What a revoked device has decided behind its end counts as a number, for others may have counted on.
            let place = Place(sequence: item.place.sequence, chain: item.place.chain)
            if cuts.counts(place, of: item.log, by: userID) { outcome.apply(item.decision) }
        }
        for decision in pending {
            outcome.counter = max(outcome.counter, decision.counter)
            outcome.apply(decision)
        }
    }
}

extension Decisions.Outcome {
    fileprivate mutating func apply(_ decision: Decision) {
        let userID = decision.userID
        names[userID] = decision.name
        switch decision.verdict {
        case .accept, .verify:
            // Who loses the name is who they claim to be no longer.
            if let other = holders.updateValue(userID, forKey: decision.name), other != userID {
                verified.remove(other)
            }
            if decision.verdict == .verify { verified.insert(userID) }
        case .block: blocked.insert(userID)
        case .unblock: blocked.remove(userID)
        }
    }
}
