import EarshotProtocol

@_exported public import struct EarshotCrypto.SafetyNumber

/// The users that a node knows: everybody whom it ever had a link to, and its own user.
public struct Users: Sendable {
    let node: Node

    /// All known users but the node's own, ordered by name.
    public var all: [User] {
        get async { await node.shell.users }
    }

    /// A shorter text is not taken for the beginning of a key.
    public static let shortestPrefix = 4
    /// In bytes; a longer text names nobody. A typed name may take three times the bytes of its form C, with a key
    /// after it.
    private static let longestText = 4 * Limits.nameBytes

    /// A user, also this node's own; `nil` for somebody whom the node has never met.
    public func user(_ userID: UserID) async -> User? {
        userID == node.userID ? own : await other(userID)
    }

    /// Another user than this node's own.
    package func other(_ userID: UserID) async -> User? { await node.shell.user(userID) }

    /// This node's own user: verified, and online while the node runs.
    public var own: User {
        let now = node.environment.clock.now.wallClock
        return User(
            UserRecord(
                userID: node.userID, name: node.name, trust: .verified, isPinned: true, firstSeen: now, lastSeen: now),
            conflictingID: nil, isOnline: node.state.port != nil)
    }

    /// The names of those of the users who are known.
    package func names(of userIDs: Set<UserID>) async -> [UserID: UserName] { await node.shell.names(of: userIDs) }

    /// Finds the one user that a text names: a name, a name and the beginning of a fingerprint (`bob@3fk9qbmj`), a
    /// fingerprint as it is shown, or a key.
    ///
    /// The beginning of a key has at least `shortestPrefix` characters. A name alone means the user to whom it is
    /// pinned, whoever else claims it. A name that is pinned to nobody names a user only if no other user has it. `me`
    /// (`ownWord`), the own key and the own name are this node's own user.
    /// - Throws: `EarshotError` `unknownUser`, with similar names; `ambiguousUser`, with the fingerprints.
    public func named(_ text: String) async throws(EarshotError) -> User {
        try await isOwn(text) ? own : try await other(named: text)
    }

