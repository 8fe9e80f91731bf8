import NIOHTTP1

/// How a tab of the page says in a request which session it has, and proves it: `Authorization: Earshot-Session session="…",
/// nonce="…", cnonce="…", proof="…"` (RFC 9110, section 11.6.2).
struct SessionCredentials: Hashable, Sendable {
    static let scheme = "Earshot-Session"
    /// Of each text.
    private static let longest = 128

    let session: String
    /// The node's, as it was said.
    let nonce: String
    let clientNonce: String
    let proof: String

    /// - Returns: `nil` unless there is one such credential, with each text once.
    init?(_ credentials: [String]) {
        guard credentials.count == 1, let space = credentials[0].firstIndex(of: " "),
            credentials[0][..<space].lowercased() == Self.scheme.lowercased()
        else { return nil }
        var texts: [Substring: String] = [:]
        for part in credentials[0][space...].split(separator: ",") {
            let text = part.drop { $0 == " " }
            guard let sign = text.firstIndex(of: "=") else { return nil }
            let value = text[text.index(after: sign)...]
            guard value.count >= 2, value.first == "\"", value.last == "\"", value.utf8.count <= Self.longest,
                texts.updateValue(String(value.dropFirst().dropLast()), forKey: text[..<sign]) == nil
            else { return nil }
        }
        guard texts.count == 4, let session = texts["session"], let nonce = texts["nonce"],
            let clientNonce = texts["cnonce"], let proof = texts["proof"]
        else { return nil }
        (self.session, self.nonce, self.clientNonce, self.proof) = (session, nonce, clientNonce, proof)
    }

    /// What an answer says that is proved (RFC 7615).
    static func answer(_ proof: String) -> String { "proof=\"\(proof)\"" }
}
