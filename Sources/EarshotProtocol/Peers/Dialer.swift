import EarshotModel

/// Decides when to dial each peer: at once when it is found, then after waits that double, and never while it is linked
/// or being dialled.
///
/// Where more peers are there than a node keeps links to, some wait for room. They are dialled as soon as this node has
/// something for them, and one after the other when it is their turn (`Roaming`).
struct Dialer: Sendable {
    /// A dial's target: a device that was found or is remembered, or an address that was given.
    enum Target: Hashable, Sendable, Comparable {
        case device(DeviceID)
        case address(PeerAddress)

        static func < (a: Target, b: Target) -> Bool {
            switch (a, b) {
            case (.device(let a), .device(let b)): a < b
            case (.address(let a), .address(let b)): (a.host, a.port) < (b.host, b.port)
            case (.address, .device): true
            case (.device, .address): false
            }
        }

        /// Whether the user has given it.
        var isGiven: Bool { if case .address = self { true } else { false } }
    }

    private enum State {
        case waiting(until: Int64)
        /// From `restartAt` on another dial replaces this one, because the peer was seen again.
        case dialling(since: Int64, restartAt: Int64)
        case linked
        /// Never dialled again: it is this node itself.
        case dropped
    }

    /// What the last dial, or link, came to.
    fileprivate enum Outcome {
        /// There was none, or it is linked.
        case clear
        /// It was not there.
        case missing
        /// One of the two ends refused the other: being advertised again changes nothing about that.
        case refused
        /// One of the two ends had too many links.
        case crowdedOut
    }

    private struct Entry {
        var addresses: DialAddresses
        var state: State
        var backoff = Timing.redialFloor
        var outcome = Outcome.clear
        /// Whether it was ever linked, so that it is worth remembering.
        var isProven = false
        /// When it is forgotten, unless it is linked then; `nil` for targets that are advertised or were given.
        var forgottenAt: Int64?
        /// The beginning of the user's key, as somebody advertises it.
        var fingerprint: String?
        /// Whether it belongs to somebody whom this node's user has to do with.
        var isFamiliar = false
        /// Whether this node has something for it: then it is dialled however many links there are.
        var isNeeded = false
        /// Whether it waits for room.
        var isParked = false

        /// Whether it is there, as far as this node knows, and has no link only because there are too many.
        var isResting: Bool {
            guard forgottenAt == nil else { return false }
            return switch (state, outcome) {
            case (.waiting, .crowdedOut), (.dialling, .crowdedOut): true
            case (.waiting, .clear), (.dialling, .clear): isParked
            case (_, .missing), (_, .refused), (.linked, _), (.dropped, _): false
            }
        }
    }

    private var entries: [Target: Entry] = [:]
    /// Mixed into the order of those that wait for room, so that it differs from node to node.
    private let origin: DeviceID?
    /// How many links this node makes without having anything for the peers.
    private let unaskedLinks: Int
    private var roaming = Roaming()
    private var resting = RestingDevices()
    /// Devices that have begun to wait for room since this was last asked.
    private var parkedNews: [DeviceID] = []
    /// The uptime at which the first device was advertised.
    private var firstSight: Int64?
    /// No target is due before this uptime. It may be early, never late, so it is cheap to keep.
    private(set) var deadline = Int64.max

    /// - Parameters:
    ///   - origin: this node's device.
    ///   - unaskedLinks: how many links this node makes without having anything for the peers.
    init(origin: DeviceID? = nil, unaskedLinks: Int = Limits.unaskedLinks(of: Limits.links)) {
        self.origin = origin
        self.unaskedLinks = unaskedLinks
    }

    /// How many targets it knows.
    var count: Int { entries.count }

    /// Whether some of them have no link because there are too many.
    var isCrowded: Bool { roaming.isOn || !resting.isEmpty }

    /// The devices that are advertised as those of a user, ascending. Anybody may advertise anything.
    func devices(advertisedFor userID: UserID) -> [DeviceID] {
        let fingerprint = userID.fingerprint.filter { $0 != " " }
        let devices = entries.compactMap { target, entry -> DeviceID? in
            guard entry.fingerprint == fingerprint, case .device(let deviceID) = target else { return nil }
            return deviceID
        }
        return Array(devices.sorted().prefix(Limits.devicesPerUser))
    }

    /// The beginning of the key of the user whose device it is, as somebody advertises it.
    func fingerprint(of deviceID: DeviceID) -> String? { entries[.device(deviceID)]?.fingerprint }

    // MARK: - What can be dialled

