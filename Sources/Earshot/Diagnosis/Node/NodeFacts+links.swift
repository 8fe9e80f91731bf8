import EarshotProtocol

extension NodeFacts {
    /// Links that failed lately: the last failure of each user or host without a link.
    var linkFindings: [Finding] {
        // This node's user has decided about blocked users.
        let settled = Set(users.filter { $0.isOnline || $0.trust == .blocked }.map(\.userID))
        let hosts = Set(links.compactMap { $0.address?.host })
        let recent = failures.filter { failure in
            failure.userID.map { !settled.contains($0) } ?? !hosts.contains(failure.host)
        }
        guard !recent.isEmpty else { return [.ok(.links, "no link failed lately")] }
        return recent.prefix(Self.shownFailures).map(finding)
    }

    private func finding(_ failure: LinkFailure) -> Finding {
        let what = "the last link to \(name(of: failure)) failed: \(failure.message)"
        // Of a link that the peer has closed, its reason says more.
        let isClosedByPeer = failure.code == ProtocolError.Code.closedByPeer.description
        let cause = isClosedByPeer ? failure.closeReason ?? failure.code : failure.code
        let about = EarshotError.Parameters(EarshotError.Detail(cause), userID: failure.userID)
        // Others usually belong to another network on purpose. A separate finding says whether this node's key is
        // wrong.
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
