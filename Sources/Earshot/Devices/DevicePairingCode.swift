import EarshotCrypto
package import EarshotProtocol

/// The one-time code with which a new device becomes one of a user's. A primary device shows it, and the user types it
/// on the new one (`Home.join`).
public struct DevicePairingCode: Sendable, Equatable {
    package let code: PairingCode

    init(_ code: PairingCode) { self.code = code }

    /// Reads the text of a code as people copy it, like `NetworkKey.init(typed:)`.
    /// - Throws: `EarshotError` `invalidPairingCode`, which says what is wrong and never repeats the text.
    public init(typed text: String) throws(EarshotError) {
        self.init(PairingCode(secret: try SecretText.pairingCode.secret(typed: text)))
    }

    /// Reads the text of a code from a file descriptor.
    /// - Parameters:
    ///   - descriptor: an open file descriptor; it stays open.
    ///   - isLine: whether to stop at the end of the first line, as on a terminal.
    /// - Throws: `EarshotError` `invalidPairingCode`.
    public init(readingFrom descriptor: Int32, isLine: Bool = false) throws(EarshotError) {
        self.init(PairingCode(secret: try SecretText.pairingCode.secret(readingFrom: descriptor, isLine: isLine)))
    }

    /// The text to type on the new device.
    public var text: String { SecretText.pairingCode.text(of: code.secret) }
}

extension SecretText {
    static let pairingCode = SecretText(
        prefix: "earshot-pairing-1-", secretBytes: PairingCode.byteCount, checksumBytes: 4,
        checksumLabel: "earshot pairing code text v2", groupCharacters: 4, name: "pairing code",
        code: .invalidPairingCode)
}