    /// A device is advertised. A newcomer sees the others before they see it, and dials at once. The others wait a
    /// moment for its dial, so that two dials seldom cross.
    /// - Parameters:
    ///   - remembered: where it was linked in an earlier run, the latest first.
    ///   - isFirst: whether this node's device id is the lower one.
    ///   - fingerprint: the beginning of the user's key, as it is advertised.
    ///   - isFamiliar: whether it belongs to somebody whom this node's user has to do with.
    mutating func advertised(
        _ deviceID: DeviceID, addresses: [PeerAddress], remembered: [PeerAddress], isFirst: Bool,
        fingerprint: String? = nil, isFamiliar: Bool = false, now: Int64
    ) {
        let start = firstSight ?? now
        firstSight = start
        let isNewcomer = now - start < Timing.newcomer
        found(
            .device(deviceID), addresses: addresses, remembered: remembered,
            delay: isNewcomer || isFirst ? 0 : Timing.dialDeference, now: now)
        entries[.device(deviceID)]?.fingerprint = fingerprint
        entries[.device(deviceID)]?.isFamiliar = isFamiliar
    }

    /// A target was found, or its addresses changed: dial it after `delay`.
    /// - remembered: where it was linked in an earlier run, the latest first.
    mutating func found(
        _ target: Target, addresses: [PeerAddress], remembered: [PeerAddress] = [], delay: Int64 = 0, now: Int64
    ) {
        guard entries[target] != nil || entries.count < Limits.discoveredDevices else { return }
        var entry = entries[target] ?? Entry(addresses: DialAddresses(), state: .waiting(until: now + delay))
        entry.addresses.advertise(addresses)
        entry.addresses.remember(remembered)
        if !remembered.isEmpty { entry.isProven = true }
        entry.forgottenAt = nil
        if entry.outcome == .missing { entry.outcome = .clear }
        entries[target] = entry
        if entry.outcome == .clear { hasten(target, until: now + delay, now: now) }
        noteRest(of: target)
    }

    /// A device that is not advertised may still be at its last address: dial it after `delay`, for as long as
    /// `Timing.remembered`.
    mutating func recalled(_ target: Target, addresses: [PeerAddress], delay: Int64, now: Int64) {
        if let entry = entries[target] {
            entries[target]?.addresses.remember(addresses)
            entries[target]?.isProven = true
            if entry.forgottenAt != nil { entries[target]?.forgottenAt = now + Timing.remembered }
            return
        }
        guard entries.count < Limits.discoveredDevices else { return }
        entries[target] = Entry(
            addresses: DialAddresses(advertised: addresses, proved: addresses), state: .waiting(until: now + delay),
            isProven: true, forgottenAt: now + Timing.remembered)
        deadline = min(deadline, now + delay)
        boundRemembered()
    }

    /// A device is no longer advertised. One that was never linked is forgotten. Another may still be there, with only
    /// its advertisement lost, so it is dialled for a while.
    mutating func lost(_ target: Target, now: Int64) {
        switch entries[target]?.state {
        case .waiting where entries[target]?.isProven == false: entries[target] = nil
        case .dropped: entries[target] = nil
        case .waiting, .dialling, .linked:
            entries[target]?.forgottenAt = now + Timing.remembered
            boundRemembered()
        case nil: return
        }
        noteRest(of: target)
    }

    /// Beyond `Limits.rememberedDevices`, forgets the devices that were lost first.
    private mutating func boundRemembered() {
        let remembered = entries.compactMap { target, entry -> (target: Target, forgottenAt: Int64)? in
            guard case .waiting = entry.state, let forgottenAt = entry.forgottenAt else { return nil }
            return (target, forgottenAt)
        }
        guard remembered.count > Limits.rememberedDevices else { return }
        let first = remembered.sorted { ($0.forgottenAt, $0.target) < ($1.forgottenAt, $1.target) }
        for (target, _) in first.prefix(remembered.count - Limits.rememberedDevices) { entries[target] = nil }
    }

    // MARK: - When

    /// Everything may be reachable again: dial all waiting targets at once, and begin their waits anew.
    mutating func retryAll(now: Int64) {
        for target in entries.keys {
            if entries[target]?.outcome == .refused { entries[target]?.outcome = .missing }
            entries[target]?.addresses.forgive()
            if entries[target]?.outcome != .crowdedOut { hasten(target, until: now, now: now) }
        }
    }

    private mutating func hasten(_ target: Target, until: Int64, now: Int64) {
        entries[target]?.backoff = Timing.redialFloor
        switch entries[target]?.state {
        case .waiting(let planned):
            entries[target]?.state = .waiting(until: min(planned, until))
            deadline = min(deadline, until)
        case .dialling(let since, let restartAt):
            let restartAt = min(restartAt, max(until, since + Timing.dialPatience))
            entries[target]?.state = .dialling(since: since, restartAt: restartAt)
            deadline = min(deadline, restartAt)
        case .linked, .dropped, nil: return
        }
    }

