/// Words that a message has to hold next to each other, in this order. Letters' case and their accents do not matter.
package struct SearchPhrase: Hashable, Sendable {
    package let text: String
    /// Whether the last word is only the beginning of one.
    package let isPrefix: Bool

    package init(_ text: String, isPrefix: Bool = false) {
        self.text = SearchText.words(of: text)
        self.isPrefix = isPrefix
    }

    /// Reads what a person writes to search: words, `"several words"` that stand next to each other, and `beginnings*`. Signs
    /// alone, which are in no word, are passed over, and a quotation mark that nothing closes closes at the end.
    /// - Returns: empty if there is no word.
    package static func phrases(in text: String) -> [SearchPhrase] {
        var (phrases, isQuoted): ([SearchPhrase], Bool) = ([], false)
        for part in text.split(separator: "\"", omittingEmptySubsequences: false) {
            phrases += isQuoted ? [phrase(part)] : part.split(whereSeparator: \.isWhitespace).map(phrase)
            isQuoted.toggle()
        }
        return phrases.filter(\.hasWord)
    }

    private static func phrase(_ text: Substring) -> SearchPhrase {
        let words = text.trimmingSuffix { $0 == "*" }
        // A star behind anything but a word belongs to no word.
        let isPrefix = words.count < text.count && words.last?.isWordPart == true
        // A NUL would end the text for the database.
        return SearchPhrase(String(words.filter { $0 != "\0" }), isPrefix: isPrefix)
    }

    private var hasWord: Bool { text.contains(where: \.isWordPart) }
}

extension Substring {
    fileprivate func trimmingSuffix(while isPart: (Character) -> Bool) -> Substring {
        self[..<(lastIndex { !isPart($0) }.map { index(after: $0) } ?? startIndex)]
    }
}

extension Character {
    /// Letters, digits and private signs make words, as in SQLite's tokenizer (sqlite.org/fts5.html, section 4.3.1).
    fileprivate var isWordPart: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .privateUse:
                true
            default: false
            }
        }
    }
}
