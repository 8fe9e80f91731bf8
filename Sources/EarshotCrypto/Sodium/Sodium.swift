import CSodium

/// The start of libsodium.
///
/// Every way into this module passes one of four doors, and each of them calls `start()`: `SecretBytes`, without which
/// there is no key, `Blake2b`, `Ed25519`, and `NumericFingerprint`. So nobody outside has to think of it.
enum Sodium {
    // A lazy constant: the runtime runs it once, whatever the number of threads.
    private static let isStarted = sodium_init() >= 0

    /// Chooses the fastest code for this processor and opens the source of randomness, once in a process.
    static func start() {
        precondition(isStarted, "libsodium finds no source of randomness on this system")
    }
}
