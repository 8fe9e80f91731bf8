import CSodium
package import EarshotModel

/// BLAKE2b with a digest of 32 bytes and no key (RFC 7693): the hash of entries, chains and identifiers.
///
/// Input is added piece by piece, without allocating. A copy keeps what was added so far, so a common beginning is
/// hashed only once.
package struct Blake2b: Sendable {
    // 384 bytes, in line.
    private var state = csodium_blake2b_state()

    /// - Parameter label: what the hash is for. Its length, one byte, and its UTF-8 go before everything else, so no two
    ///   purposes can give the same hash. At most 255 bytes.
    package init(label: StaticString) {
        self.init()
        precondition(label.utf8CodeUnitCount <= UInt8.max, "a label's length fits one byte")
        let length = UInt8(label.utf8CodeUnitCount)
        withUnsafeBytes(of: length) { update($0) }
        label.withUTF8Buffer { update(UnsafeRawBufferPointer($0)) }
    }

    /// The hash of RFC 7693 as it stands, without a label: for comparison with others.
    package init() {
        Sodium.start()
        _ = csodium_blake2b_init(&state, Bytes32.count)
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

    /// The digest of all that was fed.
    package consuming func finalize() -> Bytes32 {
        Bytes32 { output in
            _ = csodium_blake2b_final(&state, output, Bytes32.count)
        }
    }
}
