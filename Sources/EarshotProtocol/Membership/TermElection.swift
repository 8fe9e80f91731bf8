import EarshotModel

/// How much a control log proves about its writer, and about those of the logs that follow it.
enum ControlAuthority: Int, Comparable, Sendable {
    /// A device that any thief may have.
    case linked
    /// A device with the identity key.
    case primary
    /// The former owner's identity key gave the conversation away, and the new owner has taken it up.
    case handOver

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Finds which control logs follow each other, and weighs those that follow the same one, by the rules of `TermChain`.
struct TermElection {
    let conversationID: ConversationID
    let logs: ControlLogs
    let revocations: [DeviceID: Set<LogPlace>]
    /// Places that logs name and that are not held yet: with them the election may end otherwise.
    private(set) var awaited: Set<LogPlace> = []
    private var successors: [LogPlace: [LogPlace]] = [:]
    private var authorities: [LogPlace: ControlAuthority] = [:]
    private var origins: [LogPlace: LogPlace] = [:]
    private var states: [LogPlace: MembershipState] = [:]

    init(conversationID: ConversationID, logs: ControlLogs, revocations: [DeviceID: Set<LogPlace>]) {
        self.conversationID = conversationID
        self.logs = logs
        self.revocations = revocations
        var named: [LogPlace: [(start: LogPlace, log: ControlLog)]] = [:]
        for log in logs.all {
            guard let first = log.first, let begin = log.begin else { continue }
            for place in [begin.follows] + begin.heads where logs.path(to: place) == nil { awaited.insert(place) }
            if let (start, _) = logs.path(to: begin.follows) { named[start, default: []].append((first.place, log)) }
        }
        for root in roots { weigh(root, term: 1, named) }
    }

    /// The logs that found the conversation, in no order.
    private var roots: [LogPlace] {
        logs.all.compactMap { $0.founds(conversationID) ? $0.first?.place : nil }
    }

    /// The log that founds the conversation.
    var root: LogPlace? { winner(among: roots) }

    /// The log that follows another one.
    func successor(of start: LogPlace) -> LogPlace? { winner(among: successors[start] ?? []) }

    /// Logs that could follow another one, in no order.
    func candidates(after start: LogPlace) -> [LogPlace] { successors[start] ?? [] }

    /// What an identity key vouches for counts whatever was revoked.
    func isVouchedFor(_ start: LogPlace) -> Bool { authority(of: start) > .linked }

    private func authority(of start: LogPlace) -> ControlAuthority { authorities[start] ?? .linked }

    private func winner(among starts: [LogPlace]) -> LogPlace? {
        starts.max { a, b in
            if authority(of: a) != authority(of: b) { return authority(of: a) < authority(of: b) }
            return a.logID != b.logID ? a.logID > b.logID : a.chain > b.chain
        }
    }

    private mutating func weigh(
        _ start: LogPlace, term: UInt64, _ named: [LogPlace: [(start: LogPlace, log: ControlLog)]]
    ) {
        let log = logs[start]
        var authority = ownAuthority(of: log, start)
        for (next, nextLog) in named[start] ?? [] {
            guard term < Limits.controlTerms, let begin = nextLog.begin, begin.term == term + 1 else { continue }
            guard mayFollow(nextLog, begin, after: log, start) else { continue }
            origins[next] = start
            weigh(next, term: term + 1, named)
            let isCut = isCut(next, of: nextLog) || (begin.cause != .handOver && isCut(begin.follows, of: log))
            guard !isCut || isVouchedFor(next) else { continue }
            successors[start, default: []].append(next)
            authority = max(authority, self.authority(of: next))
        }
        authorities[start] = authority
    }

    private func ownAuthority(of log: ControlLog, _ start: LogPlace) -> ControlAuthority {
        if isCut(start, of: log) { return .linked }
        if log.begin?.cause == .handOver { return .handOver }
        return log.isPrimary ? .primary : .linked
    }

    private mutating func mayFollow(
        _ next: ControlLog, _ begin: ControlBegin, after log: ControlLog, _ start: LogPlace
    ) -> Bool {
        guard let path = log.path(to: begin.follows), let last = log[path].last else { return false }
        // Without all that it builds on, removals that it knew would not count, and who is out would be given what is written.
        guard begin.heads.allSatisfy({ $0.logID != log.logID || logs.path(to: $0) != nil }) else { return false }
        let isOwners = next.authorID == log.authorID
        let isSameDevice = next.description.deviceID == log.description.deviceID
        switch begin.cause {
        case .takeover: return isOwners && next.isPrimary
        case .full:
            return isOwners && isSameDevice && path.count == Limits.controlEntries
        case .pass:
            return isOwners && !isSameDevice && last.entry == .pass(to: next.description.deviceID)
        case .handOver:
            return !isOwners && log.isPrimary && last.entry == .handOver(to: next.authorID)
                && state(at: path, in: start).isHandOverEffective(to: next.authorID)
        }
    }

    /// Whether a revocation cuts an entry off.
    func isCut(_ place: LogPlace, of log: ControlLog) -> Bool {
        guard let cuts = revocations[log.description.deviceID], let path = log.path(to: place) else { return false }
        return path.count > log.count(of: path.branch, on: cuts.compactMap { log.path(to: $0) })
    }

    /// What the conversation was at an entry if the logs before it count.
    private mutating func state(at path: ControlPath, in start: LogPlace) -> MembershipState {
        var state = states[start] ?? self.start(of: start)
        states[start] = state
        for record in logs[start][path].dropFirst() { _ = state.apply(record) }
        return state
    }

    private mutating func start(of start: LogPlace) -> MembershipState {
        let log = logs[start]
        guard let first = log.first else { preconditionFailure("a log that is held has an entry") }
        guard let begin = log.begin, let origin = origins[start], let path = logs[origin].path(to: begin.follows) else {
            return MembershipState(createdBy: log.authorID, with: first)
        }
        var state = state(at: path, in: origin)
        _ = state.begin(begin, at: first, of: log.authorID)
        return state
    }
}
