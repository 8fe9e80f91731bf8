import EarshotModel

/// Shortens a text from outside, which may have any length, for an error.
package enum Excerpt {
    /// Longer than a name with a whole key, and longer than the id of a message.
    private static let longest = 2 * Limits.nameBytes

    /// The text, or its beginning and an ellipsis.
    package static func of(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        // Not characters: one may have any length.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) + "…"
    }
}
