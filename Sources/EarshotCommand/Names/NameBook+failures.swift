import Earshot
import EarshotGateway

/// Explains what keeps this node's user and another apart, and what to do about it.
extension NameBook {
    /// How many users of one name are listed.
    private static let listed = 8

    /// - Throws: `Failure` `blocked` or `identityConflict` if nothing may be sent to the user.
    func checkMayWrite(to user: GatewayUser) throws(Failure) {
        if user.isBlocked { throw blocked(user) }
        if let conflict = conflict(of: user) { throw conflict }
    }

    /// - Returns: `nil` for what does not name this node's own user, or names somebody else, too.
    func oneself(_ text: String) -> Failure? {
        let isOwn = text == Earshot.Users.ownWord || text == own.id
        guard isOwn || text == own.name && users(called: text).isEmpty else { return nil }
        return Failure(
            .unknownUser, "\(looks(of: text)) is you, and this is about another user",
            remedy: "earshot status shows who you are; notes to yourself: earshot send \(Earshot.Users.ownWord) TEXT")
    }

    func blocked(_ user: GatewayUser) -> Failure {
        Failure(
            .blocked, "\(shown(user)) is blocked: nothing is sent to them and nothing is taken from them",
            remedy: "earshot unblock \(typed(user))")
    }

    /// - Returns: `nil` for a user whose name belongs to nobody else.
    func conflict(of user: GatewayUser) -> Failure? {
        guard let pinnedID = user.conflictsWith else { return nil }
        let name = looks(of: user.name)
        return Failure(
            .identityConflict,
            "the name \(name) is pinned to the key \(Self.fingerprint(pinnedID)), and \(user.fingerprint) claims it: "
                + "nothing is sent to the claimant",
            remedy: "ask \(name) in person which key is theirs, and see: earshot trust \(typedName(of: user))")
    }

    /// What a person who writes to a user should know: that others claim the name, too.
    func claim(on user: GatewayUser) -> String? {
        let claimants = users(called: user.name).filter { $0.conflictsWith == user.id && !$0.isBlocked }
        guard let first = claimants.first else { return nil }
        let keys =
            claimants.count == 1 ? "another key (\(first.fingerprint)) claims" : "\(claimants.count) other keys claim"
        return
            "\(keys) the name \(shown(user)); this goes to \(user.fingerprint). To decide: earshot trust \(typed(user))"
    }

    /// What to type for a user who shares their name.
    func typedName(of user: GatewayUser) -> String {
        users(called: user.name).first(where: \.isPinned).map(typed) ?? typed(user)
    }

    /// Several users have the name, and it is unclear which one is meant.
    func ambiguity(of name: String, among users: [GatewayUser]) -> Failure {
        let keys = users.prefix(Self.listed).map {
            "\($0.fingerprint)\($0.isOnline ? " (online)" : "")\($0.isPinned ? " (pinned)" : "")"
        }
        let choices = users.prefix(Self.listed).map { ShellWord.quote(explicit($0)) }.joined(separator: " or ")
        let more = users.count > Self.listed ? ", and \(users.count - Self.listed) more" : ""
        return Failure(
            .ambiguousUser,
            "\(users.count) users are called \(looks(of: name)): \(keys.joined(separator: ", "))\(more)",
            remedy: "ask \(looks(of: name)) for the fingerprint, and say which: \(choices)")
    }
}

extension NameBook {
    /// The user whom somebody could mistake this one for, if this one was met later and is not verified.
    func likeness(of user: GatewayUser) -> String? {
        guard !user.isVerified else { return nil }
        if isLikeOwn(user) { return "has a name like your own, and is somebody else" }
        let known = lookAlikes(of: user).filter { !$0.isBlocked && !$0.isInConflict }
        guard let other = known.min(by: { $0.isBefore($1) }), other.isBefore(user) else { return nil }
        return "looks like \(shown(other)), and is somebody else"
    }
}

extension GatewayUser {
    /// Whether this one, of two users who look alike, is the one whom people know.
    fileprivate func isBefore(_ other: GatewayUser) -> Bool {
        (isVerified ? 0 : 1, isPinned ? 0 : 1, firstSeenMilliseconds, id)
            < (other.isVerified ? 0 : 1, other.isPinned ? 0 : 1, other.firstSeenMilliseconds, other.id)
    }
}
