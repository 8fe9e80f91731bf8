import Earshot
import EarshotGateway

/// Runs a node and its local API in this process while a closure runs.
struct NodeHost: Sendable {
    /// Puts the node on the network, and returns the port that peers connect to. Throws why it could not.
    typealias Start = @Sendable () async throws -> UInt16

    let node: Node
    /// How the API is served on TCP; `nil` for not at all.
    var http: Gateway.HTTPOptions?
    var requestsPerSecond = GatewayLimits.requestsPerSecond

    /// - Parameter body: gets a client of the node. Until it calls `Start`, the node only has its disk.
    /// - Throws: the first error of the node, its API or the body.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (GatewayClient, @escaping Start) async throws -> Result
    ) async throws -> Result {
        let (node, http, requestsPerSecond) = (node, http, requestsPerSecond)
        let (listening, api) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let (starts, start) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let (ends, end) = AsyncThrowingStream<Never, any Error>.makeStream()
        let states = node.events.events(.nodeStateChanged)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await Gateway(node: node, http: http, requestsPerSecond: requestsPerSecond) { api.yield() }.run()
                return nil
            }
            group.addTask {
                // Ends without the network if the body is done and never asked for it.
                guard await starts.first(where: { _ in true }) != nil else { return nil }
                do { try await node.run() } catch {
                    end.finish(throwing: error)
                    throw error
                }
                end.finish()
                return nil
            }
            group.addTask {
                guard await listening.first(where: { true }) != nil else { throw CancellationError() }
                return try await body(GatewayClient(home: node.home)) {
                    start.yield()
                    if let port = try await states.compactMap(\.port).first(where: { _ in true }) { return port }
                    // It has stopped instead, and its run throws why, unless there was nothing to run.
                    for try await _ in ends {}
                    try Task.checkCancellation()
                    throw EarshotError(.stopped, "the node was stopped before it ran")
                }
            }
            while let ended = try await group.next() {
                guard let result = ended else { continue }
                group.cancelAll()
                try await group.waitForAll()
                return result
            }
            throw CancellationError()
        }
    }
}
