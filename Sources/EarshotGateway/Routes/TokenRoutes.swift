import Earshot

/// The tokens with which programs use the node.
struct TokenRoutes: RouteGroup {
    let node: Node
    let tokens: TokenBook

    var routes: [Route] {
        [
            .get("/v1/tokens", scope: .all) { _ in try .json(await representer.tokens(tokens.all)) },
            .post("/v1/tokens", TokenRequest.self, scope: .all) { try await create($1) },
            .delete("/v1/tokens/{token}", scope: .all) { request in
                _ = try await tokens.revoke(try request.parameter("token"))
                return .done
            },
        ]
    }

    private func create(_ body: TokenRequest) async throws -> Response {
        let scopes = try body.readScopes()
        var recipients: Set<UserID>?
        if let names = body.to {
            var found: Set<UserID> = []
            for name in names { found.insert(try await node.users.recipient(name)) }
            recipients = found
        }
        let (token, text) = try await tokens.create(
            body.name, scopes: scopes.map(\.rawValue).sorted(), recipients: recipients, lifetime: try body.lifetime())
        return try .created(
            GatewayNewToken(token: text, details: await representer.tokens([token])[0]))
    }
}

/// The body of `POST /v1/tokens`.
struct TokenRequest: RequestBody, Encodable {
    let name: String
    /// Of `Scope`.
    let scopes: [String]
    /// The only users to whom it may send, as a message names its recipient; everybody without it.
    var to: [String]?
    /// How long it works; as long as nobody revokes it without it.
    var expiresInSeconds: Double?

    /// - Throws: `GatewayError` `invalidRequest`.
    func readScopes() throws(GatewayError) -> Set<Scope> {
        var found: Set<Scope> = []
        for text in scopes {
            guard let scope = Scope(rawValue: text) else {
                let choices = Scope.allCases.map(\.rawValue)
                throw GatewayError(
                    .invalidRequest, "a scope is one of: \(choices.joined(separator: ", "))",
                    .init(name: "scopes", suggestions: choices))
            }
            found.insert(scope)
        }
        guard !found.isEmpty else {
            throw GatewayError(.invalidRequest, "a token has at least one scope", .init(name: "scopes"))
        }
        guard to == nil || found.contains(.send) && !found.contains(.all) else {
            throw GatewayError(
                .invalidRequest, "only the scope send can be limited to some users, and all cannot", .init(name: "to"))
        }
        return found
    }

    /// - Throws: `GatewayError` `invalidRequest` for a time that no clock can hold.
    func lifetime() throws(GatewayError) -> Duration? {
        guard let expiresInSeconds else { return nil }
        return .milliseconds(try Milliseconds.of(expiresInSeconds, field: "expiresInSeconds"))
    }
}

extension TokenRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        name = try fields.required("name", .text)
        scopes = try fields.required("scopes", .list(of: .text))
        to = try fields.optional("to", .list(of: .text))
        expiresInSeconds = try fields.optional("expiresInSeconds", .number)
    }
}
