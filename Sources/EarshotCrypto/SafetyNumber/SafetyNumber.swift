public import EarshotModel

/// The number that two people compare to know that nobody is between them: 60 digits, the same on both sides.
///
/// The construction is Signal's (libsignal, `rust/protocol/src/fingerprint.rs`), with our own version number, keys and
/// identifiers; docs/PROTOCOL.md, section 3.6, describes each byte. Each user contributes 30 digits, about 99 bits, and
/// the smaller half comes first. The number depends only on the two keys: it survives a change of name, but not of a
/// key.
public struct SafetyNumber: Hashable, Sendable, CustomStringConvertible {
    /// The 60 digits without anything between them.
    public let digits: String

    /// Digits of a whole number.
    public static let digitCount = 2 * NumericFingerprint.digits
    /// The first byte stands for Earshot, the second is the version of the construction. Signal's number is 0, so even
    /// the same key gives different digits in both products, and nobody can mistake one number for the other.
    package static let version: UInt16 = 0xEA01
    /// As many as Signal's.
    package static let iterations = 5200

    private static let groupsPerLine = 4
    private static let digitsPerGroup = 5

    /// The number of a pair; the order does not matter.
    ///
    /// Runs SHA-512 10,400 times, which takes milliseconds: keep the result rather than computing it for every
    /// line of a list.
    public init(_ a: UserID, _ b: UserID) {
        let halves = [Self.half(a), Self.half(b)].sorted()
        digits = halves.joined()
    }

    /// Reads a number that a person typed or pasted. White space, line breaks and dashes of any kind are ignored.
    /// - Returns: `nil` unless what is left is exactly 60 ASCII digits.
    public init?(typed text: String) {
        var digits = ""
        for scalar in text.unicodeScalars where !Self.isSeparator(scalar) {
            guard ("0"..."9").contains(scalar), digits.utf8.count < Self.digitCount else { return nil }
            digits.unicodeScalars.append(scalar)
        }
        guard digits.utf8.count == Self.digitCount else { return nil }
        self.digits = digits
    }

    /// 12 groups of five digits with a space between them.
    public var description: String { lines.joined(separator: " ") }

    /// Three lines of four groups, as they are shown to people.
    public var lines: [String] {
        let groups = Self.cut(Array(digits.utf8), every: Self.digitsPerGroup).map {
            String(decoding: $0, as: UTF8.self)
        }
        return Self.cut(groups, every: Self.groupsPerLine).map { $0.joined(separator: " ") }
    }

    /// One user's half of the number. The identifier is the text form of the key.
    package static func half(_ user: UserID) -> String {
        NumericFingerprint.digits(of: hash(of: user))
    }

    package static func hash(of user: UserID) -> [UInt8] {
        NumericFingerprint(version: version, iterations: iterations)
            .hash(ofKey: user.bytes, identifier: Array(user.description.utf8))
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation
    }

    private static func cut<Element>(_ elements: [Element], every count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: elements.count, by: count).map { elements[$0..<min($0 + count, elements.count)] }
    }
}
