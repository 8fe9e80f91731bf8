import Earshot

/// What lets a browser use the node without another login. The tabs of a browser share it.
struct PageSession: Hashable, Sendable {
    /// How long a browser may use the node without another login.
    static let lifetime = Duration.seconds(30 * 86_400)
    /// How many there may be. Another one ends the oldest.
    static let limit = 16
    /// How the names of sessions begin among those of tokens, followed by the port: `page-7118-3fk9qbmj`.
    static let namePrefix = "page-"

    let id: String
    let name: String
    /// A browser keeps what a page has for its port alone.
    let port: Int

    /// - Returns: `nil` for a token of a program.
    init?(_ token: TokenRecord) {
        let parts = token.name.split(separator: "-")
        guard token.scopes == [TokenBook.sessionScope], parts.count == 3, let port = Int(parts[1]) else { return nil }
        (id, name, self.port) = (token.tokenID, token.name, port)
    }

    static func newName(port: Int) -> String {
        "\(namePrefix)\(port)-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
