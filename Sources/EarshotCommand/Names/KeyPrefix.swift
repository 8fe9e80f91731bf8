import Earshot
import EarshotGateway

/// The part of a key that somebody typed to say whom a decision is about.
struct KeyPrefix {
    private let user: GatewayUser
    /// `nil` if somebody gave only the name, or the whole key.
    private let length: Int?

    /// Characters that are enough when the question shows the whole fingerprint: as many as remedies show.
    private static let asked = 8
    /// Characters that are needed when nobody is asked: the whole fingerprint.
    private static let unasked = 20

    /// - Parameter argument: what was typed for the user, and found them.
    init(_ argument: String, of user: GatewayUser) {
        self.user = user
        let isWhole = argument == user.name || UserID(argument) != nil
        length =
            isWhole ? nil : argument.lastIndex(of: "@").map { argument[$0...].dropFirst().count { $0 != " " } }
    }

    /// Checks that enough of the key was typed. Anybody can make keys until one begins with a few chosen characters, so
    /// a few characters prove nothing.
    /// - Parameter isAsking: whether somebody sees the whole fingerprint and confirms it.
    /// - Throws: `Failure` `prefixTooShort`, with what to type.
    func checkDecides(isAsking: Bool, _ names: NameBook, remedy command: (_ key: String) -> String) throws(Failure) {
        let needed = isAsking ? Self.asked : Self.unasked
        guard let length, length < needed else { return }
        throw Failure(
            .prefixTooShort,
            "\(length) characters of the key are too few for a decision: \(needed) are needed"
                + (isAsking ? "" : " when nobody is asked"),
            remedy:
                "compare the fingerprint (\(user.fingerprint)) with \(names.looks(of: user.name)); if it is theirs: "
                + command(user.id))
    }
}
