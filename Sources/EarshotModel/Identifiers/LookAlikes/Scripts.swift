/// The scripts of some letters.
struct Scripts: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let latin = Scripts(rawValue: 1 << 0)
    static let greek = Scripts(rawValue: 1 << 1)
    static let cyrillic = Scripts(rawValue: 1 << 2)
    static let armenian = Scripts(rawValue: 1 << 3)
    static let hebrew = Scripts(rawValue: 1 << 4)
    static let arabic = Scripts(rawValue: 1 << 5)
    static let georgian = Scripts(rawValue: 1 << 6)
    static let cherokee = Scripts(rawValue: 1 << 7)
    static let coptic = Scripts(rawValue: 1 << 8)
    static let canadianAboriginal = Scripts(rawValue: 1 << 9)
    static let lisu = Scripts(rawValue: 1 << 10)
    static let deseret = Scripts(rawValue: 1 << 11)
    static let osage = Scripts(rawValue: 1 << 12)
    static let han = Scripts(rawValue: 1 << 13)
    static let hiragana = Scripts(rawValue: 1 << 14)
    static let katakana = Scripts(rawValue: 1 << 15)
    static let hangul = Scripts(rawValue: 1 << 16)
    static let bopomofo = Scripts(rawValue: 1 << 17)

    /// The scripts that may stand together in a word: UTS 39, section 5.2, "highly restrictive".
    private static let covers: [Scripts] = [
        [.latin, .han, .hiragana, .katakana], [.latin, .han, .hangul], [.latin, .han, .bopomofo],
    ]

    /// Whether a word of these scripts is ordinary: at most one of them, or some that people do write together.
    var mayStandTogether: Bool {
        rawValue & (rawValue &- 1) == 0 || Self.covers.contains { isSubset(of: $0) }
    }
}

extension Scripts {
    /// The script of a letter or number; empty for one that several scripts share, and for a script without a table here.
    init(of scalar: Unicode.Scalar) {
        let value = scalar.value
        if value < 0x80 {
            self = scalar.properties.isAlphabetic ? .latin : []
        } else {
            self = Self.find(value)
        }
    }

    private struct Run {
        let range: ClosedRange<UInt32>
        let script: Scripts
    }

    // Sorted once.
    private static let runs =
        table
        .flatMap { script, ranges in ranges.map { Run(range: $0, script: script) } }
        .sorted { $0.range.lowerBound < $1.range.lowerBound }

    private static func find(_ value: UInt32) -> Scripts {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].range.upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].range.contains(value) ? runs[low].script : []
    }

    /// Source: the property Script (UAX 24, `Scripts.txt`) of Unicode 15.0, letters and numbers only. A range may
    /// include marks and unassigned scalars. The table has the scripts in use that share shapes with Latin, and those
    /// of East Asia.
    ///
    /// Data © Unicode, Inc., used under the Unicode License (https://www.unicode.org/license.txt).
    private static let table: [(script: Scripts, ranges: [ClosedRange<UInt32>])] = [
        (
            .latin,
            [
                0x0041...0x00AA, 0x00BA...0x00BA, 0x00C0...0x02B8, 0x02E0...0x02E4, 0x1D00...0x1D25,
                0x1D2C...0x1D5C, 0x1D62...0x1D65, 0x1D6B...0x1D77, 0x1D79...0x1DBE, 0x1E00...0x1EFF,
                0x2071...0x2071, 0x207F...0x207F, 0x2090...0x209C, 0x212A...0x212B, 0x2132...0x2132,
                0x214E...0x214E, 0x2160...0x2188, 0x2C60...0x2C7F, 0xA722...0xA787, 0xA78B...0xA7FF,
                0xAB30...0xAB64, 0xAB66...0xAB69, 0xFB00...0xFB06, 0xFF21...0xFF5A,
                0x10780...0x107BA, 0x1DF00...0x1DF2A,
            ]
        ),
        (
            .greek,
            [
                0x0370...0x0373, 0x0376...0x03E1, 0x03F0...0x03FF, 0x1D26...0x1D2A, 0x1D5D...0x1D61,
                0x1D66...0x1D6A, 0x1DBF...0x1DBF, 0x1F00...0x1FFC, 0x2126...0x2126, 0xAB65...0xAB65,
                0x10140...0x1018B,
            ]
        ),
        (
            .cyrillic,
            [
                0x0400...0x052F, 0x1C80...0x1C88, 0x1D2B...0x1D2B, 0x1D78...0x1D78, 0xA640...0xA69D,
                0x1E030...0x1E08F,
            ]
        ),
        (
            .armenian,
            [
                0x0531...0x0588, 0xFB13...0xFB17,
            ]
        ),
        (
            .hebrew,
            [
                0x05D0...0x05F2, 0xFB1D...0xFB4F,
            ]
        ),
        (
            .arabic,
            [
                0x0620...0x063F, 0x0641...0x06FF, 0x0750...0x077F, 0x0870...0x08C9, 0xFB50...0xFEFC,
                0x10E60...0x10E7E, 0x10EFD...0x10EFF, 0x1EE00...0x1EEBB,
            ]
        ),
        (
            .georgian,
            [
                0x10A0...0x10FF, 0x1C90...0x1CBF, 0x2D00...0x2D2D,
            ]
        ),
        (
            .cherokee,
            [
                0x13A0...0x13FD, 0xAB70...0xABBF,
            ]
        ),
        (
            .coptic,
            [
                0x03E2...0x03EF, 0x2C80...0x2CFD,
            ]
        ),
        (
            .canadianAboriginal,
            [
                0x1401...0x167F, 0x18B0...0x18F5, 0x11AB0...0x11ABF,
            ]
        ),
        (
            .lisu,
            [
                0xA4D0...0xA4FD, 0x11FB0...0x11FB0,
            ]
        ),
        (
            .deseret,
            [
                0x10400...0x1044F
            ]
        ),
        (
            .osage,
            [
                0x104B0...0x104FB
            ]
        ),
        (
            .han,
            [
                0x3005...0x3005, 0x3007...0x3029, 0x3038...0x303B, 0x3400...0x9FFF, 0xF900...0xFAD9,
                0x16FE3...0x16FE3, 0x20000...0x2EBE0, 0x2F800...0x2FA1D, 0x30000...0x31FFF,
            ]
        ),
        (
            .hiragana,
            [
                0x3041...0x309F, 0x1B001...0x1B11F, 0x1B132...0x1B152,
            ]
        ),
        (
            .katakana,
            [
                0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF6F, 0xFF71...0xFF9D,
                0x1AFF0...0x1B000, 0x1B120...0x1B122, 0x1B155...0x1B167,
            ]
        ),
        (
            .hangul,
            [
                0x1100...0x11FF, 0x3131...0x318E, 0xA960...0xA97C, 0xAC00...0xD7FB, 0xFFA0...0xFFDC,
            ]
        ),
        (
            .bopomofo,
            [
                0x3105...0x312F, 0x31A0...0x31BF,
            ]
        ),
    ]
}
