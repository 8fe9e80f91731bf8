import EarshotModel

/// Shortens a text from outside, which may have any length, for an error.
package enum Excerpt {
    /// Longer than a name with a whole key, and longer than the id of a message.
    package static let longest = 2 * Limits.nameBytes

    /// The text, or its beginning and an ellipsis.
    /// - Parameter longest: in bytes of UTF-8 what is not shortened, and in scalars what is left of more.
    package static func of(_ text: String, longest: Int = longest) -> String {
        guard text.utf8.count > longest else { return text }
        // Not characters: one may have any length.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) + "…"
    }
}
