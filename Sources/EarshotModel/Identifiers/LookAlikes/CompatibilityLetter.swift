extension Unicode.Scalar {
    /// The ordinary letter or digit, if this scalar is a fullwidth, circled, parenthesized, squared or mathematical
    /// form of one (Unicode, chapters 22.2 and 22.4; UAX 44, `Decomposition_Mapping`).
    var compatibilityLetter: Unicode.Scalar? {
        switch value {
        case 0xFF10...0xFF19, 0xFF21...0xFF3A, 0xFF41...0xFF5A: Unicode.Scalar(value - 0xFEE0)
        case 0x2460...0x2468: Self.letter("1", value - 0x2460)
        case 0x249C...0x24B5: Self.letter("a", value - 0x249C)
        case 0x24B6...0x24E9: Self.latin(value - 0x24B6)
        case 0x1F110...0x1F129: Self.letter("A", value - 0x1F110)
        case 0x1F130...0x1F149: Self.letter("A", value - 0x1F130)
        case 0x1F150...0x1F169: Self.letter("A", value - 0x1F150)
        case 0x1F170...0x1F189: Self.letter("A", value - 0x1F170)
        case 0x1D400...0x1D6A3: Self.latin((value - 0x1D400) % 52)
        case 0x1D6A8...0x1D7CB: Self.greek((value - 0x1D6A8) % 58)
        case 0x1D7CE...0x1D7FF: Self.letter("0", (value - 0x1D7CE) % 10)
        default: nil
        }
    }

    /// Whether people write this scalar in a name only for its looks. Emoji are not such scalars (the circled M), and
    /// circled digits are ordinary in East Asia.
    var isCompatibilityLetter: Bool {
        guard !isASCII, !properties.isEmoji else { return false }
        switch value {
        // Letterlike symbols, Roman numerals and ligatures are in the table, because they have no order to compute
        // with.
        case 0x2100...0x214F, 0x2160...0x217F, 0xFB00...0xFB06: return isWordPart && prototype != nil
        case 0x2460...0x2468: return false
        default: return compatibilityLetter != nil
        }
    }

    /// A to Z, then a to z.
    private static func latin(_ index: UInt32) -> Unicode.Scalar? {
        index < 26 ? letter("A", index) : letter("a", index - 26)
    }

    /// The order of a mathematical Greek alphabet: 25 capitals, nabla, 25 small letters, then symbols.
    private static func greek(_ index: UInt32) -> Unicode.Scalar? {
        switch index {
        // The capital theta symbol stands where no capital final sigma is.
        case 17: letter("Θ", 0)
        case 0..<25: letter("Α", index)
        case 26..<51: letter("α", index - 26)
        default: nil
        }
    }

    private static func letter(_ first: Unicode.Scalar, _ index: UInt32) -> Unicode.Scalar? {
        Unicode.Scalar(first.value + index)
    }
}
