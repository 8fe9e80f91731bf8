import Earshot
import EarshotGateway

/// As much of a key as somebody typed to say whom a decision is about.
struct KeyPrefix {
    private let user: GatewayUser
    /// `nil` where somebody gave the name alone or the whole key.
    private let length: Int?

    /// What somebody may answer a question about who sees the whole fingerprint: as much as remedies show.
    private static let asked = 8
    /// Where nobody is asked: the whole fingerprint.
    private static let unasked = 20

    /// - Parameter argument: what was typed for the user, and found them.
    init(_ argument: String, of user: GatewayUser) {
        self.user = user
        let isWhole = argument == user.name || UserID(argument) != nil
        length = isWhole ? nil : argument.lastIndex(of: "@").map { argument[$0...].dropFirst().count }
    }

    /// Keys are made until one begins as is liked: a few characters are no proof of whose it is.
    /// - Parameter isAsking: whether somebody sees the whole fingerprint, and says yes to it.
    /// - Throws: `Failure` `prefixTooShort`, with what to type.
    func checkDecides(isAsking: Bool, _ names: NameBook, remedy command: (_ key: String) -> String) throws(Failure) {
        let needed = isAsking ? Self.asked : Self.unasked
        guard let length, length < needed else { return }
        throw Failure(
            .prefixTooShort,
            "\(length) characters of the key are too few to decide by: \(needed) are needed"
                + (isAsking ? "" : " where nobody is asked"),
            remedy:
                "compare the fingerprint (\(user.fingerprint)) with \(names.looks(of: user.name)); if it is theirs: "
                + command(user.id))
    }
}
