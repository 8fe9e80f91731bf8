import EarshotModel

/// Which control logs count, in which order, and up to where. Knows nothing of what their entries mean, but for
/// removals.
///
/// 1. The first log is one whose `created` gives the conversation's id. Each further log begins with its number, one
///    higher than that of the log that it follows, and names the entry of that log behind which it goes on.
/// 2. A log may follow another if it is by the device to which that entry passes the writing; by a device of the user
///    to whom it hands the conversation over; by a device with the owner's identity key (a takeover); or by the same
///    device, if the entry is the last that fits. Only a device with the identity key can hand over, and only to a
///    participant.
/// 3. Of several logs that follow one, that counts under which the conversation is handed over and taken up; else one
///    that is by a device with the identity key, or under which there is such a log; of equal ones that with the lowest
///    id. So who has got hold of a linked device can undo nothing that the identity key has touched.
/// 4. Of a log that another follows, what counts is the way to the entries that the other names. Every branch of the
///    last log counts. What follows a log that does not count falls with it.
/// 5. A revocation cuts off what the device wrote after the places that it names, and its logs without such a place.
///    It does not cut off what an identity key vouches for: a log of a device that holds one, a hand-over that was
///    taken up, and what these follow. So nobody who gave a conversation away gets it back by revoking a device.
/// 6. Removals that do not count by rule 4 are late ones (`LateRemoval`), unless a hand-over lies between.
struct TermChain: Hashable, Sendable {
    struct Term: Hashable, Sendable {
        let start: LogPlace
        /// The ways through the log that count: one, unless it has branches.
        fileprivate(set) var paths: [ControlPath]
        /// Removals that begin to count late with this log.
        let late: [LateRemoval]
        /// Late removals that its writer knew.
        let known: Set<LogPlace>
    }

    /// The end of a branch that does not count.
    struct Loss: Hashable, Sendable {
        let branch: Int
        let after: Int
        /// How far its removals count.
        let removalsEnd: Int
    }

    private(set) var terms: [Term] = []
    /// By the logs' first entries, also for logs that do not count at all.
    private(set) var losses: [LogPlace: [Loss]] = [:]
    /// Entries that logs name and that are not held yet.
    let awaited: Set<LogPlace>

    init?(_ election: TermElection) {
        awaited = election.awaited
        guard var start = election.root else { return nil }
        var beginning: (late: [LateRemoval], known: Set<LogPlace>) = ([], [])
        var standing: [LateRemoval] = []
        while true {
            let log = election.logs[start]
            let next = election.successor(of: start)
            let paths = Self.counting(log, before: next, election)
            terms.append(Term(start: start, paths: paths, late: beginning.late, known: beginning.known))
            guard let next, let begin = election.logs[next].begin else {
                lose(log, beyond: paths, removals: false, election)
                return
            }
            let isHandedOver = begin.cause == .handOver
            var late = lose(log, beyond: paths, removals: !isHandedOver, election)
            for rival in election.candidates(after: start) where rival != next {
                late += lose(rival, of: log.authorID, removals: !isHandedOver, election)
            }
            late.sort { $0.place.chain < $1.place.chain }
            standing += late
            beginning = (late, Self.known(of: standing, to: begin, in: election.logs, of: log.authorID))
            if isHandedOver { standing = [] }
            start = next
        }
    }

    var last: Term {
        guard let last = terms.last else { preconditionFailure("a chain has a first log") }
        return last
    }

    /// The last log goes on, and has one branch.
    mutating func extendLast(by count: Int) {
        let path = last.paths[0]
        terms[terms.count - 1].paths = [ControlPath(branch: path.branch, count: path.count + count)]
    }

