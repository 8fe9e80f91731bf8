import EarshotCrypto
import EarshotModel

/// What the page and its node show each other, so that each knows the other and the secret that both have is never sent.
///
/// In the manner of HTTP Digest (RFC 7616), with HMAC-SHA256. Each request proves the session, and each answer is proved, too: a
/// tab that gets an answer without proof sends nothing more. The node draws a nonce whenever it opens the page's port, and the
/// tab another one for each request, so a proof that somebody was shown who had the port is good for nothing when the node has
/// it again. It is over the head of a request alone: on one connection of loopback nobody is in between.
package struct SessionProof: Hashable, Sendable {
    /// What a proof is for, so that none passes for another.
    package enum Role: String, Sendable {
        /// A tab has a login.
        case login
        /// The node has it, too, and has made a session.
        case session
        /// No proof, but the session's key, which follows from the login.
        case key
        /// The node has a session, and says the nonce.
        case greeting
        /// A tab has a session, and asks for something.
        case request
        /// The node has it, too, and this is what it answers.
        case answer
    }

    /// The port that the page is on: what was proved to another one is good for nothing here.
    package let port: Int
    /// The node's; for a login none, and then the session's id.
    package let nonce: String
    /// The tab's.
    package let clientNonce: String
    package let method: String
    /// As in the request: the path, percent-encoded, with the query.
    package let target: String

    package init(port: Int, nonce: String, clientNonce: String, method: String = "", target: String = "") {
        (self.port, self.nonce, self.clientNonce) = (port, nonce, clientNonce)
        (self.method, self.target) = (method, target)
    }

    /// - Returns: 64 digits to the base 16.
    package func text(as role: Role, key: [UInt8]) -> String {
        bytes(as: role, key: key).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// - Returns: 32 bytes.
    package func bytes(as role: Role, key: [UInt8]) -> [UInt8] {
        let parts = ["earshot page 1", role.rawValue, "\(port)", nonce, clientNonce, method, target]
        return HMAC.sha256(of: Array(parts.joined(separator: "\n").utf8), key: key)
    }

    /// Whether somebody has shown the right proof. How long that takes tells nothing about it.
    package func isShown(by text: String, as role: Role, key: [UInt8]) -> Bool {
        let (shown, right) = (Array(text.utf8), Array(self.text(as: role, key: key).utf8))
        guard shown.count == right.count else { return false }
        return zip(shown, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Whether a text can be a nonce that somebody has drawn: 16 to 64 letters, digits, and any of `-_.`.
    package static func isNonce(_ text: String) -> Bool {
        text.utf8.count >= 16 && PlainName.isValid(text, limit: 64)
    }

    /// A nonce: 128 random bits.
    package static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base32.encode((0..<16).map { _ in .random(in: .min ... .max, using: &generator) })
    }
}
