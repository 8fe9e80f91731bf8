import CoreMetrics
import Earshot
import Foundation
import TestSupport
import Testing

@testable import EarshotGateway

/// A node with its local API, in this process, on loopback.
struct TestNode: Sendable {
    let node: Node
    let client: GatewayClient
    let port: UInt16
    /// Of the API on TCP.
    let httpPort: Int

    /// Lends a node that runs.
    /// - Parameter homes: where its home is, for a node that runs again later.
    static func with<Result: Sendable>(
        _ name: String, peers: [UInt16] = [], metrics: (any MetricsFactory)? = PrometheusMetrics(),
        log: RecordedLog? = nil, networkKey: NetworkKey? = nil, shutdown: Duration = GatewayLimits.shutdown,
        homes: TemporaryFolder? = nil,
        _ body: @escaping @Sendable (TestNode) async throws -> Result
    ) async throws -> Result {
        let homes = try homes ?? TemporaryFolder()
        let home = Home(path: homes.file(name))
        if !FileManager.default.fileExists(atPath: home.path) { try home.create(name: name) }
        if let networkKey { _ = try home.joinNetwork(networkKey) }
        var configuration = NodeConfiguration(
            staticPeers: peers.map { PeerAddress(host: "127.0.0.1", port: $0) }, discovery: .off, logger: .quiet)
        if let metrics { configuration.metrics = metrics }
        if let log { configuration.logger = log.logger }
        let node = try await Node.open(home, configuration: configuration)
        let (listening, api) = AsyncStream<Void>.makeStream()
        let (httpPorts, httpPort) = AsyncStream<Int>.makeStream()
        let states = node.events.events(.nodeStateChanged)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                var gateway = Gateway(
                    node: node, http: .init(port: 0) { httpPort.yield($0) }, shutdown: shutdown,
                    onListening: { api.yield() })
                let judge = try DocumentJudge.shared.get()
                gateway.observe = { judge?.check($0, $1) }
                try await gateway.run()
                return nil
            }
            group.addTask {
                try await node.run()
                return nil
            }
            group.addTask {
                let isListening = await listening.first { true } != nil
                let port = try await states.compactMap(\.port).first { _ in true }
                try #require(isListening)
                return try await body(
                    TestNode(
                        node: node, client: GatewayClient(home: home), port: try #require(port),
                        httpPort: try #require(await httpPorts.first { _ in true })))
            }
            defer {
                group.cancelAll()
                withExtendedLifetime(homes) {}
            }
            while let result = try await group.next() { if let result { return result } }
            throw CancellationError()
        }
    }

    /// Lends two nodes that have met.
    static func pair(_ body: @escaping @Sendable (TestNode, TestNode) async throws -> Void) async throws {
        try await with("alice") { alice in
            try await with("bob", peers: [alice.port]) { bob in
                for node in [alice, bob] { try await node.waitForLink() }
                try await body(alice, bob)
            }
        }
    }

    /// Waits until something holds of the node that it posts an event about.
    func until(_ what: String, _ condition: @escaping @Sendable () async throws -> Bool) async throws {
        // From before the first look, so that nothing is missed.
        let events = node.events.events(.all)
        try await withDeadline(what) {
            if try await condition() { return }
            for try await _ in events where try await condition() { return }
            throw CancellationError()
        }
    }

    /// Waits until the node has met somebody.
    func waitForLink() async throws {
        try await until("\(node.name) has met somebody") { await node.status().links.count == 1 }
    }

    /// Waits until a message that the node has sent to one user is in a state there.
    func wait(for state: String, of messageID: String) async throws {
        try await until("\(messageID) is \(state)") {
            try await client.message(messageID).recipients.first?.state == state
        }
    }
}