    /// The ways through a log that count.
    private static func counting(
        _ log: ControlLog, before next: LogPlace?, _ election: TermElection
    ) -> [ControlPath] {
        var paths = log.branches.indices.map { ControlPath(branch: $0, count: log.branches[$0].count) }
        var isVouchedFor = false
        if let next, let begin = election.logs[next].begin {
            paths = ([begin.follows] + begin.heads).compactMap { log.path(to: $0) }
            isVouchedFor = election.isVouchedFor(next)
        }
        if !isVouchedFor { paths = paths.map { election.cut($0, of: log) } }
        return log.maximal(paths)
    }

    /// - Returns: the removals that count late, in no order.
    @discardableResult
    private mutating func lose(
        _ log: ControlLog, beyond paths: [ControlPath], removals: Bool, _ election: TermElection
    ) -> [LateRemoval] {
        guard let start = log.first?.place else { return [] }
        var late: [LogPlace: LateRemoval] = [:]
        for (branch, records) in log.branches.enumerated() {
            let after = log.count(of: branch, on: paths)
            guard after < records.count else { continue }
            let end = election.cut(ControlPath(branch: branch, count: records.count), of: log).count
            let removalsEnd = removals ? max(after, end) : after
            losses[start, default: []].append(Loss(branch: branch, after: after, removalsEnd: removalsEnd))
            for removal in LateRemoval.last(in: records[after..<removalsEnd]).values {
                late[removal.place] = removal
            }
        }
        return Array(late.values)
    }

    /// A log that does not count falls, with all that follow it.
    private mutating func lose(
        _ start: LogPlace, of ownerID: UserID, removals: Bool, _ election: TermElection
    ) -> [LateRemoval] {
        let log = election.logs[start]
        let removals = removals && log.authorID == ownerID
        var late = lose(log, beyond: [], removals: removals, election)
        for next in election.candidates(after: start) {
            late += lose(next, of: ownerID, removals: removals, election)
        }
        return late
    }

    /// Which removals the writer of a log knew, by the places that it names and those that the logs of these name.
    /// - Parameter logs: those of the user whose removals they are. Others have no say.
    private static func known(
        of removals: [LateRemoval], to begin: ControlBegin, in logs: ControlLogs, of ownerID: UserID
    ) -> Set<LogPlace> {
        guard !removals.isEmpty else { return [] }
        var known: Set<LogPlace> = []
        var named = [begin.follows] + begin.heads
        var seen = Set(named)
        while let place = named.popLast() {
            guard let (start, path) = logs.path(to: place), logs[start].authorID == ownerID else { continue }
            let log = logs[start]
            for removal in removals {
                guard let way = log.path(to: removal.place) else { continue }
                let common = min(path.count, log.commonCount(way.branch, path.branch))
                if way.count <= common { known.insert(removal.place) }
            }
            guard let before = log.begin else { continue }
            for place in [before.follows] + before.heads where seen.insert(place).inserted { named.append(place) }
        }
        return known
    }
}

extension TermElection {
    /// What a revocation leaves of a way through a log: at least the first entry.
    fileprivate func cut(_ path: ControlPath, of log: ControlLog) -> ControlPath {
        guard let cuts = revocations[log.description.deviceID] else { return path }
        let left = log.count(of: path.branch, on: cuts.compactMap { log.path(to: $0) })
        return ControlPath(branch: path.branch, count: min(path.count, max(1, left)))
    }
}

extension ControlLog {
    /// Leaves out ways that are the beginning of another.
    fileprivate func maximal(_ paths: [ControlPath]) -> [ControlPath] {
        var kept: [ControlPath] = []
        for path in paths.sorted(by: { ($0.count, $1.branch) > ($1.count, $0.branch) })
        where count(of: path.branch, on: kept) < path.count { kept.append(path) }
        return kept.sorted { $0.branch < $1.branch }
    }

    /// How much all ways have in common.
    func commonCount(of paths: [ControlPath]) -> Int {
        guard let first = paths.first else { return 0 }
        return paths.dropFirst().reduce(first.count) { min($0, $1.count, commonCount(first.branch, $1.branch)) }
    }
}
