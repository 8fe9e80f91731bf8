package import EarshotModel

/// An entry of a control log, proved and decoded.
package struct ControlRecord: Hashable, Sendable {
    package let place: LogPlace
    package let timestamp: HybridTimestamp
    package let entry: ControlEntry

    package init(place: LogPlace, timestamp: HybridTimestamp, entry: ControlEntry) {
        self.place = place
        self.timestamp = timestamp
        self.entry = entry
    }
}

/// The beginning of one branch of a control log.
struct ControlPath: Hashable, Sendable {
    let branch: Int
    let count: Int
}

/// A control log as far as this node holds it: all of its branches, each from the first entry on.
///
/// Entries that do not fit into a control log are not kept. Two values that hold the same entries are equal.
package struct ControlLog: Hashable, Sendable {
    package let description: LogDescription
    package let authorID: UserID
    /// Whether its device has proved that it holds the identity key of its user.
    package let isPrimary: Bool
    /// Ascending by the chain of their last entries. None is the beginning of another, and none is empty.
    private(set) var branches: [[ControlRecord]] = []

    /// - Parameter branches: each begins with the log's first entry.
    package init(
        description: LogDescription, authorID: UserID, isPrimary: Bool, branches: [[ControlRecord]] = []
    ) {
        self.description = description
        self.authorID = authorID
        self.isPrimary = isPrimary
        self.branches = branches.map { Array($0.prefix(Limits.controlEntries)) }
        arrange()
    }

    var logID: LogID { description.logID }
    /// The first entry of all branches: a log that `ControlLogs` holds has but one.
    var first: ControlRecord? { branches.first?.first }

    /// How it follows another log, unless it is the first of its conversation.
    var begin: ControlBegin? {
        guard case .begin(let begin) = first?.entry else { return nil }
        return begin
    }

    /// Whether a conversation begins with it.
    func founds(_ conversationID: ConversationID) -> Bool {
        guard case .created(let creation) = first?.entry else { return false }
        return creation.conversationID == conversationID
    }

    /// Whether its device goes on from another log of a user, by the word of that user's identity key.
    func takesOver(from other: LogID, of userID: UserID) -> Bool {
        guard authorID == userID, isPrimary, let begin, case .takeover = begin.cause else { return false }
        return ([begin.follows] + begin.heads).contains { $0.logID == other }
    }

    subscript(path: ControlPath) -> ArraySlice<ControlRecord> { branches[path.branch].prefix(path.count) }

    /// The way to an entry, the entry included.
    func path(to place: LogPlace) -> ControlPath? {
        guard place.logID == logID, place.sequence >= 1 else { return nil }
        for (branch, records) in branches.enumerated() where UInt64(records.count) >= place.sequence {
            let count = Int(place.sequence)
            if records[count - 1].place == place { return ControlPath(branch: branch, count: count) }
        }
        return nil
    }

    /// How many entries two branches have in common.
    func commonCount(_ a: Int, _ b: Int) -> Int {
        guard a != b else { return branches[a].count }
        var low = 0
        var high = min(branches[a].count, branches[b].count)
        while low < high {
            let middle = (low + high + 1) / 2
            let isCommon = branches[a][middle - 1].place == branches[b][middle - 1].place
            if isCommon { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// How many entries of a branch lie on one of the paths.
    func count(of branch: Int, on paths: [ControlPath]) -> Int {
        paths.map { min($0.count, commonCount(branch, $0.branch)) }.max() ?? 0
    }

    /// Adds entries behind one that it holds.
    /// - Returns: whether it holds that entry.
    mutating func append(_ records: some Collection<ControlRecord>, after place: LogPlace) -> Bool {
        guard let path = path(to: place) else { return false }
        let room = max(0, Limits.controlEntries - path.count)
        if path.count == branches[path.branch].count {
            branches[path.branch].append(contentsOf: records.prefix(room))
        } else {
            branches.append(Array(branches[path.branch].prefix(path.count)) + records.prefix(room))
        }
        if branches.count > 1 { arrange() }
        return true
    }

    /// Lets go of the end of a branch that nobody was given.
    mutating func forget(_ end: LogPlace, after count: Int) {
        guard let index = branches.firstIndex(where: { $0.last?.place == end && $0.count > count }) else { return }
        branches[index].removeLast(branches[index].count - count)
        arrange()
    }

    /// Takes over what another copy of this log holds.
    mutating func merge(_ other: ControlLog) {
        branches += other.branches
        arrange()
    }

    private mutating func arrange() {
        var kept: [[ControlRecord]] = []
        for branch in branches.sorted(by: { $0.count > $1.count }) where !branch.isEmpty {
            let isKnown = kept.contains { $0[branch.count - 1].place == branch[branch.count - 1].place }
            if !isKnown { kept.append(branch) }
        }
        branches = kept.sorted { $0[$0.count - 1].place.chain < $1[$1.count - 1].place.chain }
    }
}

extension ControlLog {
    /// One log for each first entry. Copies of a device can begin one log differently, and then its branches have
    /// nothing in common.
    fileprivate var byFirst: [LogPlace: ControlLog] {
        Dictionary(grouping: branches) { $0[0].place }.mapValues {
            ControlLog(description: description, authorID: authorID, isPrimary: isPrimary, branches: $0)
        }
    }
}

/// The control logs of one conversation that a node holds, by their first entries.
struct ControlLogs: Hashable, Sendable {
    private var logs: [LogPlace: ControlLog] = [:]
    private var starts: [LogID: Set<LogPlace>] = [:]

    var all: Dictionary<LogPlace, ControlLog>.Values { logs.values }

    subscript(start: LogPlace) -> ControlLog {
        guard let log = logs[start] else { preconditionFailure("a log that was held stays") }
        return log
    }

    func contains(_ logID: LogID) -> Bool { starts[logID] != nil }

    func path(to place: LogPlace) -> (start: LogPlace, path: ControlPath)? {
        for start in starts[place.logID] ?? [] {
            if let path = self[start].path(to: place) { return (start, path) }
        }
        return nil
    }

    mutating func insert(_ log: ControlLog) {
        for (start, log) in log.byFirst {
            starts[start.logID, default: []].insert(start)
            if logs[start]?.merge(log) == nil { logs[start] = log }
        }
    }

    /// Lets go of the end of a branch that nobody was given.
    mutating func forget(_ end: LogPlace, after count: Int) {
        for start in starts[end.logID] ?? [] {
            logs[start]?.forget(end, after: count)
            guard logs[start]?.branches.isEmpty == true else { continue }
            logs[start] = nil
            starts[end.logID]?.remove(start)
        }
        if starts[end.logID]?.isEmpty == true { starts[end.logID] = nil }
    }

    /// - Returns: whether it holds the entry before these.
    mutating func append(_ records: some Collection<ControlRecord>, after place: LogPlace) -> Bool {
        guard let (start, _) = path(to: place) else { return false }
        return logs[start]?.append(records, after: place) ?? false
    }
}
