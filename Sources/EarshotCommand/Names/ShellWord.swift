/// Words of a command that somebody may copy into a shell: no name in them does anything there.
enum ShellWord {
    /// The text as one word, quoted where a shell would make something else of it (POSIX, Shell Command Language, 2.2).
    static func quote(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Whether no shell takes a character of the text for more than itself, wherever the text stands.
    static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first != "-", first != "." else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII ? isPlain(scalar) : scalar.properties.isAlphabetic
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z", "@", ".", "_", "-", "+": true
        default: false
        }
    }
}
