import EarshotCrypto
import EarshotProtocol

/// The secret that the nodes of a network share: who does not have it cannot link to them.
///
/// People hand it to each other as a text, which `init(typed:)` reads. It never expires, and cannot be taken back from
/// somebody: whoever is to be out needs a new key for all others.
public struct NetworkKey: Sendable, Equatable {
    static let byteCount = 32
    /// What a text begins with: that it is a network key, and the version of the form.
    static let textPrefix = "earshot-network-1-"
    /// How many bytes of the checksum a text carries.
    static let checksumBytes = 5
    /// Characters between two dashes.
    static let groupCharacters = 5
    /// Base32 of key and checksum.
    static let textCharacters = 60

    let secret: SecretBytes

    /// A new key from the system's random number generator.
    public static func generate() -> NetworkKey { NetworkKey(secret: .random(count: byteCount)) }

    init(secret: SecretBytes) { self.secret = secret }

    /// Reads the text of a key as people copy it: case, blanks, line breaks and dashes do not matter, nor do o for 0 and
    /// i or l for 1, nor whether the prefix is there (`docs/PROTOCOL.md`, section 3.7).
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

    /// Tells networks apart without telling the key: it is advertised.
    public var tag: String { LinkConfiguration.networkTag(of: secret) }

    /// What to hand to others. Whoever has it is in.
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

    /// A text as base32, without what separates groups of it.
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

    /// Blanks, line breaks, dashes of every length, and what mail programs put between words unseen.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .dashPunctuation, .format, .connectorPunctuation: true
        default: scalar.properties.isWhitespace
        }
    }
}

extension NetworkKey: CustomStringConvertible {
    /// Shows the tag and never the key.
    public var description: String { "<network key \(tag)>" }
}
