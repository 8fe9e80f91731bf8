/// How many characters must be added, dropped or changed to turn one text into another (Levenshtein).
package enum EditDistance {
    package static func between(_ a: String, _ b: String) -> Int {
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

    /// How many names are suggested for an unknown one.
    private static let suggestions = 3

    /// The names that were probably meant, the most similar first. Two letters may be wrong, and one in a short name.
    static func near(_ text: String, among names: Set<String>) -> [String] {
        let text = text.lowercased()
        let length = text.count
        let limit = length < 3 ? 1 : 2
        return names.map { ($0, $0.lowercased()) }
            .filter { abs($0.1.count - length) <= limit }
            .map { ($0.0, between($0.1, text)) }
            .filter { $0.1 <= limit }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
            .prefix(suggestions)
            .map(\.0)
    }
}
