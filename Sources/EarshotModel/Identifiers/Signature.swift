/// A detached Ed25519 signature (RFC 8032): 64 bytes.
package struct Signature: Hashable, Sendable {
    package static let count = 64
    private let r: Bytes32
    private let s: Bytes32

    /// - Returns: `nil` unless there are exactly 64 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Signature.count, let r = Bytes32(bytes.prefix(32)), let s = Bytes32(bytes.dropFirst(32))
        else { return nil }
        self.r = r
        self.s = s
    }

    package var bytes: [UInt8] { r.bytes + s.bytes }
}
