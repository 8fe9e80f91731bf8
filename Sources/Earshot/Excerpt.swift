import EarshotModel

/// What stands in an error for a text that came from outside and may be of any length.
package enum Excerpt {
    /// More than a name with a whole key, and than the id of a message.
    private static let longest = 2 * Limits.nameBytes

    /// The text, or its beginning and an ellipsis.
    package static func of(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        // Not of characters: one may be as long as it likes.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) + "…"
    }
}
