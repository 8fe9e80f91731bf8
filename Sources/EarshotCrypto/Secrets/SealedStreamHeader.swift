/// The first 63 bytes of a sealed stream, all of them authenticated with every chunk:
///
/// | bytes | content |
/// | --- | --- |
/// | 14 | `earshot-backup` |
/// | 1 | version, 1 |
/// | 4 | passes of Argon2id, big-endian |
/// | 4 | memory of Argon2id in KiB, big-endian |
/// | 16 | salt |
/// | 24 | header of libsodium's secretstream |
struct SealedStreamHeader {
    static let magic = Array("earshot-backup".utf8)
    static let version: UInt8 = 1
    static let saltBytes = 16
    static let streamBytes = 24
    private static let costOffset = magic.count + 1
    private static let saltOffset = costOffset + 8
    private static let streamOffset = saltOffset + saltBytes
    static let count = streamOffset + streamBytes

    let cost: PassphraseCost
    let bytes: [UInt8]

    var salt: [UInt8] { Array(bytes[Self.saltOffset..<Self.streamOffset]) }
    var stream: [UInt8] { Array(bytes[Self.streamOffset...]) }

    init(cost: PassphraseCost, salt: [UInt8], stream: [UInt8]) {
        self.cost = cost
        bytes = Self.magic + [Self.version] + Self.encode(cost.passes) + Self.encode(cost.kibibytes) + salt + stream
    }

    /// - Throws: `.malformedBox` for what is no such stream, `.newerVersion`.
    init(reading bytes: [UInt8]) throws(CryptoError) {
        guard bytes.starts(with: Self.magic), bytes.count > Self.magic.count else {
            throw CryptoError(.malformedBox, "these bytes do not begin as a sealed stream does")
        }
        let version = bytes[Self.magic.count]
        guard version <= Self.version else {
            throw CryptoError(.newerVersion, "version \(version) of sealed streams is not known")
        }
        guard version == Self.version, bytes.count == Self.count else {
            throw CryptoError(.malformedBox, "the header of the sealed stream is not whole")
        }
        self.bytes = bytes
        cost = PassphraseCost(
            passes: Self.decode(bytes[Self.costOffset..<Self.costOffset + 4]),
            kibibytes: Self.decode(bytes[Self.costOffset + 4..<Self.saltOffset]))
        guard cost.isAccepted else {
            throw CryptoError(.malformedBox, "the stream asks for \(cost.passes) passes over \(cost.kibibytes) KiB")
        }
    }

    private static func encode(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
