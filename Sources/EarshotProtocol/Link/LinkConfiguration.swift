package import EarshotCrypto
import EarshotModel

/// What a node uses in every handshake.
package struct LinkConfiguration: Sendable {
    /// The protocol's version. There is no negotiation: another version is another protocol.
    package static let protocolVersion: UInt32 = 2

    package var agreementKey: AgreementKey
    package var credential: Credential
    /// The network key, if the network has one.
    package var networkKey: SecretBytes?
    /// Drawn at random when the node starts.
    package var run: UInt64

    package init(agreementKey: AgreementKey, credential: Credential, networkKey: SecretBytes?, run: UInt64) {
        self.agreementKey = agreementKey
        self.credential = credential
        self.networkKey = networkKey
        self.run = run
    }

    /// Distinguishes networks without revealing the key; empty for a network without a key.
    package var networkTag: String { Self.networkTag(of: networkKey) }

    package static func networkTag(of networkKey: SecretBytes?) -> String {
        guard let networkKey else { return "" }
        var hash = Blake2b(label: "earshot network v1")
        networkKey.withUnsafeBytes { hash.update($0) }
        return Base32.encode(hash.finalize().bytes.prefix(10))
    }

    var pattern: HandshakePattern { networkKey == nil ? .xx : .xxpsk3 }

    /// Noise, section 5.3. Both ends must agree on it, or the handshake fails.
    var prologue: [UInt8] { Array("earshot v\(Self.protocolVersion) \(networkTag)".utf8) }
}
