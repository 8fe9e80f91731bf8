import Earshot
import EarshotDiscovery
import TestSupport

/// A node that runs on loopback until it is stopped, and all that it posts.
final class LiveNode: Sendable {
    let node: Node
    let events: EventRecorder
    let port: UInt16
    private let running: Task<Void, any Error>

    private init(node: Node, events: EventRecorder, port: UInt16, running: Task<Void, any Error>) {
        self.node = node
        self.events = events
        self.port = port
        self.running = running
    }

    deinit { running.cancel() }

    /// - Returns: when the node listens.
    /// - Throws: what the node throws when it cannot begin.
    static func start(
        _ home: Home, port: UInt16 = 0, peers: [PeerAddress] = [], sources: [any DiscoverySource] = []
    ) async throws -> LiveNode {
        let configuration = NodeConfiguration(
            port: port, staticPeers: peers, discoverySources: sources, metrics: PrometheusMetrics())
        let node = try Node(home: home, configuration: configuration)
        let events = await EventRecorder.observing(node.events)
        let (ports, continuation) = AsyncStream<UInt16>.makeStream()
        let running = Task {
            defer { continuation.finish() }
            try await node.run { continuation.yield($0) }
        }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else {
            try await running.value
            throw CancellationError()
        }
        return LiveNode(node: node, events: events, port: port, running: running)
    }

    var address: PeerAddress { PeerAddress(host: "127.0.0.1", port: port) }

    func stop() async throws {
        running.cancel()
        try await withDeadline(.seconds(20), "the node stops") { [running] in try await running.value }
    }
}
