import CSodium

/// Bytes that must not leak: keys, seeds, passphrases.
///
/// They are kept in memory of their own between guard pages (libsodium's `sodium_malloc`): locked against swapping and
/// left out of core dumps if the system allows it, read-only once filled, and wiped on release. Each instance costs a
/// few pages and system calls, so use it for keys and not for messages.
///
/// Secrets of equal length are compared in constant time. No text form shows the bytes.
package final class SecretBytes: Sendable {
    /// Whether new secrets get guarded memory. A simulation of many nodes, whose keys are not secret, would spend most
    /// of its time in the system calls for it, so it turns this off.
    @TaskLocal package static var isGuarded = true

    package let count: Int
    private let isGuarded: Bool

    // The memory is written only in `init`, before anyone else has the reference, and is read-only until `deinit`, when
    // nobody has it any more. So threads may share the pointer.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - count: how many bytes.
    ///   - fill: writes them; it must not keep the pointer.
    /// - Throws: what `fill` throws; the memory is wiped then.
    package init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        Sodium.start()
        precondition(count >= 0, "a secret cannot have fewer than no bytes")
        let isGuarded = Self.isGuarded
        let memory = Self.allocate(count, isGuarded: isGuarded)
        do {
            try fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
        } catch {
            Self.free(memory, count, isGuarded: isGuarded)
            throw error
        }
        // Where the system cannot protect pages, the secret is no worse off than in plain memory.
        if isGuarded { _ = sodium_mprotect_readonly(memory) }
        self.memory = memory
        self.count = count
        self.isGuarded = isGuarded
    }

    deinit {
        Self.free(memory, count, isGuarded: isGuarded)
    }

    private static func allocate(_ count: Int, isGuarded: Bool) -> UnsafeMutableRawPointer {
        guard isGuarded else { return .allocate(byteCount: count, alignment: 16) }
        guard let memory = sodium_malloc(count) else {
            preconditionFailure("the system has no memory for a secret of \(count) bytes")
        }
        return memory
    }

    private static func free(_ memory: UnsafeMutableRawPointer, _ count: Int, isGuarded: Bool) {
        guard !isGuarded else { return sodium_free(memory) }
        sodium_memzero(memory, count)
        memory.deallocate()
    }

    /// Takes a copy. Wiping the original is up to its owner.
    package convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Bytes from the system's cryptographic random number generator.
    package static func random(count: Int) -> SecretBytes {
        SecretBytes(count: count, writtenBy: { randombytes_buf($0, count) })
    }

    /// Lends the bytes. `body` must not keep the pointer.
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: memory, count: count))
    }
}

extension SecretBytes: Equatable {
    /// Takes the same time wherever two secrets of one length differ. The length is not secret.
    package static func == (a: SecretBytes, b: SecretBytes) -> Bool {
        a.count == b.count && sodium_memcmp(a.memory, b.memory, a.count) == 0
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
