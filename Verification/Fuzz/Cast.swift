import EarshotCrypto
import EarshotModel
import EarshotProtocol
import EarshotSimulation

/// The users who take part, with the same keys every time, so that an input always does the same.
enum Cast {
    /// The node under test.
    static let alice = device("alice", seed: 1)
    /// The attacker.
    static let mallory = device("mallory", seed: 2)
    /// Somebody else whose entries the attacker passes on.
    static let carol = device("carol", seed: 6)
    static let identityKey = key(seed: 3)
    /// A device of Alice's that somebody has stolen: it does not hold her identity key.
    static let stolen = device("alice", seed: 7, identityKey: aliceIdentityKey)
    /// A device that holds an identity key of the attacker's.
    static let thief = device("mallory", seed: 8, identityKey: identityKey, isPrimary: true)
    private static let aliceIdentityKey: SigningKey = {
        var generator = SeededGenerator(seed: 1)
        // Her device's own keys are drawn first.
        _ = (generator.signingKey(), generator.agreementKey())
        return generator.signingKey()
    }()
    static let ephemeralKeys = [agreementKey(seed: 4), agreementKey(seed: 5)]
    static let now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)

    private static func device(
        _ name: String, seed: UInt64, identityKey: SigningKey? = nil, isPrimary: Bool = false
    ) -> LocalDevice {
        var generator = SeededGenerator(seed: seed)
        return .generated(name: name, identityKey: identityKey, isPrimary: isPrimary, using: &generator)
    }

    private static func key(seed: UInt64) -> SigningKey {
        var generator = SeededGenerator(seed: seed)
        return generator.signingKey()
    }

    private static func agreementKey(seed: UInt64) -> AgreementKey {
        var generator = SeededGenerator(seed: seed)
        return generator.agreementKey()
    }
}
