public import EarshotModel

/// The number that two people compare to know that nobody is between them: 60 digits, the same on both sides.
///
/// The construction is Signal's (libsignal, `rust/protocol/src/fingerprint.rs`), with our own version number, keys and
/// identifiers; docs/PROTOCOL.md, section 3.6, has it byte for byte. Each user gives 30 digits, about 99 bits, and the
/// smaller half stands first. It depends on the two keys alone: a user who changes the name keeps it, and one who
/// changes the key does not.
public struct SafetyNumber: Hashable, Sendable, CustomStringConvertible {
    /// The 60 digits without anything between them.
    public let digits: String

    /// Digits of a whole number.
    public static let digitCount = 2 * NumericFingerprint.digits
    /// The first byte stands for Earshot, the second counts versions of the construction. Signal's number is 0: even one
    /// key in both products gives different digits, so a number of theirs is never mistaken for one of ours.
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

    /// Reads a number that a person typed or pasted: white space, line breaks and dashes of any kind are passed over.
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

    /// What one user gives to the number: the key's 32 bytes under its own text form as the identifier.
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
