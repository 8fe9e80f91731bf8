import EarshotCrypto
import EarshotProtocol

/// The secret that the nodes of a network share. Nobody without it can link to them.
///
/// People give it to each other as a text, which `init(typed:)` reads. It never expires, and cannot be taken back: to
/// keep somebody out, give everybody else a new key.
public struct NetworkKey: Sendable, Equatable {
    static let byteCount = 32
    /// The beginning of a text. It marks a network key, and has the version of the form.
    static let textPrefix = "earshot-network-1-"
    /// How many bytes of the checksum the text has.
    static let checksumBytes = 5
    /// Characters between two dashes.
    static let groupCharacters = 5
    /// The characters of key and checksum in base32.
    static let textCharacters = 60

    let secret: SecretBytes

    /// A new key from the system's random number generator.
    public static func generate() -> NetworkKey { NetworkKey(secret: .random(count: byteCount)) }

    init(secret: SecretBytes) { self.secret = secret }

    /// Reads the text of a key as people copy it. It ignores case, blanks, line breaks and dashes, reads o as 0 and i
    /// and l as 1, and accepts the text with or without the prefix (`docs/PROTOCOL.md`, section 3.7).
    /// - Throws: `EarshotError` `invalidNetworkKey`, which says what is wrong and never repeats the text.
    public init(typed text: String) throws(EarshotError) {
        var characters = try Self.characters(of: text)
        let prefix = try Self.characters(of: Self.textPrefix)
        if characters.starts(with: prefix), characters.count != Self.textCharacters {
            characters.removeFirst(prefix.count)
        }
        guard characters.count == Self.textCharacters else {
            throw Self.invalid(
                "it has \(characters.count) characters after \(Self.textPrefix), and a network key has "
                    + "\(Self.textCharacters)")
        }
        guard let bytes = Base32.decode(characters) else { throw Self.invalid(Self.mistyped) }
        let secret = SecretBytes(copying: bytes.prefix(Self.byteCount))
        guard bytes.dropFirst(Self.byteCount).elementsEqual(Self.checksum(of: secret)) else {
            throw Self.invalid(Self.mistyped)
        }
        self.init(secret: secret)
    }

    /// Distinguishes networks without revealing the key. Nodes advertise it.
    public var tag: String { LinkConfiguration.networkTag(of: secret) }

    /// The text to give to others. Everybody who has it is in.
    public var text: String {
        let bytes = secret.withUnsafeBytes { Array($0) } + Self.checksum(of: secret)
        var rest = Base32.encode(bytes)[...]
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.append(rest.prefix(Self.groupCharacters))
            rest = rest.dropFirst(Self.groupCharacters)
        }
        return Self.textPrefix + groups.joined(separator: "-")
    }

    private static let mistyped = "one of its characters is wrong"

    private static func invalid(_ reason: String) -> EarshotError {
        EarshotError(
            .invalidNetworkKey, "this is not a network key: \(reason)",
            .init(.mistyped))
    }

    private static func checksum(of secret: SecretBytes) -> ArraySlice<UInt8> {
        var hash = Blake2b(label: "earshot network key text v1")
        secret.withUnsafeBytes { hash.update($0) }
        return hash.finalize().bytes.prefix(checksumBytes)
    }

    /// A text as base32, without the separators of its groups.
    private static func characters(of text: String) throws(EarshotError) -> String {
        var characters = ""
        for scalar in text.lowercased().unicodeScalars {
            switch scalar {
            case "o": characters += "0"
            case "i", "l": characters += "1"
            case "a"..."z", "0"..."9": characters.unicodeScalars.append(scalar)
            case _ where isSeparator(scalar): continue
            default: throw invalid("it holds a character that no network key has")
            }
        }
        return characters
    }

    /// Blanks, line breaks, dashes of every length, and the invisible characters that mail programs put between words.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .dashPunctuation, .format, .connectorPunctuation: true
        default: scalar.properties.isWhitespace
        }
    }
}

extension NetworkKey: CustomStringConvertible {
    /// The tag, and never the key.
    public var description: String { "<network key \(tag)>" }
}
