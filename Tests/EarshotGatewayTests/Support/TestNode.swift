import CoreMetrics
import Earshot
import EarshotGateway
import Foundation
import Testing

/// A node with its local API, in this process, on loopback.
struct TestNode: Sendable {
    let node: Node
    let client: GatewayClient
    let port: UInt16

    /// Lends a node that runs.
    static func with<Result: Sendable>(
        _ name: String, peers: [UInt16] = [], metrics: (any MetricsFactory)? = PrometheusMetrics(),
        log: RecordedLog? = nil, networkKey: NetworkKey? = nil,
        _ body: @escaping @Sendable (TestNode) async throws -> Result
    ) async throws -> Result {
        let home = Home(path: "/tmp/earshot-gateway-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(atPath: home.path) }
        try home.create(name: name)
        if let networkKey { _ = try home.joinNetwork(networkKey) }
        var configuration = NodeConfiguration(
            staticPeers: peers.map { PeerAddress(host: "127.0.0.1", port: $0) }, discovery: .off)
        if let metrics { configuration.metrics = metrics }
        if let log { configuration.logger = log.logger }
        let node = try await Node.open(home, configuration: configuration)
        let (listening, api) = AsyncStream<Void>.makeStream()
        let states = node.events.events(.nodeStateChanged)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await Gateway(node: node) { api.yield() }.run()
                return nil
            }
            group.addTask {
                try await node.run()
                return nil
            }
            group.addTask {
                let isListening = await listening.first { true } != nil
                let port = await states.compactMap(\.port).first { _ in true }
                try #require(isListening)
                return try await body(
                    TestNode(node: node, client: GatewayClient(home: home), port: try #require(port)))
            }
            defer { group.cancelAll() }
            while let result = try await group.next() { if let result { return result } }
            throw CancellationError()
        }
    }

    /// Lends two nodes that have met.
    static func pair(_ body: @escaping @Sendable (TestNode, TestNode) async throws -> Void) async throws {
        try await with("alice") { alice in
            try await with("bob", peers: [alice.port]) { bob in
                try await eventually("they have met") {
                    let links = (await alice.node.status().links.count, await bob.node.status().links.count)
                    return links == (1, 1)
                }
                try await body(alice, bob)
            }
        }
    }
}

/// Waits for a condition; fails the test if it does not come true in time.
func eventually(
    _ what: Comment, _ place: SourceLocation = #_sourceLocation, within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: place)
        try await Task.sleep(for: .milliseconds(10))
    }
}
