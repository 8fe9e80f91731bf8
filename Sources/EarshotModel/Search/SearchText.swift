/// Text as it is divided into words.
package enum SearchText {
    /// Scripts that put no spaces between words: each of their signs counts as a word, so that a part of a sentence is found
    /// by its signs, which stand next to each other.
    private static let unspaced: [ClosedRange<UInt32>] = [
        0x0E00...0x0EFF,  // Thai, Lao
        0x1000...0x109F, 0x1780...0x17FF,  // Myanmar, Khmer
        0x3040...0x30FF, 0x31F0...0x31FF,  // Hiragana, Katakana
        0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF,  // Han
    ]

    /// Puts spaces around each sign of a script that has none.
    package static func words(of text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnspaced) else { return text }
        return text.reduce(into: "") { words, sign in
            guard let first = sign.unicodeScalars.first, isUnspaced(first) else { return words.append(sign) }
            words += " \(sign) "
        }
    }

    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x0E00 && unspaced.contains { $0.contains(scalar.value) }
    }
}
