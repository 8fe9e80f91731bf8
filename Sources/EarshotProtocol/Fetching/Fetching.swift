import EarshotModel

/// What this node lacks of logs that linked peers hold, and whom it asks.
///
/// A peer's heads name the ends of the branches that it holds. An end that this node does not have is wanted: it is asked
/// for from one holder at a time, and from the next one if nothing comes for a while. Logs of this device's own, which it
/// has forgotten, come first. This decides whom to ask for what, and when. It does not look at entries: who tells it that
/// an end was reached has proved them.
struct Fetching: Sendable {
    enum Action: Hashable, Sendable {
        /// Ask for what follows the places of the log that this node holds: its heads, or, if none of these is in the
        /// branch, places at doubling distances.
        case ask(ConnectionID, BranchHead, Places)
        /// Nobody who is linked gives it.
        case givenUp(BranchHead)
    }

    enum Places: Hashable, Sendable { case heads, spaced }

    private enum Phase: Sendable {
        /// Nobody is asked now.
        case waiting
        /// - until: an uptime; if nothing has come by then, the next holder is asked.
        case asked(ConnectionID, Places, until: Int64)
    }

    private struct Want: Sendable {
        let head: BranchHead
        /// Links over which it may be asked, those that were not tried yet first.
        var holders: [ConnectionID]
        var phase = Phase.waiting
        /// How often somebody was asked for it in vain.
        var failures = 0
    }

    /// By the chain hash at the end, which names a branch and its place.
    private var wants: [ChainHash: Want] = [:]
    /// How far a peer holds logs, as far as it has said in a series of heads that is not complete.
    private var named: [ConnectionID: [LogID: UInt64]] = [:]
    /// This device, whose own logs come first.
    private let deviceID: DeviceID
    private var missing = MissingBodies()

    init(deviceID: DeviceID) { self.deviceID = deviceID }

    /// Bodies that this node lacks of entries that it holds.
    var bodies: MissingBodies {
        get { missing }
        _modify { yield &missing }
    }

    var isEmpty: Bool { wants.isEmpty }

    var count: Int { wants.count }

    /// Whether something of a conversation is still to come over a link, or from anybody.
    func isFetching(_ conversationID: ConversationID, where condition: (BranchHead) -> Bool = { _ in true }) -> Bool {
        wants.values.contains { $0.head.log.conversationID == conversationID && condition($0.head) }
    }

    func isFetching(_ logID: LogID, over connectionID: ConnectionID) -> Bool {
        wants.values.contains { $0.head.log.logID == logID && $0.holders.contains(connectionID) }
    }

    /// What a link was asked for, and has not brought.
    func asked(over connectionID: ConnectionID) -> [BranchHead] {
        wants.values.compactMap { want in
            if case .asked(connectionID, _, _) = want.phase { want.head } else { nil }
        }
    }

    /// When nothing came for so long that somebody else is to be asked.
    var deadline: Int64 {
        wants.values.reduce(.max) { time, want in
            if case .asked(_, _, let until) = want.phase { min(time, until) } else { time }
        }
    }

    // MARK: - What there is

    /// A peer holds a branch up to an end that this node does not have. When there is no more room, the link that has
    /// named the most gives way, so that nobody's names keep out those of others.
    /// - Returns: whether there was room to note it.
    mutating func want(_ head: BranchHead, from connectionID: ConnectionID) -> Bool {
        if wants[head.place.chain] == nil {
            guard wants.count < Limits.wantedBranches || makeRoom(for: connectionID) else { return false }
            wants[head.place.chain] = Want(head: head, holders: [])
        }
        if wants[head.place.chain]?.holders.contains(connectionID) == false {
            wants[head.place.chain]?.holders.append(connectionID)
        }
        return true
    }

    /// A peer says that it holds a log up to an end, wanted or not. No more logs are noted than can be wanted.
    mutating func names(_ head: BranchHead, on connectionID: ConnectionID) {
        let known = named[connectionID, default: [:]]
        guard known[head.log.logID] != nil || known.count < Limits.wantedBranches else { return }
        named[connectionID, default: [:]][head.log.logID] = max(known[head.log.logID] ?? 0, head.place.sequence)
    }

    /// A peer has said all that it holds of a conversation. What it named before, and no longer holds or may no longer give,
    /// is not wanted of it: a question for that would stand before those that it answers.
    mutating func namedAll(of conversationID: ConversationID, on connectionID: ConnectionID) -> [Action] {
        let ends = named.removeValue(forKey: connectionID) ?? [:]
        // It may have named more logs than were noted.
        guard ends.count < Limits.wantedBranches else { return [] }
        let outdated = wants.values.filter { want in
            want.head.log.conversationID == conversationID && want.head.log.deviceID != deviceID
                && want.head.place.sequence > ends[want.head.log.logID] ?? 0 && want.holders.contains(connectionID)
        }
        var actions: [Action] = []
        for chain in outdated.map(\.head.place.chain).sorted() { drop(connectionID, from: chain, &actions) }
        return actions
    }

    /// Forgets something that nobody is asked for now, and that only one link has named: the one that has named the most.
    private mutating func makeRoom(for connectionID: ConnectionID) -> Bool {
        var named: [ConnectionID: [ChainHash]] = [:]
        for (chain, want) in wants where want.holders.count == 1 && want.head.log.deviceID != deviceID {
            guard case .waiting = want.phase, let holder = want.holders.first else { continue }
            named[holder, default: []].append(chain)
        }
        let most = named.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
        guard let most, most.key != connectionID, most.value.count > named[connectionID]?.count ?? 0,
            let chain = most.value.max()
        else { return false }
        wants[chain] = nil
        return true
    }

