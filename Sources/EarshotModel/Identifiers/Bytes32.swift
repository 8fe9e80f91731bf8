/// Thirty-two bytes held in line: the storage of every key, hash and identifier.
///
/// Compares as the byte string does (lexicographically), so two nodes that compare
/// identifiers agree whatever their byte order.
package struct Bytes32: Hashable, Sendable, Comparable {
    package static let count = 32

    // Big-endian words, so that comparing words compares bytes.
    @usableFromInline let word0: UInt64
    @usableFromInline let word1: UInt64
    @usableFromInline let word2: UInt64
    @usableFromInline let word3: UInt64

    /// All zero.
    package init() {
        word0 = 0
        word1 = 0
        word2 = 0
        word3 = 0
    }

    /// - Returns: `nil` unless there are exactly 32 bytes.
    @inlinable
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Bytes32.count else { return nil }
        if let value = bytes.withContiguousStorageIfAvailable({ Bytes32(exactly: UnsafeRawBufferPointer($0)) }) {
            self = value
        } else {
            self = Array(bytes).withUnsafeBytes { Bytes32(exactly: $0) }
        }
    }

    /// Reads exactly 32 bytes. That is a precondition, because all callers are internal and know the length.
    @inlinable
    package init(exactly bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == Bytes32.count, "an identifier is 32 bytes")
        word0 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        word1 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        word2 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        word3 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    }

    @inlinable
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let words = (word0.bigEndian, word1.bigEndian, word2.bigEndian, word3.bigEndian)
        return try Swift.withUnsafeBytes(of: words, body)
    }

    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    package static func < (a: Bytes32, b: Bytes32) -> Bool {
        if a.word0 != b.word0 { return a.word0 < b.word0 }
        if a.word1 != b.word1 { return a.word1 < b.word1 }
        if a.word2 != b.word2 { return a.word2 < b.word2 }
        return a.word3 < b.word3
    }
}
