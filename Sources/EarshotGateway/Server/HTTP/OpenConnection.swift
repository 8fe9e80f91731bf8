import NIOCore
import Synchronization

/// Where a connection of the server is between its client's requests, and what ends it without a word from the client:
/// a request that takes too long, the need for its place, and the server's end.
final class OpenConnection: Sendable {
    private enum Phase {
        /// For a request, or for the rest of one.
        case waiting(since: NIODeadline, hasBytes: Bool)
        case responding
        /// All is written. So many bytes are still read, and thrown away.
        case lingering(since: NIODeadline, bytesLeft: Int)

        /// The same, of a request of which something came.
        var withBytes: Phase {
            guard case .waiting(let since, _) = self else { return self }
            return .waiting(since: since, hasBytes: true)
        }
    }

    private struct State {
        var phase: Phase
        /// Where its requests come in, once that was asked.
        var entrance: Entrance?
        /// The server ends.
        var isEnding = false
        /// The client sends nothing more.
        var hasClientFinished = false
        /// The response under way is to end.
        var endsEarly = false
        /// Ends a response that may take as long as the client likes.
        var cutShort: (@Sendable () -> Void)?
        /// Breaks off a response that goes on when the client has said all, and when the server ends.
        var breakOff: (@Sendable () -> Void)?
        /// Ends the phase.
        var deadline: Scheduled<Void>?
    }

    /// Whether there are too many connections for this one to be served.
    let isRefused: Bool
    let channel: any Channel
    private let state: Mutex<State>

    init(_ channel: any Channel, isRefused: Bool) {
        self.channel = channel
        self.isRefused = isRefused
        state = Mutex(State(phase: .waiting(since: .now(), hasBytes: false)))
        state.withLock { wait(&$0) }
    }

    /// Since when it waits for a request, or for the client to leave; `nil` while it has a response under way.
    var idleSince: NIODeadline? {
        state.withLock { state in
            switch state.phase {
            case .waiting(let since, _), .lingering(let since, _): since
            case .responding: nil
            }
        }
    }

    /// Where its requests come in. The kernel is asked once: the other end stays who it is.
    /// - Parameter port: of the server; `nil` of a Unix socket.
    func entrance(at port: Int?) -> Entrance {
        guard let port else { return .socket }
        return state.withLock { state in
            let entrance = state.entrance ?? .loopback(port: port, from: SocketUser(channel) ?? .unknown)
            state.entrance = entrance
            return entrance
        }
    }

    /// A request was read.
    /// - Returns: whether it is answered.
    func beginResponse() -> Bool {
        state.withLock { state in
            guard !state.isEnding else { return false }
            state.deadline?.cancel()
            state.phase = .responding
            return true
        }
    }

    /// More came of a request that takes as long as its body: it is given the whole time again.
    func requestContinues() {
        state.withLock { state in
            guard case .waiting = state.phase else { return }
            state.deadline?.cancel()
            wait(&state)
            state.phase = state.phase.withBytes
        }
    }

    /// The response was written.
    /// - Returns: whether another request is read.
    func endResponse() -> Bool {
        state.withLock { state in
            (state.cutShort, state.breakOff, state.endsEarly) = (nil, nil, false)
            wait(&state)
            return !state.isEnding
        }
    }

    /// Everything was written: what the client still sends is thrown away, for a short time. To close at once could keep
    /// the response from it (RFC 9112, section 9.6).
    func linger() {
        state.withLock { state in
            state.phase = .lingering(since: .now(), bytesLeft: GatewayLimits.lingerBytes)
            state.deadline?.cancel()
            let channel = channel
            state.deadline = channel.eventLoop.scheduleTask(in: GatewayLimits.linger) { channel.close(promise: nil) }
        }
    }

