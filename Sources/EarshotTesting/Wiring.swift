import Earshot
import EarshotModel
import Synchronization

/// Connects the hosts of a simulated network: who listens where, which connections there are, and which cables are cut.
/// Everything happens on the timeline's event loop.
final class Wiring: Sendable {
    typealias Accept = @Sendable (any TransportConnection) -> Void

    /// How long a dial waits for an answer, as TCP's does: in milliseconds.
    static let patience: Int64 = 5_000

    /// Two hosts, in any order.
    struct Pair: Hashable {
        private let hosts: Set<String>

        init(_ a: String, _ b: String) { hosts = [a, b] }

        func includes(_ host: String) -> Bool { hosts.contains(host) }
    }

    private struct State {
        var listeners: [PeerAddress: Accept] = [:]
        var cut: Set<Pair> = []
        /// One way, in milliseconds.
        var delays: [Pair: Int64] = [:]
        /// What has reached the end of a cut cable, in its order.
        var held: [Pair: [@Sendable () -> Void]] = [:]
        var connections: [ObjectIdentifier: SimulatedConnection] = [:]
        var lastPort: UInt16 = 40_000
    }

    let timeline: Timeline
    private let state = Mutex(State())

    init(timeline: Timeline) { self.timeline = timeline }

    func isCut(_ a: String, _ b: String) -> Bool { state.withLock { $0.cut.contains(Pair(a, b)) } }

    func cut(_ a: String, _ b: String) { _ = state.withLock { $0.cut.insert(Pair(a, b)) } }

    /// What was on its way arrives.
    func mend(_ a: String, _ b: String) {
        let held = state.withLock { state in
            state.cut.remove(Pair(a, b))
            return state.held.removeValue(forKey: Pair(a, b)) ?? []
        }
        for arrival in held { carry(between: a, and: b, arrival) }
    }

    func delay(_ a: String, _ b: String, by milliseconds: Int64) {
        state.withLock { $0.delays[Pair(a, b)] = milliseconds }
    }

    func delay(between a: String, and b: String) -> Int64 { state.withLock { $0.delays[Pair(a, b)] ?? 0 } }

    /// Breaks the connections between two hosts: both ends are told.
    func breakConnections(_ a: String, _ b: String) {
        for connection in connections(where: { Pair($0.host, $0.remoteHost) == Pair(a, b) }) { connection.end() }
    }

    /// A process is gone: its connections end at their other ends, and nobody listens there.
    func unplug(_ host: String) {
        state.withLock { state in
            for address in state.listeners.keys where address.host == host { state.listeners[address] = nil }
        }
        for connection in connections(where: { $0.host == host }) { connection.close() }
    }

    private func connections(where isMeant: (SimulatedConnection) -> Bool) -> [SimulatedConnection] {
        state.withLock { $0.connections.values.filter(isMeant) }.sorted { $0.number < $1.number }
    }

    func forget(_ connection: SimulatedConnection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
    }

    /// Lets something arrive at the other end of a cable: later, or not before the cable is mended.
    func carry(between a: String, and b: String, at time: Int64? = nil, _ arrival: @escaping @Sendable () -> Void) {
        timeline.schedule(at: time ?? timeline.now + delay(between: a, and: b)) { [self] in
            let isHeld = state.withLock { state in
                guard state.cut.contains(Pair(a, b)) else { return false }
                state.held[Pair(a, b), default: []].append(arrival)
                return true
            }
            if !isHeld { arrival() }
        }
    }

    // MARK: - Connecting

    /// - Throws: `EarshotError` `portInUse`.
    func listen(at address: PeerAddress, accept: @escaping Accept) throws(EarshotError) {
        let isFree = state.withLock { state in
            guard state.listeners[address] == nil else { return false }
            state.listeners[address] = accept
            return true
        }
        guard isFree else { throw EarshotError(.portInUse, "another program listens on port \(address.port)") }
    }

    func stopListening(at address: PeerAddress) { state.withLock { $0.listeners[address] = nil } }

    /// The outcome of a dial.
    enum Answer {
        case accepts(PeerAddress, Accept)
        case refuses
        /// Nobody answers.
        case silence
    }

    func answer(to host: String, at addresses: [PeerAddress]) -> Answer {
        state.withLock { state in
            let listening = addresses.filter { state.listeners[$0] != nil }
            let reachable = listening.first { !state.cut.contains(Pair(host, $0.host)) }
            if let reachable, let accept = state.listeners[reachable] { return .accepts(reachable, accept) }
            let isSilent = addresses.contains { state.cut.contains(Pair(host, $0.host)) }
            return isSilent ? .silence : .refuses
        }
    }

    /// - Returns: the dialler's end of a new connection. The listener has the other end.
    func connect(
        _ host: String, to address: PeerAddress, _ handler: ConnectionHandler, _ accept: Accept
    ) -> SimulatedConnection {
        let number = state.withLock { state in
            state.lastPort = state.lastPort == .max ? 40_001 : state.lastPort + 1
            return state.lastPort
        }
        let dialler = SimulatedConnection(number: number, host: host, remoteAddress: address, wiring: self)
        let listener = SimulatedConnection(
            number: number, host: address.host, remoteAddress: PeerAddress(host: host, port: number), wiring: self)
        dialler.join(listener)
        dialler.deliver(to: handler)
        state.withLock { state in
            for end in [dialler, listener] { state.connections[ObjectIdentifier(end)] = end }
        }
        accept(listener)
        return dialler
    }
}
