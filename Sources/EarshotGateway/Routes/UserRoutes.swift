import Earshot

/// The users whom the node has met.
struct UserRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/users") { _ in try .json(await node.users.all.map { GatewayUser($0) }) },
            .get("/v1/users/{user}") { try .json(GatewayUser(try await user(of: $0))) },
            .get("/v1/users/{user}/safety-number") { try await safetyNumber($0) },
            .post("/v1/users/{user}/trust", TrustRequest.self, scope: .all) { try await trust($0, $1) },
        ]
    }

    private func safetyNumber(_ request: Request) async throws -> Response {
        let user = try await user(of: request)
        return try .json(
            GatewaySafetyNumber(user: GatewayUser(user), number: node.users.safetyNumber(with: user.userID)))
    }

    /// - Returns: the user as they are now.
    private func trust(_ request: Request, _ body: TrustRequest) async throws -> Response {
        let user = try await user(of: request)
        return try .json(
            GatewayUser(try await node.users.decide(body.read(), about: user.userID, named: body.expectedName())))
    }
}
