import EarshotModel

/// Decides when to dial each peer: at once when it is found, then after waits that double, and never while it is linked
/// or being dialled.
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
    }

    private enum State {
        case waiting(until: Int64)
        /// From `restartAt` on another dial replaces this one, because the peer was seen again.
        case dialling(since: Int64, restartAt: Int64)
        case linked
        /// Never dialled again: it is this node itself.
        case dropped
    }

    private struct Entry {
        var addresses: DialAddresses
        var state: State
        var backoff = Timing.redialFloor
        /// Whether one of the two ends refused the other: being advertised again changes nothing about that.
        var isRefused = false
        /// Whether it was ever linked, so that it is worth remembering.
        var isProven = false
        /// When it is forgotten, unless it is linked then; `nil` for targets that are advertised or were given.
        var forgottenAt: Int64?
    }

    private var entries: [Target: Entry] = [:]
    /// The uptime at which the first device was advertised.
    private var firstSight: Int64?
    /// No target is due before this uptime. It may be early, never late, so it is cheap to keep.
    private(set) var deadline = Int64.max

    /// How many targets it knows.
    var count: Int { entries.count }

    // MARK: - What can be dialled

    /// A device is advertised. A newcomer sees the others before they see it, and dials at once. The others wait a
    /// moment for its dial, so that two dials seldom cross.
    /// - Parameters:
    ///   - remembered: where it was linked in an earlier run, the latest first.
    ///   - isFirst: whether this node's device id is the lower one.
    mutating func advertised(
        _ deviceID: DeviceID, addresses: [PeerAddress], remembered: [PeerAddress], isFirst: Bool, now: Int64
    ) {
        let start = firstSight ?? now
        firstSight = start
        let isNewcomer = now - start < Timing.newcomer
        found(
            .device(deviceID), addresses: addresses, remembered: remembered,
            delay: isNewcomer || isFirst ? 0 : Timing.dialDeference, now: now)
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
        entries[target] = entry
        if !entry.isRefused { hasten(target, until: now + delay, now: now) }
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
            entries[target]?.isRefused = false
            entries[target]?.addresses.forgive()
            hasten(target, until: now, now: now)
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
    mutating func due(now: Int64) -> [(target: Target, addresses: [PeerAddress])] {
        guard deadline <= now else { return [] }
        deadline = .max
        var room = Room()
        var waiting: [(since: Int64, target: Target)] = []
        var hanging: [(since: Int64, target: Target)] = []
        for (target, entry) in entries where !entry.addresses.isEmpty {
            switch entry.state {
            case .dialling(_, let restartAt):
                room.take(isKept: isKept(target))
                if restartAt <= now { hanging.append((restartAt, target)) }
                deadline = min(deadline, restartAt <= now ? .max : restartAt)
            case .waiting(let until) where until <= now: waiting.append((until, target))
            case .waiting(let until): deadline = min(deadline, until)
            case .linked, .dropped: continue
            }
        }
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
    private func isKept(_ target: Target) -> Bool {
        if case .address = target { return true }
        return entries[target]?.isProven == true
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
        entries[target]?.isRefused = false
        entries[target]?.isProven = true
    }

    /// Its link may be dead: dial it after `delay`, and keep the link.
    /// - Returns: whether it can be dialled.
    @discardableResult
    mutating func doubted(_ target: Target, delay: Int64, now: Int64) -> Bool {
        guard case .linked = entries[target]?.state, entries[target]?.addresses.isEmpty == false else { return false }
        entries[target]?.state = .waiting(until: now + delay)
        deadline = min(deadline, now + delay)
        return true
    }

    mutating func dropped(_ target: Target) { entries[target]?.state = .dropped }

    /// A dial failed, or a link ended: wait, and longer the next time.
    /// - Parameter isRefusal: whether one of the two ends refused the other.
    mutating func failed(_ target: Target, isRefusal: Bool = false, now: Int64) {
        guard var entry = entries[target] else { return }
        entry.isRefused = isRefusal
        entry.addresses.failed()
        if let forgottenAt = entry.forgottenAt {
            if case .linked = entry.state { entry.forgottenAt = now + Timing.remembered }
            guard entry.isProven, now < (entry.forgottenAt ?? forgottenAt) else {
                entries[target] = nil
                return
            }
        }
        entry.state = .waiting(until: now + entry.backoff)
        deadline = min(deadline, now + entry.backoff)
        entry.backoff = min(entry.backoff * 2, Timing.redialCeiling)
        entries[target] = entry
        if entry.forgottenAt != nil { boundRemembered() }
    }
}
