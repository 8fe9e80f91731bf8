import NIOCore
import NIOHTTP1
import Synchronization

/// Ends a connection of the server without a word from its client: after an idle time, and at the server's end.
final class OpenConnection: Sendable {
    private struct State {
        var isResponding = false
        /// The server ends.
        var isEnding = false
        /// The client sends nothing more.
        var hasClientFinished = false
        /// Ends a response that has no end of its own.
        var cutShort: (@Sendable () -> Void)?
    }

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) { self.channel = channel }

    /// A request was read.
    /// - Returns: whether it is answered.
    func beginResponse() -> Bool {
        state.withLock { state in
            guard !state.isEnding else { return false }
            state.isResponding = true
            return true
        }
    }

    /// The response was written.
    /// - Returns: whether another request is read.
    func endResponse() -> Bool {
        state.withLock { state in
            state.isResponding = false
            state.cutShort = nil
            return !state.isEnding
        }
    }

    /// Sets how to end a response that has no end of its own: when the server ends, or the client leaves.
    func cutShort(by action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            state.cutShort = action
            return state.isEnding || state.hasClientFinished
        }
        if isOver { action() }
    }

    /// The server ends: a response under way may be finished, and no further request is read.
    func end() {
        let (isResponding, cutShort) = state.withLock { state in
            state.isEnding = true
            return (state.isResponding, state.cutShort)
        }
        cutShort?()
        if !isResponding { channel.close(promise: nil) }
    }

    /// The client will send nothing more.
    fileprivate func clientFinished() {
        let cutShort = state.withLock { state in
            state.hasClientFinished = true
            return state.cutShort
        }
        cutShort?()
    }

    /// The client has been silent for `GatewayLimits.idleConnection`.
    fileprivate func becameIdle() {
        if state.withLock({ !$0.isResponding }) { channel.close(promise: nil) }
    }
}

/// Reports a channel's events to its open connection.
final class ConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let connection: OpenConnection

    init(_ connection: OpenConnection) { self.connection = connection }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: connection.clientFinished()
        case IdleStateHandler.IdleStateEvent.read: connection.becameIdle()
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.clientFinished()
        context.fireChannelInactive()
    }
}

/// All open connections of a server.
final class OpenConnections: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: OpenConnection] = [:]
        var isEnding = false
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) -> OpenConnection {
        let connection = OpenConnection(channel)
        let isEnding = state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = connection
            return state.isEnding
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { state in state.connections[ObjectIdentifier(channel)] = nil }
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
}
