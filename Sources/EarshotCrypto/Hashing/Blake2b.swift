import CSodium
package import EarshotModel

/// BLAKE2b without a key (RFC 7693), with a digest of 32 bytes: the hash of entries, chains and identifiers; or with one of 64
/// bytes, of which the first 32 count: that of the parts of a file (docs/PROTOCOL.md, section 3.4).
///
/// Input is added piece by piece, without allocating. A copy keeps what was added so far, so a common beginning is
/// hashed only once.
package struct Blake2b: Sendable {
    // 384 bytes, in line.
    private var state = csodium_blake2b_state()
    private let digestBytes: Int

    /// - Parameter label: what the hash is for. Its length, one byte, and its UTF-8 go before everything else, so no two
    ///   purposes can give the same hash. At most 255 bytes.
    package init(label: StaticString, digestBytes: Int = Bytes32.count) {
        self.init(digestBytes: digestBytes)
        precondition(label.utf8CodeUnitCount <= UInt8.max, "a label's length fits one byte")
        let length = UInt8(label.utf8CodeUnitCount)
        withUnsafeBytes(of: length) { update($0) }
        label.withUTF8Buffer { update(UnsafeRawBufferPointer($0)) }
    }

    /// The hash of RFC 7693 as it stands, without a label: for comparison with others.
    package init(digestBytes: Int = Bytes32.count) {
        Sodium.start()
        self.digestBytes = digestBytes
        _ = csodium_blake2b_init(&state, digestBytes)
    }

    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    package mutating func update(_ bytes: Bytes32) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Feeds eight bytes, the most significant first.
    package mutating func update(_ value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { update($0) }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        _ = csodium_blake2b_update(&state, bytes.octets, bytes.count)
    }

    /// The digest of all that was fed, or its first half.
    package consuming func finalize() -> Bytes32 {
        withUnsafeTemporaryAllocation(byteCount: Self.longestDigestBytes, alignment: 8) { digest in
            _ = csodium_blake2b_final(&state, digest.octets, digestBytes)
            return Bytes32(exactly: UnsafeRawBufferPointer(rebasing: digest[..<Bytes32.count]))
        }
    }

    private static let longestDigestBytes = 64
}
