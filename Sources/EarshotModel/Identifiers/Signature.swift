/// A detached Ed25519 signature (RFC 8032): 64 bytes.
package struct Signature: Hashable, Sendable {
    package static let count = 64
    private let r: Bytes32
    private let s: Bytes32

    /// - Returns: `nil` unless there are exactly 64 bytes.
    @inlinable
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Signature.count else { return nil }
        if let value = bytes.withContiguousStorageIfAvailable({ Signature(exactly: UnsafeRawBufferPointer($0)) }) {
            self = value
        } else {
            self = Array(bytes).withUnsafeBytes { Signature(exactly: $0) }
        }
    }

    /// Reads exactly 64 bytes. That is a precondition, because all callers are internal and know the length.
    package init(exactly bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == Signature.count, "a signature is 64 bytes")
        r = Bytes32(exactly: UnsafeRawBufferPointer(rebasing: bytes[..<Bytes32.count]))
        s = Bytes32(exactly: UnsafeRawBufferPointer(rebasing: bytes[Bytes32.count...]))
    }

    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withUnsafeTemporaryAllocation(byteCount: Signature.count, alignment: 8) { both in
            r.withUnsafeBytes { both.copyMemory(from: $0) }
            s.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: both[Bytes32.count...]).copyMemory(from: $0) }
            return try body(UnsafeRawBufferPointer(both))
        }
    }
}
