/// Words of a command that somebody may copy into a shell. A peer chooses its name: no name in them does anything there.
enum ShellWord {
    /// The text as one word, quoted where a shell would make something else of it (POSIX, Shell Command Language, 2.2).
    ///
    /// By scalars, as a shell reads it: a quote and the accent that follows it are one `Character`.
    static func quote(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        var word = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "'" { word.append(contentsOf: #"'\''"#.unicodeScalars) } else { word.append(scalar) }
        }
        word.append("'")
        return String(word)
    }

    /// What names a user on a command line: the name where it is one that anybody can read and copy, else the key.
    /// - Parameter suffix: goes behind the name, like `@3fk9qbmj`.
    static func user(_ name: String, _ suffix: String = "", key: String) -> String {
        isCopyable(name) ? quote(name + suffix) : key
    }

    /// Whether a name has only letters, digits, spaces and the few signs that mean nothing to a shell. One with an `@`
    /// may be taken for a name and a key.
    static func isCopyable(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first != "-" else { return false }
        return name.unicodeScalars.allSatisfy { $0 == " " || (isPlain($0) && $0 != "@") }
    }

    /// Whether no shell takes a character of the text for more than itself, wherever the text stands.
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
