import Earshot

/// The page, and who may open it.
struct WebRoutes: RouteGroup {
    let node: Node
    let door: PageDoor

    var routes: [Route] {
        [
            .post("/v1/web", WebRequest.self, scope: .all) { _, body in
                let (address, port) = try await door.open(body.port)
                return try .created(GatewayPage(address: address, port: port))
            },
            .delete("/v1/web", scope: .all) { _ in
                try await door.close()
                return .done
            },
            .post("/v1/login", LoginRequest.self, scope: nil) { _, body in
                guard let token = try await door.enter(body.login) else {
                    throw GatewayError(
                        .unauthorized,
                        "the login was used already, or is older than a minute: earshot web makes another")
                }
                return try .created(GatewayTab(token: token))
            },
        ]
    }
}

/// The body of `POST /v1/web`.
struct WebRequest: RequestBody, Encodable {
    /// The port of loopback to serve on; the usual one, or any that is free, without it.
    var port: Int?
}

extension WebRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        guard let port = try fields.optional("port", .integer) else { return }
        guard (1...65_535).contains(port) else {
            throw GatewayError(.invalidRequest, "port is a number from 1 to 65535", .init(name: "port", limit: 65_535))
        }
        self.port = Int(port)
    }
}

/// The body of `POST /v1/login`.
struct LoginRequest: RequestBody, Encodable {
    let login: String
}

extension LoginRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { login = try fields.required("login", .text) }
}

/// Where the page is served now.
package struct GatewayPage: Codable, Hashable, Sendable {
    /// With a login in its fragment, which is good once, for a minute.
    package let address: String
    package let port: Int
}

/// What a tab shows with its requests.
package struct GatewayTab: Codable, Hashable, Sendable {
    package let token: String
}
