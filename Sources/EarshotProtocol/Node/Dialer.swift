import EarshotModel

/// Decides when which peer is dialled: at once when it is found, then after waits that double, never while it is
/// linked or being dialled.
struct Dialer: Sendable {
    /// What can be dialled: a device that was found or is remembered, or an address that was given.
    enum Target: Hashable, Sendable {
        case device(DeviceID)
        case address(PeerAddress)
    }

    private enum State {
        case waiting(until: Int64)
        case dialling
        case linked
        /// Never again: it is this node itself.
        case dropped
    }

    private struct Entry {
        var addresses: [PeerAddress]
        var state: State
        var backoff = Timing.redialFloor
    }

    private var entries: [Target: Entry] = [:]
    /// No target is due before this uptime. It may be early, never late, so that it costs nothing to keep.
    private(set) var deadline = Int64.max

    /// A target was found, or its addresses changed: dial it after `delay`.
    mutating func found(_ target: Target, addresses: [PeerAddress], delay: Int64 = 0, now: Int64) {
        guard entries[target] != nil || entries.count < Limits.discoveredDevices else { return }
        var entry = entries[target] ?? Entry(addresses: [], state: .waiting(until: now + delay))
        entry.addresses = addresses
        entry.backoff = Timing.redialFloor
        if case .waiting(let until) = entry.state { entry.state = .waiting(until: min(until, now + delay)) }
        entries[target] = entry
        deadline = min(deadline, now + delay)
    }

    /// A device is advertised no more. It is forgotten unless it is linked.
    mutating func lost(_ target: Target) {
        if case .waiting = entries[target]?.state { entries[target] = nil }
    }

    /// The targets whose time has come, as many as may be dialled at once. Each is now being dialled.
    mutating func due(now: Int64) -> [(target: Target, addresses: [PeerAddress])] {
        guard deadline <= now else { return [] }
        deadline = .max
        var room = Limits.concurrentDials
        var due: [(Target, [PeerAddress])] = []
        for (target, entry) in entries {
            switch entry.state {
            case .dialling: room -= 1
            case .waiting(let until) where until <= now && !entry.addresses.isEmpty:
                due.append((target, entry.addresses))
            case .waiting(let until) where !entry.addresses.isEmpty: deadline = min(deadline, until)
            case .waiting, .linked, .dropped: continue
            }
        }
        due.sort { "\($0.0)" < "\($1.0)" }
        if due.count > max(0, room) {
            due.removeLast(due.count - max(0, room))
            deadline = min(deadline, now + Timing.redialFloor)
        }
        for (target, _) in due { entries[target]?.state = .dialling }
        return due
    }

    /// Whatever waits is dialled at once, and its waits begin anew.
    mutating func hasten(now: Int64) {
        for (target, entry) in entries {
            guard case .waiting = entry.state else { continue }
            entries[target]?.state = .waiting(until: now)
            entries[target]?.backoff = Timing.redialFloor
        }
        deadline = min(deadline, now)
    }

    mutating func linked(_ target: Target) {
        guard entries[target] != nil else { return }
        entries[target]?.state = .linked
        entries[target]?.backoff = Timing.redialFloor
    }

    mutating func dropped(_ target: Target) { entries[target]?.state = .dropped }

    /// A dial failed, or a link ended: wait, and longer the next time.
    mutating func failed(_ target: Target, now: Int64) {
        guard var entry = entries[target] else { return }
        entry.state = .waiting(until: now + entry.backoff)
        deadline = min(deadline, now + entry.backoff)
        entry.backoff = min(entry.backoff * 2, Timing.redialCeiling)
        entries[target] = entry
    }
}
