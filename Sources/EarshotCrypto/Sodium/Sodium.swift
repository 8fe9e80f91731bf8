import CSodium

/// Initializes libsodium.
///
/// There are four ways into this module, and each calls `start()`: `SecretBytes`, without which there is no key,
/// `Blake2b`, `Ed25519`, and `NumericFingerprint`. Callers outside need not think of it.
enum Sodium {
    // A lazy constant: the runtime runs it once, whatever the number of threads.
    private static let isStarted = sodium_init() >= 0

    /// Chooses the fastest code for this processor and opens the source of randomness, once in a process.
    static func start() {
        precondition(isStarted, "libsodium finds no source of randomness on this system")
    }
}
