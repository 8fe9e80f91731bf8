import Earshot

/// The tokens with which programs use the node.
struct TokenRoutes: RouteGroup {
    let node: Node
    let tokens: TokenBook

    var routes: [Route] {
        [
            .get("/v1/tokens", scope: .page) { _ in try .json(await representer.tokens(tokens.all)) },
            .post("/v1/tokens", TokenRequest.self, scope: .owner) { try await create($1) },
            .delete("/v1/tokens/{token}", scope: .page) { request in
                _ = try await tokens.revoke(try request.parameter("token"))
                return .done
            },
        ]
    }

    private func create(_ body: TokenRequest) async throws -> Response {
        let scopes = try body.readScopes()
        guard !body.name.hasPrefix(PageSession.namePrefix) else {
            throw EarshotError(
                .invalidName,
                "names that begin with \"\(PageSession.namePrefix)\" are those of the page's own sessions",
                .init(name: Excerpt.of(body.name)))
        }
        var recipients: Set<Destination>?
        if let names = body.to {
            var found: Set<Destination> = []
            for name in names { found.insert(try await destination(name)) }
            recipients = found
        }
        let (token, text) = try await tokens.create(
            body.name, scopes: scopes.map(\.rawValue).sorted(), recipients: recipients, lifetime: try body.lifetime())
        return try .created(
            GatewayNewToken(token: text, details: await representer.tokens([token])[0]))
    }
}

extension TokenRoutes {
    /// A token may be for an open conversation that nobody here has joined yet.
    private func destination(_ name: String) async throws(EarshotError) -> Destination {
        guard name.hasPrefix("#") else { return try await node.conversations.destination(name) }
        do { return try await node.conversations.named(name).destination } catch {
            guard [.unknownConversation, .notJoined].contains(error.code), !name.contains("@") else { throw error }
        }
        return try await node.conversations.open(named: name).destination
    }
}

/// The body of `POST /v1/tokens`.
struct TokenRequest: RequestBody, Encodable {
    let name: String
    /// Of `Scope`.
    let scopes: [String]
    /// The only users and conversations to which it may send or insert drafts, as a message names where it goes; all
    /// without it.
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
        guard to == nil || !found.isDisjoint(with: [.send, .draft]) && !found.contains(.all) else {
            throw GatewayError(
                .invalidRequest, "only the scopes send and draft can be limited to some recipients, and all cannot",
                .init(name: "to"))
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
