/// The argument that is the text of a message: standard input if it is left out or `-`.
enum TextArgument {
    static func read(_ text: String?) async throws -> String {
        guard let text, text != "-" else { return try await StandardInput().all() }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
