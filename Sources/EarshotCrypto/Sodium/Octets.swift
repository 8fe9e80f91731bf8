import EarshotModel

// How the module's types meet libsodium's `unsigned char *`.

extension UnsafeRawBufferPointer {
    /// `nil` for an empty buffer without memory, which libsodium takes together with a length of zero.
    var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    /// `nil` for an empty buffer without memory, which libsodium takes together with a length of zero.
    var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension SecretBytes {
    /// Makes a secret from a C function that writes `count` bytes to its argument.
    convenience init(
        count: Int, isOfLink: Bool = false, writtenBy write: (UnsafeMutablePointer<UInt8>) -> Void
    ) {
        self.init(count: count, isOfLink: isOfLink) { buffer in
            guard let start = buffer.octets else { preconditionFailure("a secret's memory has an address") }
            write(start)
        }
    }

    /// Lends the bytes to a C function that knows their number.
    func withOctets<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
        withUnsafeBytes { buffer in
            guard let start = buffer.octets else { preconditionFailure("a secret's memory has an address") }
            return body(start)
        }
    }
}

extension Bytes32 {
    /// Makes 32 bytes from a C function that writes them to its argument. They pass over the stack only.
    init(writtenBy write: (UnsafeMutablePointer<UInt8>) -> Void) {
        self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Bytes32.count) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { preconditionFailure("a buffer of 32 bytes has an address") }
            write(start)
            return Bytes32(exactly: UnsafeRawBufferPointer(buffer))
        }
    }
}
