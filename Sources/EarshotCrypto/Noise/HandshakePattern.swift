/// A handshake pattern with its suite (Noise specification, revision 34, sections 7 to 9).
package enum HandshakePattern: Sendable, CaseIterable {
    /// Both sides send their static key within the handshake.
    case xx
    /// The same, and a pre-shared key is mixed in at the end of the third message.
    case xxpsk3

    /// The name that both sides hash first (section 8).
    package var protocolName: String {
        switch self {
        case .xx: "Noise_XX_25519_ChaChaPoly_SHA256"
        case .xxpsk3: "Noise_XXpsk3_25519_ChaChaPoly_SHA256"
        }
    }

    /// Bytes of a pre-shared key (section 9.1).
    package static let presharedKeyBytes = 32

    var usesPresharedKey: Bool { self == .xxpsk3 }

    /// One step of a handshake message (sections 5.3, 7.1 and 9.2).
    enum Token {
        /// The ephemeral public key, in the clear.
        case e
        /// The static public key, encrypted as soon as there is a key.
        case s
        /// The pre-shared key.
        case psk
        case agreement(Agreement)
    }

    /// A Diffie-Hellman token: the initiator's key first, then the responder's.
    enum Agreement {
        case ee
        case es
        case se
    }

    /// The message patterns; the initiator writes the first, then they take turns.
    var messages: [[Token]] {
        switch self {
        case .xx: Self.messagesOfXX
        case .xxpsk3: Self.messagesOfXX.dropLast() + [[.s, .agreement(.se), .psk]]
        }
    }

    private static let messagesOfXX: [[Token]] = [
        [.e],
        [.e, .agreement(.ee), .s, .agreement(.es)],
        [.s, .agreement(.se)],
    ]
}
