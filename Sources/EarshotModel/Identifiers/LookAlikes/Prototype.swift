@_spi(_Unicode) import Swift

extension Unicode.Scalar {
    /// What a decomposed scalar outside ASCII looks like, if it looks like something else.
    ///
    /// Letters of ASCII in it are those of a skeleton: folded as `Skeleton.append(ascii:)` does it.
    var prototype: [Unicode.Scalar]? {
        guard !isASCII else { return nil }
        switch properties.generalCategory {
        case .spaceSeparator: return [" "]
        case .dashPunctuation: return ["-"]
        default: break
        }
        guard let letter = compatibilityLetter else { return ConfusableTable.prototype(of: self) }
        guard letter.isASCII else { return ConfusableTable.prototype(of: letter) ?? [letter] }
        var folded = String.UnicodeScalarView()
        Skeleton.append(ascii: letter, to: &folded)
        return Array(folded)
    }

    /// Whether this scalar of a name looks like something else, cannot be seen, or is a mark that may make its letter
    /// look like another.
    var isConfusable: Bool {
        guard !isASCII else { return false }
        return isInvisible || isDiacritic || String(self)._nfd.contains { $0.prototype != nil }
    }

    /// Variation selectors and joiners: the default-ignorable scalars that a name may have.
    var isInvisible: Bool { !isASCII && properties.isDefaultIgnorableCodePoint }

    /// A mark of the block Combining Diacritical Marks. In normalization form C such a mark remains only if no letter
    /// includes it.
    private var isDiacritic: Bool { (0x300...0x36F).contains(value) }

    /// Letters, marks and numbers: what words are made of.
    var isWordPart: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
