import Earshot
import Foundation
import NIOHTTP1

/// Decides from the head of a request who sends it and what they may do.
///
/// The Unix socket's mode keeps everybody but the owner out, so a request on it is the owner's unless it shows a token.
/// Anybody on this machine can open a TCP port on loopback, and so can every web page in its browsers. There each
/// request must show a token, and must not come from a page of somebody else. The page's port has a `PageGatekeeper`.
struct Gatekeeper: Sendable {
    private let tokens: TokenBook
    private let rates: RequestRates

    init(tokens: TokenBook, rates: RequestRates) {
        self.tokens = tokens
        self.rates = rates
    }

    /// - Throws: `GatewayError` `foreignOrigin`, `unauthorized`, `tooManyRequests`.
    func admit(_ head: HTTPRequestHead, _ entrance: Entrance) throws(GatewayError) -> Access {
        let credentials = head.headers["authorization"]
        var user = SocketUser.own
        switch entrance {
        case .socket: if credentials.isEmpty { return .owner }
        case .loopback(let port, let sender):
            try Self.checkOrigin(of: head, port: port)
            user = sender
        }
        guard let text = Self.token(in: credentials), let token = tokens.token(shownAs: text) else {
            try rates.take(.stranger(user))
            throw GatewayError(
                .unauthorized,
                credentials.isEmpty
                    ? "this needs a token: Authorization: Bearer TOKEN"
                    : "the token is not one of this node's, or it has expired or was revoked")
        }
        try rates.take(.token(token.tokenID))
        return Access(
            token: Access.Token(id: token.tokenID, name: token.name), Set(token.scopes.compactMap(Scope.init)),
            recipients: token.recipients)
    }

    /// - Returns: `nil` unless there is one credential, of the scheme that RFC 6750 defines.
    private static func token(in credentials: [String]) -> String? {
        guard credentials.count == 1, let credential = credentials.first else { return nil }
        let parts = credential.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    /// Refuses what a browser sends for a page of somebody else, and names that somebody else may have pointed here
    /// (DNS rebinding).
    /// - Parameter mayComeFromElsewhere: for what a person goes to from another page, or from a file.
    static func checkOrigin(
        of head: HTTPRequestHead, port: Int, mayComeFromElsewhere: Bool = false
    ) throws(GatewayError) {
        let authorities = ["127.0.0.1:\(port)", "localhost:\(port)"]
        let targets = head.headers["host"] + [authority(of: head.uri)].compactMap { $0 }
        for target in targets where !authorities.contains(target.lowercased()) {
            throw GatewayError(
                .foreignOrigin, "the host \"\(Excerpt.of(target))\" is not this node's: it is \(authorities[0])",
                .init(name: "Host", suggestions: authorities))
        }
        for origin in head.headers["origin"]
        where !authorities.contains(where: { "http://\($0)" == origin.lowercased() }) {
            throw GatewayError(
                .foreignOrigin, "pages of \"\(Excerpt.of(origin))\" may not use the local API", .init(name: "Origin"))
        }
        guard !mayComeFromElsewhere else { return }
        // W3C Fetch Metadata, section 2.3.
        for site in head.headers["sec-fetch-site"] where !["same-origin", "none"].contains(site.lowercased()) {
            throw GatewayError(
                .foreignOrigin, "pages of other sites may not use the local API", .init(name: "Sec-Fetch-Site"))
        }
    }

    /// Whom a request target in absolute-form is for.
    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let scheme = target.range(of: "://") else { return nil }
        return String(target[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" })
    }
}
