@_exported public import struct EarshotCrypto.SafetyNumber

/// The users that a node knows: everybody it ever had a link to, itself left out.
public struct Users: Sendable {
    let node: Node

    /// By name.
    public var all: [User] {
        get async { await node.shell.users }
    }

    /// What is shorter is no beginning of a key.
    public static let shortestPrefix = 4
    /// In bytes; what is longer names nobody. A name may be typed in a form that takes three times the bytes of form C, and
    /// a key behind it.
    private static let longestText = 4 * Limits.nameBytes

    public func user(_ userID: UserID) async -> User? { await node.shell.user(userID) }

    /// Finds the one user that a text names: a name, a name and the beginning of a fingerprint (`bob@3fk9qbmj`), or a
    /// key.
    ///
    /// Of the beginning of a key there are at least `shortestPrefix` characters.
    /// A name alone is the user to whom it is pinned, whoever else claims it. Where it is pinned to nobody, it names
    /// somebody only if they are alone in having it.
    /// - Throws: `EarshotError` `unknownUser`, with names that are near, or `ambiguousUser`, with the fingerprints.
    public func named(_ text: String) async throws(EarshotError) -> User {
        // Comparing takes as long as the text is, for each user.
        guard text.utf8.count <= Self.longestText else { throw unknown(text, among: []) }
        let all = await self.all
        if let userID = UserID(text), let user = all.first(where: { $0.userID == userID }) { return user }
        let matches = Self.matches(text, among: all)
        guard let match = matches.first else { throw unknown(text, among: all) }
        guard matches.count == 1 else {
            let keys = matches.map { "\($0.userID.fingerprint)\($0.isOnline ? ", online" : "")" }
            throw EarshotError(
                .ambiguousUser,
                "there are \(matches.count) users called \(text): "
                    + keys.joined(separator: "; "),
                .init(
                    name: text, candidates: matches.map(\.userID),
                    suggestions: matches.map { Self.choice($0, among: matches) }))
        }
        return match
    }

    /// The users whose name the text is, and those whose name and beginning of the key it is: a user who takes such a
    /// text for a name gets no message that was meant for another.
    private static func matches(_ text: String, among users: [User]) -> [User] {
        let namesakes = users.filter { $0.name.text == text }
        var matches = namesakes.filter(\.isPinned)
        if matches.isEmpty { matches = namesakes }
        if let sign = text.lastIndex(of: "@") {
            let (name, prefix) = (text[..<sign], text[text.index(after: sign)...].lowercased())
            guard prefix.utf8.count >= shortestPrefix else { return matches }
            matches += users.filter { $0.name.text == name && $0.userID.description.hasPrefix(prefix) }
        }
        return matches
    }

    /// What names one of several users alone: the beginning of the key where they share a name, else the key.
    private static func choice(_ user: User, among users: [User]) -> String {
        let key = user.userID.description
        return Set(users.map(\.name)).count == 1 ? "\(user.name)@\(key.prefix(8))" : key
    }

    /// Decides about a user: whether the name is theirs, whether their key was compared, whether to have to do with
    /// them. Returns when the decision is on the disk.
    /// - Returns: the user as they are now.
    /// - Parameters:
    ///   - decision: what is decided.
    ///   - userID: about whom.
    ///   - name: what the user was called when that was decided. Users may take another name at any time, and nobody
    ///     decides about one that they did not see.
    /// - Throws: `EarshotError` `unknownUser`; `blocked` for a user who must be unblocked first; `identityConflict`
    ///   where a user is to be verified whose name belongs to another; `nameChanged` for a user who has another name
    ///   than the given one by now; `storeUnavailable`, `stopped`.
    @discardableResult
    public func decide(
        _ decision: TrustDecision, about userID: UserID, named name: UserName? = nil
    ) async throws(EarshotError) -> User {
        do { try await node.shell.decide(decision, about: userID, named: name) } catch { throw error.about(userID) }
        guard let user = await user(userID) else {
            throw EarshotError(.unknownUser, "nobody with the key \(userID.fingerprint) is known")
        }
        return user
    }

    /// Decides who may have a link to this node, until the node ends: everybody at first. Whoever may not is refused in
    /// the handshake, with a reason, and nothing can be sent to them; a link that they have ends at once.
    ///
    /// It is not kept: a node that is started again admits everybody, unless its program says otherwise.
    public func admit(_ admission: Admission) async { await node.shell.admit(admission) }

    /// The number that two people compare to be sure that nobody is in between. It takes some milliseconds to work out.
    public func safetyNumber(with userID: UserID) -> SafetyNumber { SafetyNumber(node.userID, userID) }

    private func unknown(_ text: String, among users: [User]) -> EarshotError {
        if text == node.name.text {
            return EarshotError(
                .unknownUser, "\(text) is this node's own name", .init(.ownName, name: text))
        }
        let name = text.split(separator: "@").first.map(String.init) ?? text
        let near = Self.near(name, among: Set(users.map(\.name)))
        return EarshotError(
            .unknownUser, "nobody called \"\(Excerpt.of(text))\" is known",
            .init(name: Excerpt.of(text), suggestions: near))
    }

    /// Names of others that are offered in place of one that is unknown.
    private static let suggestions = 3

    /// The names that were probably meant, the nearest first: two letters may be wrong, and one in a short name.
    private static func near(_ text: String, among names: Set<UserName>) -> [String] {
        let text = text.lowercased()
        let length = text.count
        let limit = length < 3 ? 1 : 2
        return names.map { ($0, $0.text.lowercased()) }
            .filter { abs($0.1.count - length) <= limit }
            .map { ($0.0, EditDistance.between($0.1, text)) }
            .filter { $0.1 <= limit }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
            .prefix(suggestions)
            .map { $0.0.displayed(among: names) }
    }
}
