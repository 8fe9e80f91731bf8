import EarshotCrypto
import EarshotProtocol

/// The secret that the nodes of a network share. Nobody without it can link to them.
///
/// People give it to each other as a text, which `init(typed:)` reads. It never expires, and cannot be taken back: to
/// keep somebody out, give everybody else a new key.
public struct NetworkKey: Sendable, Equatable {
    static let byteCount = 32

    let secret: SecretBytes

    /// A new key from the system's random number generator.
    public static func generate() -> NetworkKey { NetworkKey(secret: .random(count: byteCount)) }

    init(secret: SecretBytes) { self.secret = secret }

    /// Reads the text of a key as people copy it. It ignores case, blanks, line breaks and dashes, reads o as 0 and i
    /// and l as 1, and accepts the text with or without the prefix (`docs/PROTOCOL.md`, section 3.7).
    /// - Throws: `EarshotError` `invalidNetworkKey`, which says what is wrong and never repeats the text.
    public init(typed text: String) throws(EarshotError) {
        self.init(secret: try SecretText.networkKey.secret(typed: text))
    }

    /// Distinguishes networks without revealing the key. Nodes advertise it.
    public var tag: String { LinkConfiguration.networkTag(of: secret) }

    /// The text to give to others. Everybody who has it is in.
    public var text: String { SecretText.networkKey.text(of: secret) }
}

extension NetworkKey: CustomStringConvertible {
    /// The tag, and never the key.
    public var description: String { "<network key \(tag)>" }
}