    /// The targets that are due, as many as may be dialled at once; those that have waited longest go first. Each
    /// counts as being dialled from now on; an earlier dial of it is to be given up.
    /// - Parameter linked: to how many devices this node has links.
    mutating func due(now: Int64, linked: Int = 0) -> [(target: Target, addresses: [PeerAddress])] {
        guard deadline <= now else { return [] }
        deadline = .max
        var room = Room()
        var waiting: [(since: Int64, target: Target)] = []
        var unasked: [(since: Int64, target: Target)] = []
        var dialling = 0
        var hanging: [(since: Int64, target: Target)] = []
        for (target, entry) in entries where !entry.addresses.isEmpty {
            switch entry.state {
            case .dialling(_, let restartAt):
                dialling += 1
                room.take(isKept: isKept(target))
                if restartAt <= now { hanging.append((restartAt, target)) }
                deadline = min(deadline, restartAt <= now ? .max : restartAt)
            case .waiting(let until) where until <= now:
                if entry.isNeeded || target.isGiven {
                    waiting.append((until, target))
                } else {
                    unasked.append((until, target))
                }
            case .waiting(let until): deadline = min(deadline, until)
            case .linked, .dropped: continue
            }
        }
        waiting += takeUnasked(unasked, room: unaskedLinks - linked - dialling - waiting.count, now: now)
        var due = waiting.sorted(by: <).map(\.target).filter { room.admit(isKept: isKept($0)) }
        // A dial that hangs keeps its place only if nobody has waited for that place in vain.
        due += hanging.sorted(by: <).map(\.target).filter { !room.wasMissed(isKept: isKept($0)) }
        if due.count < waiting.count + hanging.count { deadline = min(deadline, now + Timing.redialFloor) }
        return due.map { ($0, dial($0, now: now)) }
    }

    private mutating func dial(_ target: Target, now: Int64) -> [PeerAddress] {
        if case .dialling = entries[target]?.state { entries[target]?.addresses.failed() }
        entries[target]?.state = .dialling(since: now, restartAt: .max)
        return entries[target]?.addresses.next() ?? []
    }

    /// Whether a target may use the kept places: it was linked, or the user has given it.
    private func isKept(_ target: Target) -> Bool { target.isGiven || entries[target]?.isProven == true }

    // MARK: - When there are too many

    /// Of those for which this node has nothing, chooses as many as there is room for. The others wait until there is
    /// some, or until it is their turn.
    private mutating func takeUnasked(
        _ unasked: [(since: Int64, target: Target)], room: Int, now: Int64
    ) -> [(since: Int64, target: Target)] {
        guard !unasked.isEmpty, unasked.count > room else {
            roaming.stop()
            return unasked
        }
        let sorted = room > 0 ? inTurn(unasked) : unasked
        let parked = sorted.dropFirst(max(0, room))
        for (_, target) in parked { park(target) }
        defer { deadline = min(deadline, roaming.due) }
        let next = roaming.next(now: now) { isMet, isAdvertised in
            parked.filter {
                entries[$0.target]?.isProven == isMet && (entries[$0.target]?.forgottenAt == nil) == isAdvertised
            }
            .min(by: <)
        }
        return sorted.prefix(max(0, room)) + (next.map { [$0] } ?? [])
    }

    /// Whoever this node's user has to do with comes first, then who was linked before, because being advertised costs
    /// nothing; then those that have waited longest. Of those that have waited about as long, each node prefers others, so
    /// that not all prefer the same.
    private func inTurn(_ targets: [(since: Int64, target: Target)]) -> [(since: Int64, target: Target)] {
        let ranked = targets.map { since, target in
            let standing = entries[target]?.isFamiliar == true ? 0 : entries[target]?.isProven == true ? 1 : 2
            let rank = (standing, since / Timing.aboutAsLong, spread(target), target)
            return (rank: rank, since: since)
        }
        return ranked.sorted { $0.rank < $1.rank }.map { ($0.since, $0.rank.3) }
    }

