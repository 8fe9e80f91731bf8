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
        _ home: Home, port: UInt16 = 0, peers: [PeerAddress] = [], sources: [any DiscoverySource] = [],
        log: LogWatch? = nil
    ) async throws -> LiveNode {
        var configuration = NodeConfiguration(
            port: port, staticPeers: peers, discovery: .sources(sources), logger: .quiet,
            metrics: PrometheusMetrics())
        if let log { configuration.logger = log.logger }
        let node = try await Node.open(home, configuration: configuration)
        let events = await EventRecorder.observing(node.events)
        let states = node.events.events(.nodeStateChanged)
        let running = Task { try await node.run() }
        guard let port = try await states.compactMap(\.port).first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        return LiveNode(node: node, events: events, port: port, running: running)
    }

    var address: PeerAddress { PeerAddress(host: "127.0.0.1", port: port) }

    func stop() async throws {
        try await withDeadline("the node stops") { [node, running] in
            await node.stop()
            try await running.value
        }
    }
}
