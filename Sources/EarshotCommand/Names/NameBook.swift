import Earshot
import EarshotGateway

/// How to show users, and what to type for each. Every output takes the names of others from here.
struct NameBook: Sendable {
    let own: GatewayParty
    private var users: [String: GatewayUser] = [:]
    private var idsOfName: [String: Set<String>] = [:]
    /// Names by their appearance, for finding look-alikes. This node's own is among them.
    private var namesOfSkeleton: [String: Set<UserName>] = [:]

    /// The shortest part of the key that follows an ambiguous name.
    private static let prefixLength = 8
    /// When there are this many users, those whom the node may have forgotten are forgotten here, too.
    private static let limit = 4 * Limits.strangers

    init(_ users: [GatewayUser], own: GatewayParty) {
        self.own = own
        if let name = Self.name(own.name ?? "") { namesOfSkeleton[name.skeleton] = [name] }
        for user in users { update(user) }
    }

    /// Updates a user.
    mutating func update(_ user: GatewayUser) {
        if users.count >= Self.limit, users[user.id] == nil { forgetStrangers() }
        if let old = users[user.id], old.name != user.name { forgetName(of: old) }
        users[user.id] = user
        idsOfName[user.name, default: []].insert(user.id)
        if let name = Self.name(user.name) { namesOfSkeleton[name.skeleton, default: []].insert(name) }
    }

    /// The node forgets users whom it only met, and does not say whom.
    private mutating func forgetStrangers() {
        for user in users.values where !user.isPinned && !user.isOnline && !user.isVerified && !user.isBlocked {
            users[user.id] = nil
            forgetName(of: user)
        }
    }

    private mutating func forgetName(of user: GatewayUser) {
        idsOfName[user.name]?.remove(user.id)
        guard idsOfName[user.name]?.isEmpty == true, let name = Self.name(user.name) else { return }
        idsOfName[user.name] = nil
        if user.name != own.name { namesOfSkeleton[name.skeleton]?.remove(name) }
    }

    func user(_ id: String) -> GatewayUser? { users[id] }

    /// All users of a name: the one to whom it is pinned, then the others by their keys.
    func users(called name: String) -> [GatewayUser] {
        idsOfName[name, default: []].compactMap { users[$0] }
            .sorted { ($0.isPinned ? 0 : 1, $0.id) < ($1.isPinned ? 0 : 1, $1.id) }
    }

    // MARK: - To be read

    /// Like `bob`; like `bob@3fk9qbmj` if the name alone means another user, or nobody.
    func shown(_ user: GatewayUser) -> String {
        isNamedAlone(user) ? looks(of: user.name) : looks(of: user.name) + "@" + prefix(of: user)
    }

    /// The same for a user who may no longer be known.
    func shown(_ party: GatewayParty) -> String {
        if party.id == own.id { return looks(of: own.name ?? "you") }
        if let user = users[party.id] { return shown(user) }
        return party.name.map(looks) ?? Self.fingerprint(party.id)
    }

    /// A name by itself, whoever has it; deceptive characters are escaped.
    func looks(of text: String) -> String {
        guard let name = Self.name(text) else { return SafeText.line(text) }
        return SafeText.line(name.displayed(among: namesOfSkeleton[name.skeleton] ?? []))
    }

    /// Other users whose names look like this one's.
    func lookAlikes(of user: GatewayUser) -> [GatewayUser] {
        guard let name = Self.name(user.name) else { return [] }
        return name.lookAlikes(among: namesOfSkeleton[name.skeleton] ?? [])
            .flatMap { users(called: $0.text) }
    }

    /// Whether the name could be mistaken for that of this node's user.
    func isLikeOwn(_ user: GatewayUser) -> Bool {
        Self.name(user.name)?.skeleton == own.name.flatMap(Self.name)?.skeleton
    }

    static func fingerprint(_ id: String) -> String { UserID(id)?.fingerprint ?? SafeText.line(id) }

    // MARK: - To be typed

    /// What identifies the user on a command line, as one word of a shell.
    func typed(_ user: GatewayUser) -> String { ShellWord.quote(argument(user)) }

    /// The same as the program reads it: the name, the name and the beginning of the key, or the key.
    func argument(_ user: GatewayUser) -> String {
        isNamedAlone(user) && isTypable(user.name) ? user.name : explicit(user)
    }

    /// The name if it means this user alone, else the whole key: for a decision that is made without a question.
    func typedWhole(_ user: GatewayUser) -> String {
        isNamedAlone(user) && isTypable(user.name) ? ShellWord.quote(user.name) : user.id
    }

    /// The name and the beginning of the key, even where the name alone would do.
    func explicit(_ user: GatewayUser) -> String {
        guard isTypable(user.name) else { return user.id }
        let text = "\(user.name)@\(prefix(of: user))"
        return idsOfName[text] == nil ? text : user.id
    }

    /// A name that is shown escaped, or that a shell would read differently, cannot be copied.
    private func isTypable(_ name: String) -> Bool {
        ShellWord.isCopyable(name) && UserID(name) == nil && looks(of: name) == name
    }

    /// Whether the name alone means this user.
    private func isNamedAlone(_ user: GatewayUser) -> Bool {
        guard user.name != own.name, user.name != Earshot.Users.ownWord else { return false }
        return user.isPinned || idsOfName[user.name, default: []].subtracting([user.id]).isEmpty
    }

    /// The beginning of the key, long enough that no namesake shares it.
    private func prefix(of user: GatewayUser) -> String {
        var length = Self.prefixLength
        let others = idsOfName[user.name, default: []].subtracting([user.id])
        while length < user.id.count, others.contains(where: { $0.hasPrefix(user.id.prefix(length)) }) { length += 1 }
        return String(user.id.prefix(length))
    }

    private static func name(_ text: String) -> UserName? {
        // Text that is not a valid name has no look-alikes: it is shown with its control characters escaped.
        do { return try UserName(text) } catch { return nil }
    }
}

extension GatewayClient {
    /// The names of everybody who is known now.
    func names() async throws(GatewayError) -> NameBook {
        let status = try await status()
        return NameBook(try await users(), own: GatewayParty(id: status.id, name: status.name))
    }
}