    /// Like `named`, without this node's own user, about whom nobody decides anything.
    /// - Throws: `EarshotError` `unknownUser`, also for the own name; `ambiguousUser`.
    package func other(named text: String) async throws(EarshotError) -> User {
        // A comparison with a user takes longer the longer the text is.
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

    /// What always means this node's own user, whoever else calls themselves so.
    public static let ownWord = UserName.ownWord

    /// Whether a text names this node's own user: `ownWord`, their key, or their name, if nobody else has it.
    /// - Throws: `EarshotError` `ambiguousUser` if somebody else has the name, too: what is meant for oneself goes to
    ///   nobody who has taken it.
    package func isOwn(_ text: String) async throws(EarshotError) -> Bool {
        if text == Self.ownWord || UserID(text) == node.userID { return true }
        guard text == node.name.text else { return false }
        let namesakes = await all.filter { $0.name.text == text }
        guard !namesakes.isEmpty else { return true }
        throw EarshotError(
            .ambiguousUser, "\(text) is this node's own user, and somebody else has the name, too",
            .init(
                name: text, candidates: [node.userID] + namesakes.map(\.userID),
                suggestions: [Self.ownWord] + namesakes.map { "\(text)@\($0.userID.description.prefix(8))" }))
    }

    /// Whom a message goes to: like `named`, but a key may belong to a user who was never met, and this node's own user
    /// writes notes to themselves.
    /// - Throws: `EarshotError` `unknownUser`, `ambiguousUser`.
    package func recipient(_ text: String) async throws(EarshotError) -> UserID {
        if try await isOwn(text) { return node.userID }
        if let userID = UserID(text) { return userID }
        return try await other(named: text).userID
    }

    /// The keys of users who are named like recipients.
    /// - Throws: `EarshotError` `unknownUser`, `ambiguousUser`.
    package func ids(_ texts: [String]) async throws(EarshotError) -> [UserID] {
        var userIDs: [UserID] = []
        for text in texts { userIDs.append(try await recipient(text)) }
        return userIDs
    }

    /// The users whose name is the text, and the users whose name and beginning of a key is the text. So a user who
    /// takes such a text as a name gets no message that was meant for another.
    private static func matches(_ text: String, among users: [User]) -> [User] {
        // Somebody who is called like oneself is named by their key.
        let namesakes = text == ownWord ? [] : users.filter { $0.name.text == text }
        var matches = namesakes.filter(\.isPinned)
        if matches.isEmpty { matches = namesakes }
        let sign = text.lastIndex(of: "@")
        // People copy a fingerprint with the spaces that it is shown with.
        let prefix = text[(sign.map { text.index(after: $0) } ?? text.startIndex)...].filter { $0 != " " }.lowercased()
        guard prefix.utf8.count >= (sign == nil ? fingerprintLength : shortestPrefix) else { return matches }
        let name = sign.map { text[..<$0] }
        return matches
            + users.filter {
                (name == nil || $0.name.text[...] == name) && $0.userID.description.hasPrefix(prefix)
                    && !matches.contains($0)
            }
    }

    /// The characters of a fingerprint without its spaces.
    private static let fingerprintLength = 20

    /// Text that names only this one of several users: the name with the beginning of the key if they share a name,
    /// else the key.
    private static func choice(_ user: User, among users: [User]) -> String {
        let key = user.userID.description
        return Set(users.map(\.name)).count == 1 ? "\(user.name)@\(key.prefix(8))" : key
    }

    /// Decides about a user: whether the name is theirs, whether their key was compared, whether they are blocked. It
    /// returns when the decision is on the disk.
    ///
    /// Who is blocked is so on all devices of this node's user. Who is accepted or verified is so on all of them if this
    /// device holds the identity key, and its identity is not sealed.
    /// - Returns: the user as they are now.
    /// - Parameters:
    ///   - decision: the decision.
    ///   - userID: the user whom it is about.
    ///   - name: the user's name at the time of the decision, or what they called themselves (`User.claimedName`). Users may
    ///     take another name at any time, and nobody should decide about a name that they did not see.
    /// - Throws: `EarshotError` `unknownUser`; `blocked` for a user who must be unblocked first; `identityConflict` if
    ///   a user is to be verified whose name belongs to another; `nameChanged` if the user now has another name than
    ///   the given one; `storeUnavailable`, `stopped`.
    @discardableResult
    public func decide(
        _ decision: TrustDecision, about userID: UserID, named name: UserName? = nil
    ) async throws(EarshotError) -> User {
        let signed = try await signed(decision, about: userID, named: name)
        do { try await node.shell.decide(decision, about: userID, named: name, signed: signed) } catch {
            throw error.about(userID)
        }
        guard let user = await user(userID) else {
            throw EarshotError(.unknownUser, "nobody with the key \(userID.fingerprint) is known")
        }
        return user
    }

    /// Whom the identity key vouches for is accepted, or verified, on all devices of this node's user; else on this one.
    private func signed(
        _ decision: TrustDecision, about userID: UserID, named name: UserName?
    ) async throws(EarshotError) -> Decision? {
        guard decision.needsProof, let said = await node.shell.decision(decision, about: userID, named: name) else {
            return nil
        }
        let (keeper, deviceID) = (node.keeper, node.deviceID)
        return try await LongWork.run { () throws(EarshotError) in try keeper.signed(said, for: deviceID) }
    }

    /// Decides who may have a link to this node until the node ends; at first everybody may. The node refuses everybody
    /// else in the handshake, with a reason, and sends nothing to them. A link that such a user has ends at once.
    ///
    /// The choice is not stored: a node that is started again admits everybody, unless its program says otherwise.
    public func admit(_ admission: Admission) async { await node.shell.admit(admission) }

    /// The number that two people compare to be sure that nobody is in between. Computing it takes some milliseconds.
    public func safetyNumber(with userID: UserID) -> SafetyNumber { SafetyNumber(node.userID, userID) }

    private func unknown(_ text: String, among users: [User]) -> EarshotError {
        if text == node.name.text {
            return EarshotError(
                .unknownUser, "\(text) is this node's own name", .init(.ownName, name: text))
        }
        let name = text.split(separator: "@").first.map(String.init) ?? text
        let names = Set(users.map(\.name))
        let near = EditDistance.near(name, among: Set(names.map(\.text)))
            .compactMap { text in names.first { $0.text == text }?.displayed(among: names) }
        return EarshotError(
            .unknownUser, "nobody called \"\(Excerpt.of(text))\" is known",
            .init(name: Excerpt.of(text), suggestions: near))
    }
}
