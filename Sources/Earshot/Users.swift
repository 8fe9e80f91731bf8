/// The users that a node knows: everybody it ever had a link to, itself left out.
public struct Users: Sendable {
    let node: Node

    /// By name.
    public var all: [User] {
        get async { await node.shell.users }
    }

    public func user(_ userID: UserID) async -> User? { await node.shell.user(userID) }

    /// Finds the one user that a text names: a name, a name and the beginning of a fingerprint (`bob@3fk9`), or a key.
    /// - Throws: `EarshotError` `unknownUser`, with names that are near, or `ambiguousUser`.
    public func named(_ text: String) async throws(EarshotError) -> User {
        let all = await self.all
        if let userID = UserID(text), let user = all.first(where: { $0.userID == userID }) { return user }
        let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
        let name = (try? UserName(typed: parts.first ?? text))?.text ?? text
        var matches = all.filter { $0.name.text == name }
        if parts.count == 2 {
            matches = matches.filter { $0.userID.description.hasPrefix(parts[1].lowercased()) }
        }
        guard let match = matches.first else { throw unknown(text, among: all) }
        guard matches.count == 1 else {
            let choices = matches.map { "\($0.name)@\($0.userID.description.prefix(8))" }.joined(separator: " or ")
            throw EarshotError(
                .ambiguousUser, "there are \(matches.count) users called \(text)", remedy: "say which: \(choices)")
        }
        return match
    }

    private func unknown(_ text: String, among users: [User]) -> EarshotError {
        if text == node.name.text {
            return EarshotError(
                .unknownUser, "\(text) is this node's own name", remedy: "a message to oneself goes nowhere")
        }
        let near = users.map(\.name.text).filter { EditDistance.between($0.lowercased(), text.lowercased()) <= 2 }
        let remedy =
            near.isEmpty
            ? "nobody of that name was ever met; see: earshot users"
            : "did you mean \(near.joined(separator: " or "))?"
        return EarshotError(.unknownUser, "nobody called \"\(text)\" is known", remedy: remedy)
    }
}

/// How many characters must be added, dropped or changed to make one text of another (Levenshtein).
enum EditDistance {
    static func between(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var row = Array(0...b.count)
        for (i, character) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let substitution = diagonal + (character == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
