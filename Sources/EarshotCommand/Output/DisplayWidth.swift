/// How many columns of a terminal a text takes.
enum DisplayWidth {
    static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

    /// 0, 1 or 2, as terminals show it: one glyph for a grapheme cluster.
    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        // Variation selector 16 asks for the emoji form.
        if scalars.contains("\u{fe0f}") { return 2 }
        return scalars.map(of).max() ?? 0
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The blocks whose characters are wide or full-width (Unicode UAX 11).
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]

    /// Breaks a line at spaces, or within a long word, so that each part takes at most `width` columns.
    static func wrap(_ line: String, width: Int, measure: (Character) -> Int = of) -> [String] {
        var parts: [String] = []
        var rest = line[...]
        while let end = breakIndex(of: rest, width: width, measure) {
            parts.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        parts.append(String(rest))
        return parts
    }

    /// The first of these parts.
    static func head(of line: String, width: Int, measure: (Character) -> Int = of) -> String {
        breakIndex(of: line[...], width: width, measure).map { String(line[..<$0]) } ?? line
    }

    /// Looks no further than the width, because a line may be long.
    /// - Returns: `nil` if the whole line fits.
    private static func breakIndex(
        of text: Substring, width: Int, _ measure: (Character) -> Int
    ) -> Substring.Index? {
        var taken = 0
        var lastSpace: Substring.Index?
        for index in text.indices {
            taken += measure(text[index])
            // At least one character in each part, however narrow the terminal is.
            guard index > text.startIndex else { continue }
            if taken > width { return lastSpace ?? index }
            if text[index] == " " { lastSpace = index }
        }
        return nil
    }

    /// The text and spaces up to a width.
    static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - of(text)))
    }
}
