@_spi(_Unicode) import Swift

/// Reads a name word by word, and finds letters that imitate others.
///
/// UTS 39 (section 5) judges an identifier as a whole. But in some names a first name in one script stands beside a
/// surname in another. So this judges each word by itself, and a word of another script beside Latin words only if all
/// of it looks Latin. Two rules are not followed: scripts without a table in `Scripts` mix with any other, unless they
/// lend a Latin word a letter; and neither restricted nor outdated letters are refused.
struct WordMix {
    private var scripts: Scripts = []
    private var letters = 0
    private var likeLatin = 0
    private var hasForeignLikeness = false

    private var hasLatinWord = false
    private var hasImitation = false

    /// Whether a text is made to deceive, whatever other texts there are.
    static func isDeceptive(_ text: String) -> Bool {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        var mix = WordMix()
        var previous: Unicode.Scalar?
        for scalar in text._nfd {
            if scalar.isCompatibilityLetter || scalar.isInvisible && !canBeShaped(previous) { return true }
            if !scalar.isWordPart && !scalar.isInvisible { guard mix.endWord() else { return true } }
            mix.add(scalar)
            previous = scalar
        }
        return !mix.endWord() || mix.hasLatinWord && mix.hasImitation
    }

    /// Whether a joiner or variation selector after `scalar` may change what is seen. It may in emoji, and in scripts
    /// whose letters change with their neighbours; it does not in the alphabets that share shapes with Latin.
    private static func canBeShaped(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        if scalar.isASCII { return scalar.properties.isEmoji }
        let alphabets: Scripts = [.latin, .greek, .cyrillic, .armenian, .georgian, .cherokee, .coptic, .lisu]
        return Scripts(of: scalar).isDisjoint(with: alphabets)
            && scalar.properties.generalCategory != .spaceSeparator && !(0x300...0x36F).contains(scalar.value)
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
        switch scalar.properties.generalCategory {
        case .decimalNumber, .letterNumber, .otherNumber:
            if !scalar.isASCII && scalar.looksLatin { hasForeignLikeness = true }
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            add(letter: scalar)
        default: break
        }
    }

    private mutating func add(letter: Unicode.Scalar) {
        let script = Scripts(of: letter)
        let looksLatin = letter.looksLatin
        letters += 1
        if looksLatin { likeLatin += 1 }
        if script.isEmpty && looksLatin { hasForeignLikeness = true }
        scripts.formUnion(script)
    }

    /// - Returns: whether the word is an ordinary one.
    private mutating func endWord() -> Bool {
        let isLatin = scripts.contains(.latin)
        let isOrdinary = scripts.mayStandTogether && !(isLatin && hasForeignLikeness)
        if isLatin { hasLatinWord = true }
        if !isLatin && letters > 0 && likeLatin == letters { hasImitation = true }
        (scripts, letters, likeLatin, hasForeignLikeness) = ([], 0, 0, false)
        return isOrdinary
    }
}

extension Unicode.Scalar {
    /// Whether this is a letter or digit of ASCII, or looks like some.
    fileprivate var looksLatin: Bool {
        let parts = prototype ?? [self]
        return parts.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) }
    }
}
