/// The cost of deriving a key from a passphrase, for its owner and for an attacker: the parameters of Argon2id (RFC
/// 9106), with one lane.
package struct PassphraseCost: Hashable, Sendable {
    package let passes: UInt32
    package let kibibytes: UInt32

    package init(passes: UInt32, kibibytes: UInt32) {
        self.passes = passes
        self.kibibytes = kibibytes
    }

    /// libsodium's OPSLIMIT_MODERATE and MEMLIMIT_MODERATE: 256 MiB of memory, and about a second.
    package static let moderate = PassphraseCost(passes: 3, kibibytes: 256 * 1024)

    /// The parameters that are accepted from a box: up to libsodium's "sensitive", so that a hostile file cannot
    /// exhaust the memory, and at least Argon2id's minimum.
    package static let acceptedPasses: ClosedRange<UInt32> = 1...4
    package static let acceptedKibibytes: ClosedRange<UInt32> = 8...1024 * 1024

    var isAccepted: Bool {
        Self.acceptedPasses.contains(passes) && Self.acceptedKibibytes.contains(kibibytes)
    }
}

/// The first 60 bytes of a box, all of them authenticated:
///
/// | bytes | content |
/// | --- | --- |
/// | 11 | `earshot-box` |
/// | 1 | version, 1 |
/// | 4 | passes of Argon2id, big-endian |
/// | 4 | memory of Argon2id in KiB, big-endian |
/// | 16 | salt |
/// | 24 | nonce |
struct PassphraseBoxHeader {
    static let magic = Array("earshot-box".utf8)
    static let version: UInt8 = 1
    static let saltBytes = 16
    static let nonceBytes = 24
    private static let costOffset = 12
    private static let saltOffset = 20
    private static let nonceOffset = saltOffset + saltBytes
    static let count = nonceOffset + nonceBytes

    let cost: PassphraseCost
    let bytes: [UInt8]

    var salt: [UInt8] { Array(bytes[Self.saltOffset..<Self.nonceOffset]) }
    var nonce: [UInt8] { Array(bytes[Self.nonceOffset...]) }

    /// A header with a salt and a nonce of its own.
    init(cost: PassphraseCost) {
        self.cost = cost
        let random = SecretBytes.random(count: Self.saltBytes + Self.nonceBytes).withUnsafeBytes { Array($0) }
        bytes = Self.magic + [Self.version] + Self.encode(cost.passes) + Self.encode(cost.kibibytes) + random
    }

    /// - Throws: `.malformedBox`.
    init(reading box: [UInt8]) throws(CryptoError) {
        guard box.count >= Self.count, box.starts(with: Self.magic) else {
            throw CryptoError(.malformedBox, "these bytes are not a passphrase box")
        }
        guard box[Self.magic.count] == Self.version else {
            throw CryptoError(.malformedBox, "version \(box[Self.magic.count]) of passphrase boxes is not known")
        }
        bytes = Array(box.prefix(Self.count))
        cost = PassphraseCost(
            passes: Self.decode(bytes[Self.costOffset..<Self.costOffset + 4]),
            kibibytes: Self.decode(bytes[Self.costOffset + 4..<Self.saltOffset]))
        guard cost.isAccepted else {
            throw CryptoError(.malformedBox, "the box asks for \(cost.passes) passes over \(cost.kibibytes) KiB")
        }
    }

    private static func encode(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
