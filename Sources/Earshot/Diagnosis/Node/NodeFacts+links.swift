import EarshotProtocol

extension NodeFacts {
    /// Links that failed lately: the last failure of each user or host that there is no link to.
    var linkFindings: [Finding] {
        // Whoever is blocked was decided about.
        let settled = Set(users.filter { $0.isOnline || $0.trust == .blocked }.map(\.userID))
        let hosts = Set(links.compactMap(\.address?.host))
        let recent = failures.filter { failure in
            failure.userID.map { !settled.contains($0) } ?? !hosts.contains(failure.host)
        }
        guard !recent.isEmpty else { return [.ok(.links, "no link failed lately")] }
        return recent.prefix(Self.shownFailures).map(finding)
    }

    private func finding(_ failure: LinkFailure) -> Finding {
        let what = "the last link to \(name(of: failure)) failed: \(failure.message)"
        // As a rule others are meant to be of another network. Whether this node's key is wrong is a finding of its own.
        guard failure.code != ProtocolError.Code.otherNetwork.description else {
            return .note(.links, what, why: "nodes link only within a network", remedy: Self.remedy(for: failure))
        }
        return .warning(.links, what, why: "messages to that device wait", remedy: Self.remedy(for: failure))
    }

    private static let shownFailures = 5

    private func name(of failure: LinkFailure) -> String {
        guard let user = users.first(where: { $0.userID == failure.userID }) else { return failure.address }
        return "\(user.name) (\(failure.address))"
    }

    private static func remedy(for failure: LinkFailure) -> String {
        switch failure.code {
        case "unreachable": "see whether a node runs there and its port is open: earshot doctor on that machine"
        case "otherNetwork": "compare the network keys on both machines: earshot network show"
        case "unsupportedVersion": "update the older of the two programs"
        case "credentialExpired": "start the node there anew, with its passphrase if it has one; check both clocks"
        case "credentialNotYetValid": "check both clocks: timedatectl"
        default: "the node tries again by itself; if it stays so: earshot doctor on the other machine"
        }
    }
}
