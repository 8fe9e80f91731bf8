import Earshot

/// The node itself: who it is and how it does.
struct NodeRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/node") { _ in try .json(GatewayStatus(await node.status())) },
            // What the node knows about why messages flow or not.
            .get("/v1/health") { _ in try .json(await node.findings().map { GatewayFinding($0) }) },
            .get("/v1/metrics") { _ in try await metrics() },
            .get("/v1/openapi.yaml", scope: .anybody) { _ in
                .text(OpenAPIDocument.text, contentType: "application/yaml; charset=utf-8")
            },
        ]
    }

    /// What the node has measured, in Prometheus' text format.
    private func metrics() async throws -> Response {
        guard let text = await node.metricsText() else {
            throw GatewayError(
                .unknownEndpoint,
                "the node's program has given it metrics of its own: they are where that program writes them")
        }
        return .text(text, contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
}
