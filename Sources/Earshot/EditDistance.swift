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
}
