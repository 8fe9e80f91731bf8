/// What every 32-byte identifier has in common: its bytes, its order and its text form.
///
/// The text form is Crockford's base32 in lower case, 52 characters: no letter in it is mistaken for another when it is
/// read aloud or copied by hand.
package protocol Identifier: Hashable, Sendable, Comparable, TextReadable {
    var bytes32: Bytes32 { get }
    init(_ bytes32: Bytes32)
}

extension Identifier {
    /// - Returns: `nil` unless there are exactly 32 bytes.
    @inlinable
    package init?(bytes: some Collection<UInt8>) {
        guard let bytes32 = Bytes32(bytes) else { return nil }
        self.init(bytes32)
    }

    /// - Returns: `nil` unless the text is the 52-character form that `description` gives.
    package init?(_ description: String) {
        guard let bytes = Base32.decode(description), let bytes32 = Bytes32(bytes) else { return nil }
        self.init(bytes32)
    }

    package var bytes: [UInt8] { bytes32.bytes }
    public var description: String { Base32.encode(bytes) }
    public static func < (a: Self, b: Self) -> Bool { a.bytes32 < b.bytes32 }
}

/// A user: the public half of the identity key (Ed25519, RFC 8032). The key is the person; a name is only its label.
public struct UserID: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }

    /// What people see and compare: the first 100 bits of the key, in five groups of four characters.
    public var fingerprint: String {
        let text = Array(description.prefix(20))
        return stride(from: 0, to: 20, by: 4).map { String(text[$0..<$0 + 4]) }.joined(separator: " ")
    }
}

/// One installation of a user: the public half of the device's signing key (Ed25519, RFC 8032).
public struct DeviceID: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}

/// A conversation. For a direct one, the hash of the pair of users.
public struct ConversationID: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}

/// A log: the hash of its conversation, its device and its epoch.
package struct LogID: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}

/// A hash of the ends of a conversation's logs.
package struct HeadsHash: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}

/// A hash of how far the messages of a conversation have come.
package struct ProgressHash: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}

/// The hash of one entry's content.
package struct EntryHash: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}

/// The hash of a log up to and including one entry.
package struct ChainHash: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}

/// A public X25519 key (RFC 7748): a device's Noise static key.
package struct AgreementPublicKey: Identifier {
    package let bytes32: Bytes32
    package init(_ bytes32: Bytes32) { self.bytes32 = bytes32 }
}
