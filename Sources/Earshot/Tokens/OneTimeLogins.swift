import EarshotCrypto
import EarshotModel

/// Texts that let somebody in once, soon after they were made.
///
/// Only their hashes are kept, and looked up by these, so how long an answer takes tells nothing about a text.
package struct OneTimeLogins: Sendable {
    /// How long one is good.
    package static let lifetime = Duration.seconds(60)
    /// How many are good at once. Another one ends the oldest.
    package static let limit = 8
    /// In bytes, drawn at random.
    private static let textBytes = 32

    private var logins: [(hash: Bytes32, end: ContinuousClock.Instant)] = []

    package init() {}

    /// - Returns: a new text.
    package mutating func issue(at now: ContinuousClock.Instant) -> String {
        var generator = SystemRandomNumberGenerator()
        let text = Base32.encode((0..<Self.textBytes).map { _ in .random(in: .min ... .max, using: &generator) })
        logins.removeAll { $0.end <= now }
        if logins.count == Self.limit { logins.removeFirst() }
        logins.append((Self.hash(text), now + Self.lifetime))
        return text
    }

    /// - Returns: whether the text was good. It is not any more.
    package mutating func redeem(_ text: String, at now: ContinuousClock.Instant) -> Bool {
        logins.removeAll { $0.end <= now }
        let hash = Self.hash(text)
        guard let place = logins.firstIndex(where: { $0.hash == hash }) else { return false }
        logins.remove(at: place)
        return true
    }

    package mutating func removeAll() { logins = [] }

    private static func hash(_ text: String) -> Bytes32 {
        var hash = Blake2b(label: "earshot login 1")
        hash.update(Array(text.utf8))
        return hash.finalize()
    }
}
