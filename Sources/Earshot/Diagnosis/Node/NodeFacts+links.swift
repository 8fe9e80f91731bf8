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
        let about = EarshotError.Parameters(EarshotError.Detail(failure.code), userID: failure.userID)
        // As a rule others are meant to be of another network. Whether this node's key is wrong is a finding of its own.
        guard failure.code != ProtocolError.Code.otherNetwork.description else {
            return .note(.links, .linkFailed, what, why: "nodes link only within a network", about)
        }
        return .warning(.links, .linkFailed, what, why: "messages to that device wait", about)
    }

    private static let shownFailures = 5

    private func name(of failure: LinkFailure) -> String {
        guard let user = users.first(where: { $0.userID == failure.userID }) else { return failure.address }
        return "\(user.name) (\(failure.address))"
    }
}
