import Earshot
import Testing

@testable import EarshotGateway

/// Who has used a login of the page, as a browser does.
struct PageBrowser: Sendable {
    let port: Int
    let session: String
    let key: [UInt8]
    /// Of the node, since it has proved itself.
    var nonce: String

    private static let clientNonce = "0123456789abcdef"

    /// What a browser sends to log in.
    static func login(_ page: GatewayPage) throws -> RawRequest {
        let login = try login(of: page)
        let proof = SessionProof(port: page.port, nonce: "", clientNonce: clientNonce)
            .text(as: .login, key: Array(login.secret.utf8))
        return loginRequest(login.id, proof: proof)
    }

    static func loginRequest(_ id: String, proof: String) -> RawRequest {
        let body = #"{"login":"\#(id)","cnonce":"\#(clientNonce)","proof":"\#(proof)"}"#
        return RawRequest(method: "POST", path: "/v1/login", body: Array(body.utf8))
    }

    static func login(of page: GatewayPage) throws -> OneTimeLogins.Login {
        let parts = try #require(page.address.split(separator: "#login=").last).split(separator: ".")
        return OneTimeLogins.Login(id: String(parts[0]), secret: String(try #require(parts.last)))
    }

    /// Logs in, and lets the node prove itself.
    init(_ page: GatewayPage) async throws {
        let made: GatewayPageSession = try await Self.login(page).send(toPort: page.port).decoded()
        let secret = Array(try Self.login(of: page).secret.utf8)
        let about = SessionProof(port: page.port, nonce: made.session, clientNonce: Self.clientNonce)
        #expect(made.proof == about.text(as: .session, key: secret))
        (port, session, key, nonce) = (page.port, made.session, about.bytes(as: .key, key: secret), "")
        try await greet()
    }

    /// Lets the node prove itself.
    mutating func greet() async throws {
        let greeting: GatewayGreeting = try await greeting().send(toPort: port).decoded()
        let about = SessionProof(port: port, nonce: greeting.nonce, clientNonce: Self.clientNonce)
        #expect(greeting.proof == about.text(as: .greeting, key: key))
        nonce = greeting.nonce
    }

    func greeting() -> RawRequest {
        RawRequest(path: "/v1/session?session=\(session)&cnonce=\(Self.clientNonce)")
    }

    /// - Parameters:
    ///   - provedMethod: what the proof is over instead of the method; and so on.
    func request(
        _ method: String, _ path: String, body: String = "", provedMethod: String? = nil, provedPath: String? = nil,
        provedPort: Int? = nil, nonce: String? = nil, role: SessionProof.Role = .request
    ) -> RawRequest {
        let nonce = nonce ?? self.nonce
        let proof = SessionProof(
            port: provedPort ?? port, nonce: nonce, clientNonce: Self.clientNonce, method: provedMethod ?? method,
            target: provedPath ?? path
        ).text(as: role, key: key)
        return RawRequest(
            method: method, path: path, body: Array(body.utf8),
            headers: [
                "authorization: Earshot-Session session=\"\(session)\", nonce=\"\(nonce)\", "
                    + "cnonce=\"\(Self.clientNonce)\", proof=\"\(proof)\""
            ])
    }

    /// Asks the node, which proves its answer whatever it is.
    func ask(_ method: String, _ path: String, body: String = "") async throws -> RawRequest.Response {
        let answer = try await request(method, path, body: body).send(toPort: port)
        let expected = SessionProof(
            port: port, nonce: nonce, clientNonce: Self.clientNonce, method: method, target: path
        ).text(as: .answer, key: key)
        #expect(
            answer.head.contains("authentication-info: proof=\"\(expected)\""), "\(method) \(path) \(answer.status)")
        return answer
    }

    func status(of path: String = "/v1/node") async throws -> Int {
        try await request("GET", path).send(toPort: port).status
    }
}
