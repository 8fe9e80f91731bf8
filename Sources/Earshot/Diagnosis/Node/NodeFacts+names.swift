extension NodeFacts {
    /// The number of names that get a finding each. Anybody can make any number of keys.
    static let shownNames = 5

    /// A finding for each name that more than one key claims.
    var nameFindings: [Finding] {
        // This node's user has decided about blocked users.
        let users = users.filter { $0.trust != .blocked }
        let takers = users.filter { $0.name.text == name }
        let claims = Self.byName(users.filter { $0.name.text != name })
        let conflicts = claims.map { users in users.filter { $0.conflictingID != nil } }.filter { !$0.isEmpty }
        let ambiguous = claims.map { users in users.filter { !$0.isPinned && $0.conflictingID == nil } }
            .filter { $0.count > 1 }
        let findings = (takers.isEmpty ? [] : [ownName(takers)]) + conflicts.map(conflict) + ambiguous.map(ambiguity)
        guard !findings.isEmpty else { return [.ok(.names, "every name belongs to one key")] }
        return Self.capped(findings)
    }

    private static func byName(_ users: [User]) -> [[User]] {
        Dictionary(grouping: users, by: \.name).sorted { $0.key < $1.key }
            .map { $0.value.sorted { $0.userID < $1.userID } }
    }

    private static func capped(_ findings: [Finding]) -> [Finding] {
        guard findings.count > shownNames else { return findings }
        let others = Wording.count(findings.count - shownNames + 1, "other name is", "other names are")
        return findings.prefix(shownNames - 1) + [
            .warning(
                .names, .manyNames, "\(others) claimed by more than one key",
                why: "nothing is sent to a user whose name belongs to another")
        ]
    }

    private func ownName(_ users: [User]) -> Finding {
        let who = users.count == 1 ? "another key calls itself" : "\(users.count) other keys call themselves"
        let what = "\(who) \(name), as this node does: \(Self.fingerprints(users))"
        return .problem(
            .names, .ownNameTaken, what,
            why: "users who met another one first refuse this one (\(userID.fingerprint))", Self.about(name, [userID]))
    }

    private func conflict(_ users: [User]) -> Finding {
        let (name, claimant) = (users[0].name, users[0])
        let pinned = claimant.conflictingID.map { " belongs to \($0.fingerprint) here" } ?? ""
        let one = users.count == 1
        let what = "the name \(name)\(pinned), and \(Self.fingerprints(users)) \(one ? "claims" : "claim") it"
        return .problem(
            .names, .nameConflict, what,
            why: "nothing is sent to a claimant, and nothing is taken from it, before you decide",
            Self.about(name.text, users.map(\.userID)))
    }

    private func ambiguity(_ users: [User]) -> Finding {
        let name = users[0].name
        return .warning(
            .names, .nameAmbiguous,
            "\(users.count) keys call themselves \(name): \(Self.fingerprints(users))",
            why: "a message to \(name) is refused, because it does not say to which of them",
            Self.about(name.text, users.map(\.userID)))
    }

    private static func fingerprints(_ users: [User]) -> String { Wording.list(users.map(\.userID.fingerprint)) }

    /// Text that names one of several users of a name.
    private static func choice(_ name: String, _ userID: UserID) -> String {
        "\(name)@\(userID.description.prefix(8))"
    }

    private static func about(_ name: String, _ userIDs: [UserID]) -> EarshotError.Parameters {
        .init(name: name, candidates: userIDs, suggestions: userIDs.map { choice(name, $0) })
    }
}
