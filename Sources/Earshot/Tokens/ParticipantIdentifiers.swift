import EarshotCrypto

/// Identifiers of users that are an application's own: another application has others for the same users, and one that is
/// installed anew has others than before. They stay the same over conversations and restarts, and tell the user's key to
/// nobody who does not have it.
public struct ParticipantIdentifiers: Hashable, Sendable {
    /// The id of the application, such as `org.example.quotes`.
    public let application: String
    /// Drawn when the application was installed. It keeps this, and draws another one when it is installed anew.
    public let salt: [UInt8]

    /// - Parameters:
    ///   - application: the id of the application.
    ///   - salt: what the installation has kept; by default it is a new one, with a salt of 16 random bytes.
    public init(application: String, salt: [UInt8] = Self.randomSalt()) {
        self.application = application
        self.salt = salt
    }

    /// The identifier of a user, also of the node's own: 52 characters.
    /// - Parameter userID: the user.
    public func identifier(of userID: UserID) -> String {
        var hash = Blake2b(label: "earshot participant identifier 1")
        for part in [Array(application.utf8), salt] {
            hash.update(UInt64(part.count))
            hash.update(part)
        }
        hash.update(userID.bytes32)
        return Base32.encode(hash.finalize().bytes)
    }

    /// 16 random bytes, for an installation that begins.
    public static func randomSalt() -> [UInt8] { (0..<16).map { _ in .random(in: .min ... .max) } }
}