    /// Sets how to end a response that may take as long as the client likes: when the server ends, or the client leaves.
    func cutShort(by action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            state.cutShort = action
            return state.isEnding || state.hasClientFinished || state.endsEarly
        }
        if isOver { action() }
    }

    /// Sets how to end a response in its middle, which goes on when the client has said all, and when the server ends.
    func breakOff(by action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            state.breakOff = action
            return state.endsEarly
        }
        if isOver { action() }
    }

    /// Ends a response under way that may take as long as the client likes: who asked for it may have it no more.
    func endResponseEarly() {
        let actions = state.withLock { state -> [(@Sendable () -> Void)?] in
            guard case .responding = state.phase else { return [] }
            state.endsEarly = true
            return [state.cutShort, state.breakOff]
        }
        for action in actions { action?() }
    }

    /// The server ends: a response under way may be finished, and no further request is read.
    func end() {
        let (isResponding, cutShort) = state.withLock { state in
            state.isEnding = true
            if case .responding = state.phase { return (true, state.cutShort) }
            return (false, state.cutShort)
        }
        cutShort?()
        if !isResponding { close() }
    }

    func close() { channel.close(promise: nil) }

    /// The client will send nothing more.
    func clientFinished() {
        let cutShort = state.withLock { state in
            state.hasClientFinished = true
            return state.cutShort
        }
        cutShort?()
    }

    func receivedBytes(_ count: Int) {
        let isTooMuch = state.withLock { state in
            switch state.phase {
            case .waiting(let since, false): state.phase = .waiting(since: since, hasBytes: true)
            case .lingering(let since, let left):
                state.phase = .lingering(since: since, bytesLeft: left - count)
                return left < count
            case .waiting, .responding: break
            }
            return false
        }
        if isTooMuch { close() }
    }

    /// The channel is gone.
    fileprivate func forget() { state.withLock { $0.deadline?.cancel() } }

    private func wait(_ state: inout State) {
        let now = NIODeadline.now()
        state.phase = .waiting(since: now, hasBytes: false)
        state.deadline = channel.eventLoop.scheduleTask(in: GatewayLimits.request) { [weak self] in
            self?.isLate(since: now)
        }
    }

    private func isLate(since start: NIODeadline) {
        let hasBytes: Bool? = state.withLock { state in
            guard case .waiting(start, let hasBytes) = state.phase else { return nil }
            return hasBytes
        }
        switch hasBytes {
        case nil: return
        case true?: channel.pipeline.fireUserInboundEventTriggered(RequestParts.Late())
        // Nobody asked anything.
        case false?: close()
        }
    }
}

/// All open connections of a server, and a bound for them.
///
/// Where there is no place for one more, the connection gives way that has waited longest for a request, or for its
/// client to leave. So connections on which nobody asks anything never keep out those on which somebody does.
final class OpenConnections: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: OpenConnection] = [:]
        var isEnding = false
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// - Returns: a connection that is refused if all others have a request under way.
    func add(_ channel: any Channel) -> OpenConnection {
        let (connection, displaced, isEnding) = state.withLock { state in
            let displaced = state.connections.count < limit ? nil : Self.longestIdle(&state)
            let isRefused = state.connections.count >= limit
            let connection = OpenConnection(channel, isRefused: isRefused)
            if !isRefused { state.connections[ObjectIdentifier(channel)] = connection }
            return (connection, displaced, state.isEnding)
        }
        displaced?.close()
        channel.closeFuture.whenComplete { [weak self] _ in
            connection.forget()
            self?.state.withLock { state in
                // Its place may have been given away, and its address in memory to another channel.
                let id = ObjectIdentifier(channel)
                if state.connections[id] === connection { state.connections[id] = nil }
            }
        }
        if isEnding { connection.end() }
        return connection
    }

    func end() {
        let connections = state.withLock { state in
            state.isEnding = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.end() }
    }

    private static func longestIdle(_ state: inout State) -> OpenConnection? {
        let idle = state.connections.compactMap { id, connection in connection.idleSince.map { (id, $0) } }
        guard let (id, _) = idle.min(by: { $0.1 < $1.1 }) else { return nil }
        return state.connections.removeValue(forKey: id)
    }
}
