import Earshot
import EarshotGateway

/// Why a message to a user waits until somebody does something about it: then nobody need wait for it.
struct Obstacles: Sendable {
    let user: GatewayUser
    let names: NameBook
    /// Addresses at which the recipient should be.
    let peers: [String]

    static let events: Set<EventName> = [.linkFailed, .identityConflict]

    /// - Returns: `nil` for an event that stands in nobody's way.
    func obstacle(in event: GatewayEvent) -> Failure? {
        if let conflict = event.conflict { return conflict.pinnedID == user.id ? otherKey(conflict.claimedBy) : nil }
        guard event.name == EventName.linkFailed.rawValue else { return nil }
        let cause = event.code == "closedByPeer" ? event.closeReason : event.code
        if event.user?.id == user.id { return obstacle(cause) }
        let isExpectedThere = event.user == nil && event.address.map(peers.contains) == true
        return isExpectedThere && event.code == Self.otherNetwork ? obstacle(cause) : nil
    }

    /// What stood in the way before, of some recipients by their places. Asks the node if any of them is away.
    static func standing(_ all: [Obstacles?], _ client: GatewayClient) async throws -> [Int: Failure] {
        var found: [Int: Failure] = [:]
        var away: [Int: Obstacles] = [:]
        for (place, obstacles) in all.enumerated() {
            guard let obstacles, !(try await client.user(named: obstacles.user.id).isOnline) else { continue }
            if let claimant = obstacles.claimant {
                found[place] = obstacles.otherKey(claimant.id)
            } else {
                away[place] = obstacles
            }
        }
        guard !away.isEmpty else { return found }
        let findings = try await client.diagnosis().filter { $0.code == Finding.Code.linkFailed.description }
        for (place, obstacles) in away {
            let finding = findings.first { $0.parameters?.userID == obstacles.user.id }
            found[place] = finding.flatMap { obstacles.obstacle($0.parameters?.detail) }
        }
        return found
    }

    /// Somebody else who has the recipient's name here and came after them.
    private var claimant: GatewayUser? { names.users(called: user.name).first(where: isNewer) }

    private static let otherNetwork = "otherNetwork"

    /// Whether a user claims the recipient's name and came after them, as somebody does who has a new key. Who had the name before
    /// this node's user gave it to the recipient came before, however late they were seen.
    private func isNewer(_ other: GatewayUser) -> Bool {
        other.conflictsWith == user.id && !other.isBlocked && other.firstSeenMilliseconds > user.firstSeenMilliseconds
            && other.lastSeenMilliseconds > user.lastSeenMilliseconds
    }

    private func otherKey(_ key: String) -> Failure {
        Failure(
            .identityConflict,
            "another key (\(NameBook.fingerprint(key))) has the name \(names.looks(of: user.name)) here; the message stays "
                + "queued for \(user.fingerprint)",
            remedy: "ask \(names.looks(of: user.name)) which key is theirs: earshot trust \(names.typedName(of: user))")
    }

    /// - Parameter cause: as a link's failure names it.
    private func obstacle(_ cause: String?) -> Failure? {
        let name = names.shown(user)
        switch cause {
        case "blocked":
            return Failure(
                .blocked, "\(name) has blocked you; the message stays queued until they let you back in",
                remedy: "ask \(name) for: earshot unblock YOUR-NAME")
        case "notAdmitted":
            return Failure(
                .notAdmitted, "\(name)'s node does not admit you; the message stays queued until it does",
                remedy: "ask \(name) for: earshot up --allow \(names.own.id)")
        case "identityConflict":
            return Failure(
                .identityConflict,
                "there the name \(names.looks(of: names.own.name ?? "you")) belongs to another key; the message stays queued",
                remedy: "ask \(name) to compare fingerprints with you, and for: earshot trust "
                    + ShellWord.user(names.own.name ?? "", key: names.own.id) + " --accept")
        case Self.otherNetwork:
            return Failure(
                .otherNetwork, "\(name)'s node is in another network; the message stays queued",
                remedy: "compare the network keys on both machines: earshot network show")
        default: return nil
        }
    }
}