    /// A number that looks drawn, and is the same at both ends: who prefers somebody is preferred by them.
    private func spread(_ target: Target) -> UInt64 {
        guard let origin, case .device(let deviceID) = target else { return 0 }
        var mixed = zip(origin.bytes, deviceID.bytes).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1.0 ^ $1.1) }
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    private mutating func park(_ target: Target) {
        guard entries[target]?.isParked == false else { return }
        entries[target]?.isParked = true
        if case .device(let deviceID) = target { parkedNews.append(deviceID) }
        noteRest(of: target)
    }

    /// This node has something for a target that has no link: it is dialled after `delay`, however many links there are. One
    /// that was not there keeps its wait.
    mutating func reach(_ target: Target, delay: Int64 = 0, now: Int64) {
        guard let entry = entries[target], entry.outcome != .refused, !entry.isNeeded else { return }
        switch entry.state {
        case .waiting:
            entries[target]?.isNeeded = true
            guard entry.isParked || entry.outcome == .crowdedOut else { return }
            entries[target]?.state = .waiting(until: now + delay)
            deadline = min(deadline, now + delay)
        case .dialling: entries[target]?.isNeeded = true
        case .linked, .dropped: return
        }
    }

    /// There is a link less.
    mutating func roomArose(linked: Int, now: Int64) {
        if roaming.isOn, linked < unaskedLinks { deadline = min(deadline, now) }
    }

    /// Devices that have begun to wait for room since this was last asked.
    mutating func takeParked() -> [DeviceID] {
        guard !parkedNews.isEmpty else { return [] }
        defer { parkedNews = [] }
        return parkedNews
    }

    /// Devices that are there and have no link only because there are too many; with those of which that is no longer so.
    /// What has changed since this was last asked, ascending.
    mutating func takeRestNews() -> [(deviceID: DeviceID, isResting: Bool)] { resting.takeNews() }

    private mutating func noteRest(of target: Target) {
        guard case .device(let deviceID) = target else { return }
        resting.note(deviceID, isResting: entries[target]?.isResting == true)
    }

    /// Places for dials.
    private struct Room {
        private var all = Limits.concurrentDials
        private var unkept = Limits.concurrentDials - Limits.keptDials
        private var isMissed = false
        private var isUnkeptMissed = false

        mutating func take(isKept: Bool) {
            all -= 1
            if !isKept { unkept -= 1 }
        }

        mutating func admit(isKept: Bool) -> Bool {
            guard all > 0, isKept || unkept > 0 else {
                if isKept { isMissed = true } else { isUnkeptMissed = true }
                return false
            }
            take(isKept: isKept)
            return true
        }

        /// Whether a target found no place and could have used that of such a target.
        func wasMissed(isKept: Bool) -> Bool { isMissed || isUnkeptMissed && !isKept }
    }

    // MARK: - What became of it

    /// A connection was accepted there, perhaps by the target.
    mutating func reached(_ target: Target, at address: PeerAddress) { entries[target]?.addresses.reached(address) }

    /// A handshake has shown that it is the target, however the handshake ended.
    mutating func proved(_ target: Target, at address: PeerAddress) { entries[target]?.addresses.prove(address) }

    mutating func linked(_ target: Target) {
        guard entries[target] != nil else { return }
        entries[target]?.addresses.ended()
        entries[target]?.state = .linked
        entries[target]?.backoff = Timing.redialFloor
        entries[target]?.outcome = .clear
        entries[target]?.isProven = true
        entries[target]?.isNeeded = false
        entries[target]?.isParked = false
        noteRest(of: target)
    }

    /// Its link may be dead: dial it after `delay`, and keep the link.
    /// - Returns: whether it can be dialled.
    @discardableResult
    mutating func doubted(_ target: Target, delay: Int64, now: Int64) -> Bool {
        guard case .linked = entries[target]?.state, entries[target]?.addresses.isEmpty == false else { return false }
        entries[target]?.state = .waiting(until: now + delay)
        // It counts among the links, and takes no room.
        entries[target]?.isNeeded = true
        deadline = min(deadline, now + delay)
        return true
    }

    mutating func dropped(_ target: Target) {
        entries[target]?.state = .dropped
        noteRest(of: target)
    }

    /// Why there is no link any more.
    enum Failure {
        /// The device cannot be reached, or the link has ended.
        case lost
        /// One of the two ends refused the other.
        case refused
        /// One of the two ends has asked for more than it may.
        case excessive
        /// One of the two ends has too many links.
        case crowded

        fileprivate var outcome: Outcome {
            switch self {
            case .lost: .missing
            case .refused, .excessive: .refused
            case .crowded: .crowdedOut
            }
        }
    }

    /// A dial failed, or a link ended: wait, and longer the next time.
    mutating func failed(_ target: Target, _ failure: Failure = .lost, now: Int64) {
        defer { noteRest(of: target) }
        guard var entry = entries[target] else { return }
        entry.outcome = failure.outcome
        entry.isParked = false
        entry.addresses.failed()
        if let forgottenAt = entry.forgottenAt {
            if case .linked = entry.state { entry.forgottenAt = now + Timing.remembered }
            guard entry.isProven, now < (entry.forgottenAt ?? forgottenAt) else {
                entries[target] = nil
                return
            }
        }
        let wait =
            switch failure {
            case .lost, .refused: entry.backoff
            // A link that begins before costs what has been made up, and ends again.
            case .excessive: max(entry.backoff, Timing.excessive)
            case .crowded: Timing.crowdedOut
            }
        entry.state = .waiting(until: now + wait)
        deadline = min(deadline, now + wait)
        entry.backoff = min(entry.backoff * 2, Timing.redialCeiling)
        entries[target] = entry
        if entry.forgottenAt != nil { boundRemembered() }
    }
}
