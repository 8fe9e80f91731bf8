import Earshot

/// The page, and who may open it.
struct WebRoutes: RouteGroup {
    let node: Node
    let door: PageDoor

    var routes: [Route] {
        [
            .post("/v1/web", WebRequest.self, scope: .owner) { _, body in
                try .created(await door.open(body.port, isWritten: body.inFile ?? false))
            },
            .delete("/v1/web", scope: .owner) { _ in
                try await door.close()
                return .done
            },
            .post("/v1/login", LoginRequest.self, scope: .anybody) { _, body in
                guard let session = try await door.enter(body) else {
                    throw GatewayError(
                        .unauthorized,
                        "the login was used already, or is older than a minute: earshot web makes another")
                }
                return try .created(session)
            },
            .get("/v1/session", query: ["session", "cnonce"], scope: .anybody) { request in
                guard let session = request.query("session"), let clientNonce = request.query("cnonce") else {
                    throw GatewayError(.invalidRequest, "the query has session and cnonce", .init(name: "session"))
                }
                guard let greeting = try await door.greet(session, clientNonce: clientNonce) else {
                    throw GatewayError(
                        .unauthorized, "there is no such session of the page: earshot web opens it with a new login")
                }
                return try .json(greeting)
            },
        ]
    }
}

/// The body of `POST /v1/web`.
struct WebRequest: RequestBody, Encodable {
    /// The port of loopback to serve on; the usual one, or any that is free, without it.
    var port: Int?
    /// Whether a file is to lead a browser to the page.
    var inFile: Bool?
}

extension WebRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        inFile = try fields.optional("inFile", .bool)
        guard let port = try fields.optional("port", .integer) else { return }
        guard (1...65_535).contains(port) else {
            throw GatewayError(.invalidRequest, "port is a number from 1 to 65535", .init(name: "port", limit: 65_535))
        }
        self.port = Int(port)
    }
}

/// The body of `POST /v1/login`.
struct LoginRequest: RequestBody, Encodable {
    /// Of the login: what stands before the dot.
    let login: String
    /// Drawn by the tab.
    let cnonce: String
    /// That the tab has the login: see `SessionProof`.
    let proof: String
}

extension LoginRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        login = try fields.required("login", .text)
        cnonce = try fields.required("cnonce", .text)
        proof = try fields.required("proof", .text)
    }
}

/// Where the page is served now.
package struct GatewayPage: Codable, Hashable, Sendable {
    /// With a login in its fragment, which is good once, for a minute.
    package let address: String
    package let port: Int
    /// The path of a file that only the owner can read, and that leads there. It goes away with the login.
    package let file: String?
    /// The port that the page had before, and that somebody else has now: whoever has it open there talks to them.
    package let lostPort: Int?
}

/// A new session of a browser. Its key follows from the login, and is not sent.
package struct GatewayPageSession: Codable, Hashable, Sendable {
    package let session: String
    /// That the node has the login, too.
    package let proof: String
}

/// How the node proves to a tab that it knows its session.
package struct GatewayGreeting: Codable, Hashable, Sendable {
    /// What the tab's proofs are over, until the port is opened again.
    package let nonce: String
    package let proof: String
}
