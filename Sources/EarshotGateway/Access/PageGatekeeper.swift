import Earshot
import NIOHTTP1

/// Decides from the head of a request to the page's port who sends it and what they may do. There is one whenever the port is
/// opened.
///
/// Nobody but the owner's own processes gets an answer there, where the kernel tells whose they are. The page's files and its
/// login are for whoever asks. For all else a tab proves its session, and the answer is proved to it: see `SessionProof`.
struct PageGatekeeper: Sendable {
    private let tokens: TokenBook
    private let rates: RequestRates
    /// Drawn when the port was opened: what was proved before is good for nothing now.
    private let nonce: String

    init(tokens: TokenBook, rates: RequestRates, nonce: String) {
        self.tokens = tokens
        self.rates = rates
        self.nonce = nonce
    }

    /// - Throws: `GatewayError` `foreignUser`, `foreignOrigin`, `unauthorized`, `tooManyRequests`.
    func admit(_ head: HTTPRequestHead, _ entrance: Entrance) throws(GatewayError) -> Access {
        guard case .loopback(let port, let user) = entrance else {
            throw GatewayError(.unauthorized, "the page is on loopback")
        }
        try Self.check(user)
        guard !Page.isOpen(head) else {
            try Gatekeeper.checkOrigin(of: head, port: port, mayComeFromElsewhere: head.isNavigation)
            if head.method == .POST { try rates.take(.login(user)) }
            return .visitor
        }
        try Gatekeeper.checkOrigin(of: head, port: port)
        guard let access = access(of: head, port: port) else {
            try rates.take(.stranger(user))
            throw GatewayError(
                .unauthorized,
                "this needs the proof of a session of the page, which earshot web opens. For programs with a token there is "
                    + "another port: earshot up --http")
        }
        return access
    }

    private func access(of head: HTTPRequestHead, port: Int) -> Access? {
        guard let shown = SessionCredentials(head.headers["authorization"]), shown.nonce == nonce else { return nil }
        let proof = SessionProof(
            port: port, nonce: nonce, clientNonce: shown.clientNonce, method: head.method.rawValue, target: head.uri)
        var answer = ""
        let session = tokens.session(shown.session) { key in
            guard proof.isShown(by: shown.proof, as: .request, key: key) else { return false }
            answer = proof.text(as: .answer, key: key)
            return true
        }
        return session.flatMap(PageSession.init).flatMap { session in
            guard session.port == port else { return nil }
            return .page(Access.Token(id: session.id, name: session.name), proof: answer)
        }
    }

    /// - Throws: `GatewayError` `foreignUser`.
    private static func check(_ user: SocketUser) throws(GatewayError) {
        guard user != .own, user != .unknown else { return }
        throw GatewayError(
            .foreignUser,
            "this is the page of another user of this machine, and it is for them alone: your own is opened by earshot web"
        )
    }
}

extension HTTPRequestHead {
    /// Whether a browser opens it as a page of its own, and not within another one (W3C Fetch Metadata, sections 2.1 and 2.2).
    fileprivate var isNavigation: Bool {
        method == .GET && headers["sec-fetch-mode"] == ["navigate"] && headers["sec-fetch-dest"] == ["document"]
    }
}
