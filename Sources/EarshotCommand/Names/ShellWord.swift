/// Words of a command that somebody may copy into a shell. A peer chooses its own name, so these words must be safe for
/// every name.
enum ShellWord {
    /// The text as one word, quoted if a shell would otherwise change it (POSIX, Shell Command Language, 2.2).
    ///
    /// It goes by scalars, as a shell does: a quote and the accent that follows it are one `Character`.
    static func quote(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        var word = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "'" { word.append(contentsOf: #"'\''"#.unicodeScalars) } else { word.append(scalar) }
        }
        word.append("'")
        return String(word)
    }

    /// The text that names a user on a command line: the name if anybody can read and copy it, else the key.
    /// - Parameter suffix: follows the name, like `@3fk9qbmj`.
    static func user(_ name: String, _ suffix: String = "", key: String) -> String {
        isCopyable(name) ? quote(name + suffix) : key
    }

    /// Whether a name has only letters, digits, spaces and the few signs that mean nothing to a shell. A name with an
    /// `@` could be read as a name and a key.
    static func isCopyable(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first != "-" else { return false }
        return name.unicodeScalars.allSatisfy { $0 == " " || (isPlain($0) && $0 != "@") }
    }

    /// Whether every character of the text means only itself to every shell, wherever the text stands.
    static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first != "-", first != "." else { return false }
        return text.unicodeScalars.allSatisfy(isPlain)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z", "@", ".", "_", "-", "+": true
        default: !scalar.isASCII && scalar.properties.isAlphabetic
        }
    }
}
