import CSodium
import Synchronization

/// Memory for secrets that live as long as a link or a step of its handshake: many of them lie in one block between guard pages,
/// which is locked and left out of core dumps like that of a single secret.
///
/// A handshake makes about twenty, and a link keeps four. With pages and system calls for each, they took a quarter of a
/// node's processor time while it met many others.
enum SecretSlots {
    /// What fits into a slot: a key, or an HMAC.
    static let slotBytes = 64
    /// With these a block and libsodium's canary before it fill a page.
    private static let slotsPerBlock = 62

    /// Slots that nobody has. A block stays for as long as the process: there are as many as were ever needed at once.
    ///
    /// The pointers in it are handed out to one secret at a time, under the lock.
    private struct Free: @unchecked Sendable {
        var slots: [UnsafeMutableRawPointer] = []
    }

    private static let free = Mutex(Free())

    static func take() -> UnsafeMutableRawPointer {
        free.withLock { free in
            if free.slots.isEmpty { free.slots = newBlock() }
            return free.slots.removeLast()
        }
    }

    /// Wipes a slot, and takes it back.
    static func put(_ slot: UnsafeMutableRawPointer) {
        sodium_memzero(slot, slotBytes)
        free.withLock { $0.slots.append(slot) }
    }

    private static func newBlock() -> [UnsafeMutableRawPointer] {
        guard let block = sodium_allocarray(slotsPerBlock, slotBytes) else {
            preconditionFailure("the system has no memory for secrets")
        }
        return (0..<slotsPerBlock).map { block + $0 * slotBytes }
    }
}
