import Earshot
import EarshotModel
import Synchronization

/// One end of a connection on a simulated network. Bytes arrive in order, late, or when the cable is mended.
final class SimulatedConnection: TransportConnection {
    private struct State {
        var peer: SimulatedConnection?
        var handler: ConnectionHandler?
        var isOpen = true
        var unwrittenBytes = 0
        /// Later bytes do not overtake.
        var arrivesAfter: Int64 = 0
    }

    let number: UInt16
    let host: String
    private let remote: PeerAddress
    private let wiring: Wiring
    private let state = Mutex(State())

    init(number: UInt16, host: String, remoteAddress: PeerAddress, wiring: Wiring) {
        self.number = number
        self.host = host
        remote = remoteAddress
        self.wiring = wiring
    }

    func join(_ peer: SimulatedConnection) {
        state.withLock { $0.peer = peer }
        peer.state.withLock { $0.peer = self }
    }

    var remoteAddress: PeerAddress? { remote }
    var remoteHost: String { remote.host }
    var unwrittenBytes: Int { state.withLock(\.unwrittenBytes) }

    func deliver(to handler: ConnectionHandler) { state.withLock { $0.handler = handler } }

    func write(_ bytes: [UInt8]) {
        let isOpen = state.withLock { state in
            guard state.isOpen else { return false }
            state.unwrittenBytes += bytes.count
            return true
        }
        guard isOpen else { return }
        carry { peer in
            self.state.withLock { $0.unwrittenBytes -= bytes.count }
            peer.openHandler?.received(bytes)
        }
    }

    func whenWritten(_ body: @escaping @Sendable () -> Void) { wiring.timeline.schedule { body() } }

    func finish() { close() }

    /// What was written before still arrives; then the other end is told.
    func close() {
        carry { $0.end() }
        end()
    }

    /// This end is over.
    func end() {
        let handler = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen ? state.handler : nil
        }
        wiring.forget(self)
        guard let handler else { return }
        wiring.timeline.schedule { [self] in
            handler.disconnected()
            state.withLock { $0.handler = nil }
        }
    }

    private var openHandler: ConnectionHandler? { state.withLock { $0.isOpen ? $0.handler : nil } }

    private func carry(_ arrival: @escaping @Sendable (SimulatedConnection) -> Void) {
        let due = wiring.timeline.now + wiring.delay(between: host, and: remote.host)
        let (peer, time) = state.withLock { state in
            state.arrivesAfter = max(state.arrivesAfter, due)
            return (state.isOpen ? state.peer : nil, state.arrivesAfter)
        }
        guard let peer else { return }
        wiring.carry(between: host, and: remote.host, at: time) { arrival(peer) }
    }
}
