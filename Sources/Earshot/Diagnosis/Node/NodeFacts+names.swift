extension NodeFacts {
    /// Names that more than one key claims.
    var nameFindings: [Finding] {
        // Whoever is blocked was decided about.
        let users = users.filter { $0.trust != .blocked }
        let taken = users.filter { $0.name.text == name }.map(takesOwnName)
        let claims = users.filter { $0.name.text != name }
        let conflicts = claims.filter { $0.conflictingID != nil }.map(conflict)
        let ambiguous = Dictionary(grouping: claims.filter { !$0.isPinned && $0.conflictingID == nil }, by: \.name)
            .filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { ambiguity($0.key, $0.value) }
        let findings = taken + conflicts + ambiguous
        return findings.isEmpty ? [.ok(.names, "every name belongs to one key")] : findings
    }

    private func takesOwnName(_ user: User) -> Finding {
        .problem(
            .names, "another key calls itself \(name), as this node does: \(user.userID.fingerprint)",
            why: "who met that one first refuses this one (\(userID.fingerprint))",
            remedy: "ask who it is. Either one takes another name, or contacts choose with: "
                + "earshot trust \(Self.choice(name, userID)) --accept")
    }

    private func conflict(_ user: User) -> Finding {
        let pinned = user.conflictingID.map { " is \($0.fingerprint) here" } ?? ""
        return .problem(
            .names, "the name \(user.name)\(pinned), and \(user.userID.fingerprint) claims it",
            why: "nothing is sent to the claimant, and nothing is taken from it, before you decide",
            remedy: "ask \(user.name) which key is theirs; then: earshot trust "
                + "\(Self.choice(user.name.text, user.userID)) --accept, or: earshot block "
                + Self.choice(user.name.text, user.userID))
    }

    private func ambiguity(_ name: UserName, _ users: [User]) -> Finding {
        let keys = users.map(\.userID.fingerprint).sorted()
        return .warning(
            .names, "\(users.count) keys call themselves \(name): \(Wording.list(keys))",
            why: "a message to \(name) is refused, because it is not said to whom",
            remedy: "ask the person for their fingerprint; then: earshot trust "
                + "\(Wording.shellWord("\(name)@FINGERPRINT")) --accept")
    }

    /// What names one of several users of a name, for a shell.
    private static func choice(_ name: String, _ userID: UserID) -> String {
        Wording.shellWord("\(name)@\(userID.description.prefix(8))")
    }
}
