@_spi(_Unicode) import Swift

/// The name of a user: a label for people, 1 to 63 bytes of UTF-8 in NFC without control or invisible characters.
///
/// A name proves nothing: the key (`UserID`) says who somebody is. `skeleton` says which names look alike.
public struct UserName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Why some text is not a name.
    public enum Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        case empty
        case tooLong(bytes: Int)
        /// A control character, or an invisible one, which would make another name with the same looks.
        case controlCharacter
        case notNormalized
        case surroundedBySpace

        public var description: String {
            switch self {
            case .empty: "a name has at least one character"
            case .tooLong(let bytes): "a name is at most \(Limits.nameBytes) bytes of UTF-8, and this one is \(bytes)"
            case .controlCharacter: "a name has no control or invisible characters"
            case .notNormalized: "a name is in Unicode normalization form C"
            case .surroundedBySpace: "a name does not begin or end with a space"
            }
        }
    }

    /// The name itself.
    public let text: String

    /// Characters that have a meaning where a user or a conversation is named: `#cafe`, `bob@3fk9qbmj`. Names that are
    /// older than this rule may have them.
    package static let reservedCharacters = "@ # , /"

    package var hasReservedCharacter: Bool { text.contains { "@#,/".contains($0) } }

    /// What means this node's own user wherever a user is named, whoever calls themselves so.
    package static let ownWord = "me"

    /// Why nobody takes the name here, though others may have it, as what follows "a name"; `nil` for one that is free to
    /// take.
    package var reservation: String? {
        if hasReservedCharacter {
            return "has none of \(Self.reservedCharacters), which mean something else where a user is named"
        }
        guard text.lowercased() == Self.ownWord else { return nil }
        return "is not \"\(Self.ownWord)\", which means oneself where a user is named"
    }

    /// Checks a name from outside, without changing it.
    /// - Throws: `EarshotError` `invalidName`, whose cause (`Invalid`) says what is wrong.
    public init(_ text: String) throws(EarshotError) {
        do throws(Invalid) { try Self.check(text) } catch { throw EarshotError(error, of: text) }
        self.text = text
    }

    private static func check(_ text: String) throws(Invalid) {
        guard !text.isEmpty else { throw .empty }
        let bytes = text.utf8.count
        guard bytes <= Limits.nameBytes else { throw .tooLong(bytes: bytes) }
        guard text.unicodeScalars.allSatisfy(isAllowed) else { throw .controlCharacter }
        guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else { throw .surroundedBySpace }
        guard normalized(text).utf8.elementsEqual(text.utf8) else { throw .notNormalized }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        // Marks of direction are default-ignorable, too. Joiners and variation selectors shape what is seen, in emoji
        // and in several scripts.
        default:
            !scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isVariationSelector
                || scalar == "\u{200C}" || scalar == "\u{200D}"
        }
    }

    /// Normalizes what a person typed, then checks it.
    /// - Throws: `EarshotError` `invalidName`, whose cause (`Invalid`) says what is wrong.
    public init(typed text: String) throws(EarshotError) {
        try self.init(Self.normalized(text))
    }

    /// Normalization form C, from the standard library's own tables, which have no public name yet.
    private static func normalized(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }

    public var description: String { text }
    public static func < (a: UserName, b: UserName) -> Bool { a.text < b.text }
    // Names are normalized, so those that are canonically equivalent have the same bytes.
    public static func == (a: UserName, b: UserName) -> Bool {
        a.text.utf8.count == b.text.utf8.count && a.text == b.text
    }
}

extension EarshotError {
    fileprivate init(_ reason: UserName.Invalid, of text: String) {
        self.init(.invalidName, reason.description, Parameters(name: text), cause: reason)
    }
}
