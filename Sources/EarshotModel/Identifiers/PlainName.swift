/// What users call their consumers, tokens and targets of notifications.
package enum PlainName {
    /// Whether a text has only letters and digits of ASCII, and any of `-_.`: at least one, and at most so many.
    package static func isValid(_ text: String, limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { bytes.contains($0) }
    }

    private static let bytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
}
