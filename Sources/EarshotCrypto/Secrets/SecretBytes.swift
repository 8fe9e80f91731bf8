import CSodium

/// Bytes that must not leak: keys, seeds, passphrases.
///
/// They are kept in memory of their own between guard pages (libsodium's `sodium_malloc`): locked against swapping and
/// left out of core dumps if the system allows it, read-only once filled, and wiped on release. Each instance costs a
/// few pages and system calls, so use it for keys and not for messages. Those that live no longer than a link share such
/// memory, and can be written to (`SecretSlots`).
///
/// Secrets of equal length are compared in constant time. No text form shows the bytes.
package final class SecretBytes: Sendable {
    /// Whether new secrets get guarded memory. A simulation of many nodes, whose keys are not secret, would spend most
    /// of its time in the system calls for it, so it turns this off.
    @TaskLocal package static var isGuarded = true

    /// Where a secret lies.
    private enum Place {
        case guarded
        case slot
        case plain
    }

    package let count: Int
    private let place: Place

    // The memory is written only in `init`, before anyone else has the reference, and is read-only until `deinit`, when
    // nobody has it any more. So threads may share the pointer.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - count: how many bytes.
    ///   - isOfLink: whether it lives no longer than a link.
    ///   - fill: writes them; it must not keep the pointer.
    /// - Throws: what `fill` throws; the memory is wiped then.
    package init(
        count: Int, isOfLink: Bool = false, fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows {
        Sodium.start()
        precondition(count >= 0, "a secret cannot have fewer than no bytes")
        let place: Place = !Self.isGuarded ? .plain : isOfLink && count <= SecretSlots.slotBytes ? .slot : .guarded
        let memory = Self.allocate(count, place)
        do {
            try fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
        } catch {
            Self.free(memory, count, place)
            throw error
        }
        // Where the system cannot protect pages, the secret is no worse off than in plain memory.
        if place == .guarded { _ = sodium_mprotect_readonly(memory) }
        self.memory = memory
        self.count = count
        self.place = place
    }

    deinit {
        Self.free(memory, count, place)
    }

    private static func allocate(_ count: Int, _ place: Place) -> UnsafeMutableRawPointer {
        switch place {
        case .plain: return .allocate(byteCount: count, alignment: 16)
        case .slot: return SecretSlots.take()
        case .guarded:
            guard let memory = sodium_malloc(count) else {
                preconditionFailure("the system has no memory for a secret of \(count) bytes")
            }
            return memory
        }
    }

    private static func free(_ memory: UnsafeMutableRawPointer, _ count: Int, _ place: Place) {
        switch place {
        case .guarded: sodium_free(memory)
        case .slot: SecretSlots.put(memory)
        case .plain:
            sodium_memzero(memory, count)
            memory.deallocate()
        }
    }

    /// Takes a copy. Wiping the original is up to its owner.
    package convenience init(copying bytes: some Collection<UInt8>, isOfLink: Bool = false) {
        self.init(count: bytes.count, isOfLink: isOfLink) { $0.copyBytes(from: bytes) }
    }

    /// Bytes from the system's cryptographic random number generator.
    package static func random(count: Int, isOfLink: Bool = false) -> SecretBytes {
        SecretBytes(count: count, isOfLink: isOfLink, writtenBy: { randombytes_buf($0, count) })
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