    /// Nothing of a log is taken any more.
    mutating func forget(_ logID: LogID) { wants = wants.filter { $0.value.head.log.logID != logID } }

    /// This node has an entry now, from wherever it came.
    /// - Returns: the links whose peers had named it as an end.
    mutating func reached(_ chain: ChainHash) -> [ConnectionID] { wants.removeValue(forKey: chain)?.holders ?? [] }

    /// Entries of a log came over a link that was asked for them: it may take as long again.
    mutating func moved(_ logID: LogID, over connectionID: ConnectionID, now: Moment) {
        for (chain, want) in wants where want.head.log.logID == logID {
            guard case .asked(connectionID, let places, _) = want.phase else { continue }
            wants[chain]?.phase = .asked(connectionID, places, until: now.uptime + Timing.fetchPatience)
        }
    }

    /// The peer says that none of the places that it was told is in the branch.
    mutating func noneKnown(of log: LogDescription, over connectionID: ConnectionID, now: Moment) -> [Action] {
        var actions: [Action] = []
        for (chain, want) in wants.sorted(by: { $0.key < $1.key }) where want.head.log == log {
            guard case .asked(connectionID, let places, _) = want.phase else { continue }
            guard places == .heads else {
                // Its branch has not even the log's beginning: it does not hold what it says.
                drop(connectionID, from: chain, &actions)
                continue
            }
            wants[chain]?.phase = .asked(connectionID, .spaced, until: now.uptime + Timing.fetchPatience)
            actions.append(.ask(connectionID, want.head, .spaced))
        }
        return actions
    }

    /// A link is over, or gives nothing of what it holds.
    mutating func end(_ connectionID: ConnectionID) -> [Action] {
        named[connectionID] = nil
        var actions: [Action] = []
        for chain in wants.keys.sorted() where wants[chain]?.holders.contains(connectionID) == true {
            drop(connectionID, from: chain, &actions)
        }
        return actions
    }

    private mutating func drop(_ connectionID: ConnectionID, from chain: ChainHash, _ actions: inout [Action]) {
        wants[chain]?.holders.removeAll { $0 == connectionID }
        if case .asked(connectionID, _, _) = wants[chain]?.phase { wants[chain]?.phase = .waiting }
        guard let want = wants[chain], want.holders.isEmpty else { return }
        wants[chain] = nil
        actions.append(.givenUp(want.head))
    }

    // MARK: - Whom to ask

    /// Asks for what nobody is asked for, as far as links are free.
    /// - Parameters:
    ///   - mayAsk: whether a link may be asked now: its peer has said all that it holds.
    ///   - isPaused: whether nothing of a conversation is asked for now, because who claimed it has not given it.
    mutating func advance(
        now: Moment, mayAsk: (ConnectionID) -> Bool, isPaused: (ConversationID) -> Bool = { _ in false }
    ) -> [Action] {
        guard !wants.isEmpty else { return [] }
        var actions: [Action] = []
        for chain in wants.keys.sorted() {
            guard case .asked(let connectionID, _, let until) = wants[chain]?.phase, until <= now.uptime else {
                continue
            }
            // The next one is asked. Who was tried comes last, and may still send what it was asked for.
            wants[chain]?.phase = .waiting
            wants[chain]?.failures += 1
            wants[chain]?.holders.removeAll { $0 == connectionID }
            wants[chain]?.holders.append(connectionID)
        }
        var busy = asking
        let waiting = wants.values.filter { if case .waiting = $0.phase { true } else { false } }
        for want in waiting.sorted(by: isBefore) {
            let free = want.holders.first { mayAsk($0) && busy[$0, default: 0] < Limits.askedBranchesPerLink }
            // One branch of a log at a time: what they have in common then comes once.
            guard let connectionID = free, !isAsked(want.head.log), !isPaused(want.head.log.conversationID) else {
                continue
            }
            wants[want.head.place.chain]?.phase = .asked(
                connectionID, .heads, until: now.uptime + Timing.fetchPatience)
            busy[connectionID, default: 0] += 1
            actions.append(.ask(connectionID, want.head, .heads))
        }
        return actions
    }

    /// This device's own logs first, then what was not asked for in vain, or less often: what nobody gives, or cannot be taken,
    /// keeps nothing else back. Then the longest branch of each log.
    private func isBefore(_ a: Want, _ b: Want) -> Bool {
        let (isOwn, isOther) = (a.head.log.deviceID == deviceID, b.head.log.deviceID == deviceID)
        guard isOwn == isOther else { return isOwn }
        guard a.failures == b.failures else { return a.failures < b.failures }
        return a.head.place.sequence == b.head.place.sequence
            ? a.head.place.chain < b.head.place.chain : a.head.place.sequence > b.head.place.sequence
    }

    private func isAsked(_ log: LogDescription) -> Bool {
        wants.values.contains { want in
            if case .asked = want.phase { want.head.log == log } else { false }
        }
    }

    /// How many branches the link is asked for that is asked for the most.
    var mostAsked: Int { asking.values.max() ?? 0 }

    private var asking: [ConnectionID: Int] {
        wants.values.reduce(into: [:]) { counts, want in
            if case .asked(let connectionID, _, _) = want.phase { counts[connectionID, default: 0] += 1 }
        }
    }
}
