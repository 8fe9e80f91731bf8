extension NodeFacts {
    /// Whether peers can connect to this node: those who tried say so, or else a peer has made a link to it.
    var portFindings: [Finding] {
        guard let port else { return [] }
        let reached = dialBacks.filter(\.isReached).map(\.name)
        let unreached = dialBacks.filter { !$0.isReached }.map(\.name)
        // A link may be older than the firewall, so what the same peer says now outweighs it.
        let inbound = links.filter(\.isFromOutside).map(\.name).filter { !unreached.contains($0) }
        if let witness = (reached + (unreached.isEmpty ? inbound : [])).first {
            return [.ok(.port, "peers reach port \(port): \(witness) did")]
        }
        guard !unreached.isEmpty else { return [unknown(port)] }
        let what = "\(Wording.list(unreached)) could not connect to port \(port)"
        guard inbound.isEmpty else {
            return [
                .warning(
                    .port, .portUnreachable, what, why: "others did, so something in between may be in the way",
                    .init(port: port))
            ]
        }
        return [
            .problem(
                .port, .portUnreachable, what,
                why: "only this node makes links, and peers that are also behind a firewall are out of reach",
                .init(port: port))
        ]
    }

    private func unknown(_ port: UInt16) -> Finding {
        .note(
            .port, .portUnknown, "whether peers can reach port \(port) is unknown: none has tried",
            why: "a firewall may be in the way", .init(port: port))
    }
}

extension NodeFacts.PeerLink {
    /// Whether somebody on another machine made it, which proves that the port is open.
    fileprivate var isFromOutside: Bool {
        guard !isOutbound, let host = address?.host else { return false }
        return !host.hasPrefix("127.") && host != "::1"
    }
}
