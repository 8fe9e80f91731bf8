import Earshot
import EarshotGateway

/// What is known about all users who claim a name, and what a decision means.
struct ClaimsReport {
    let claims: NameClaims
    let names: NameBook
    let output: Output

    /// The most messages that are counted for each.
    private static let counted = 100

    func show(_ client: GatewayClient) async throws {
        for user in claims.claimants { try output.object(user) }
        guard !output.isJSON else { return }
        var paragraphs = claims.claimants.count > 1 ? [[heading]] : []
        for user in claims.claimants {
            let messages = try await client.history(with: user.id, limit: Self.counted)
            paragraphs.append(describe(user, messages: messages.count))
        }
        paragraphs.append(advice)
        output.line(paragraphs.map { $0.joined(separator: "\n") }.joined(separator: "\n\n"))
    }

    private var name: String { names.looks(of: claims.name) }

    private var heading: String {
        let pinned =
            claims.pinned.map { "it is pinned to \($0.fingerprint)\($0.isBlocked ? ", which is blocked" : "")" }
            ?? "it is pinned to none of them"
        return "\(claims.claimants.count) keys claim the name \(name); \(pinned)."
    }

    private func describe(_ user: GatewayUser, messages: Int) -> [String] {
        let count = messages == Self.counted ? "\(messages) or more" : "\(messages)"
        let rows = [
            ("fingerprint", user.fingerprint),
            ("trust", TrustWord.coloured(user.trust, of: user, output.style) + " (\(meaning(of: user)))"),
            ("first seen", LocalTime.full(user.firstSeenMilliseconds)),
            ("last seen", user.isOnline ? "online now" : LocalTime.full(user.lastSeenMilliseconds)),
            ("messages", count),
        ]
        return [output.style.bold(names.shown(user))]
            + rows.map { "  " + output.style.dim(DisplayWidth.pad($0, to: 13)) + $1 }
    }

    private func meaning(of user: GatewayUser) -> String {
        if user.isBlocked { return "nothing is sent to this key and nothing is taken from it" }
        if user.isInConflict { return "claims the name: nothing is sent to this key and nothing is taken from it" }
        if user.isVerified { return "the name is pinned to this key, and you have compared safety numbers" }
        if user.isPinned { return "the name is pinned to this key; safety numbers were not compared" }
        return "the name is not pinned to this key"
    }

    // MARK: - What to do

    private var advice: [String] {
        switch claims.other {
        case .nobody(let user) where user.isBlocked, .user(let user) where user.isBlocked: blocked([user])
        case .several(let users) where users.allSatisfy(\.isBlocked): blocked(users)
        case .nobody(let user) where user.isVerified: [nothingToDecide]
        case .nobody(let user):
            [
                nothingToDecide,
                "To be sure that this is \(name): earshot verify \(names.typed(user))",
            ]
        case .user(let user) where claims.pinned == nil && claims.claimants.count == 1:
            ["The first message pins the name to this key; so does: earshot trust \(names.typed(user)) --accept"]
        case .user(let user): choice([user])
        case .several(let users): choice(users.filter { !$0.isBlocked })
        }
    }

    private var nothingToDecide: String {
        claims.claimants.count > 1
            ? "Whoever else claims the name is blocked: there is nothing to decide."
            : "Nobody else claims the name: there is nothing to decide."
    }

    private func blocked(_ users: [GatewayUser]) -> [String] {
        [
            "Nothing can be decided about \(users.count == 1 ? "a user who is" : "users who are") blocked. To let them in again:"
        ]
            + users.map { "  earshot unblock \(names.typed($0))" }
    }

    private func choice(_ users: [GatewayUser]) -> [String] {
        let owner = claims.pinned == nil ? "one of the keys" : "the other key"
        var lines = [
            "Ask \(name) in person or by telephone which fingerprint is theirs: earshot status shows it to them.",
            "If it is \(owner), give it the name:",
        ]
        lines += users.map { "  earshot trust \(names.typed($0)) --accept" }
        if let pinned = claims.pinned, !pinned.isBlocked {
            let verified = pinned.isVerified ? ", and \(name) is not verified any more" : ""
            lines.append("  Messages that wait for the key it has now fail then\(verified).")
        }
        lines.append("If somebody only pretends to be \(name), keep them out:")
        lines += users.map { "  earshot block \(names.typed($0))" }
        return lines
    }
}
