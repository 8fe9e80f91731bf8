import Earshot
import EarshotCrypto

extension Passphrase {
    /// One that seals with as little as Argon2id can do, for tests that are about something else.
    static func cheap(_ text: String) -> Passphrase {
        Passphrase(copying: Array(text.utf8), cost: PassphraseCost(passes: 1, kibibytes: 8))
    }
}
