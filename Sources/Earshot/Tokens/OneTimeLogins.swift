import EarshotCrypto
import EarshotModel

/// Secrets that let somebody in once, soon after they were made. They are in the memory alone.
package struct OneTimeLogins: Sendable {
    /// What lets somebody in.
    package struct Login: Hashable, Sendable {
        /// Names it, and is no secret.
        package let id: String
        /// Never sent: a tab proves that it has it.
        package let secret: String

        package init(id: String, secret: String) {
            self.id = id
            self.secret = secret
        }

        /// As it stands in the address of the page.
        package var text: String { "\(id).\(secret)" }
    }

    /// How long one is good.
    package static let lifetime = Duration.seconds(60)
    /// How many are good at once. Another one ends the oldest.
    package static let limit = 8
    /// In bytes, drawn at random.
    private static let idBytes = 10
    private static let secretBytes = 32

    private var logins: [(login: Login, end: ContinuousClock.Instant)] = []

    package init() {}

    /// - Returns: a new login.
    package mutating func issue(at now: ContinuousClock.Instant) -> Login {
        let login = Login(id: Self.randomText(Self.idBytes), secret: Self.randomText(Self.secretBytes))
        logins.removeAll { $0.end <= now }
        if logins.count == Self.limit { logins.removeFirst() }
        logins.append((login, now + Self.lifetime))
        return login
    }

    /// - Parameter isProved: whether somebody has proved that they have it. A proof that is wrong costs nobody the login.
    /// - Returns: the login, if it was good. It is not any more.
    package mutating func redeem(
        _ id: String, at now: ContinuousClock.Instant, isProved: (Login) -> Bool
    ) -> Login? {
        logins.removeAll { $0.end <= now }
        guard let place = logins.firstIndex(where: { $0.login.id == id }), isProved(logins[place].login) else {
            return nil
        }
        return logins.remove(at: place).login
    }

    package mutating func removeAll() { logins = [] }

    private static func randomText(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base32.encode((0..<count).map { _ in .random(in: .min ... .max, using: &generator) })
    }
}
