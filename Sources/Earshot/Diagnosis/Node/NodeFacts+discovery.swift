extension NodeFacts {
    /// By what peers are found.
    var discoveryFindings: [Finding] {
        switch discovery {
        case .daemon: [.ok(.discovery, "peers are found with the Avahi daemon")]
        case .other(let name): [.ok(.discovery, "peers are found with \(name)")]
        case .embedded:
            [
                .note(
                    .discovery, "no Avahi daemon answers: peers are found with the embedded stack",
                    why: "it does the same for this node alone",
                    remedy: "nothing to do; to share one daemon with other programs: systemctl start avahi-daemon")
            ]
        case .starting: [.note(.discovery, "discovery has not answered yet", remedy: "ask again in a few seconds")]
        case .off:
            [
                .note(
                    .discovery, "discovery is off: only given and remembered addresses are dialled",
                    why: "nobody else is found, and nobody finds this node",
                    remedy: "leave out --no-discovery, or name peers with --peer HOST:PORT")
            ]
        case .none(let reason):
            [
                .problem(
                    .discovery, "neither the Avahi daemon nor the embedded stack works: \(reason)",
                    why: "nobody is found, and nobody finds this node",
                    remedy:
                        "end the program that keeps UDP port 5353 for itself, if there is one (ss -ulpn 'sport = :5353'), "
                        + "or start the daemon (systemctl start avahi-daemon), or name peers with --peer HOST:PORT")
            ]
        }
    }

    /// Who is there.
    var peerFindings: [Finding] {
        if !links.isEmpty {
            let names = Array(Set(links.map(\.name))).sorted()
            return [.ok(.peers, "\(Wording.count(links.count, "link")): \(Wording.list(names))")]
        }
        if deviceCount > 0 {
            return [
                .problem(
                    .peers,
                    "\(Wording.count(deviceCount, "device is", "devices are")) there, and there is no link to any",
                    why: "messages travel over links", remedy: "see why links failed, here and on the other machine")
            ]
        }
        // Nodes of other networks: that is a finding of its own.
        guard otherNetworkCount == 0 else { return [] }
        let given = givenPeerCount == 0 ? "" : ", and nobody answers at the given addresses"
        return [
            .note(
                .peers, "nobody else is found\(given)", why: "messages wait until their recipients are there",
                remedy:
                    "run earshot up on another machine of this network; across networks, name it with --peer HOST:PORT")
        ]
    }

    /// Whether those who are there are of this node's network.
    var networkKeyFindings: [Finding] {
        let network = hasNetworkKey ? "a network key" : "no network key"
        guard otherNetworkCount > 0 else { return [.ok(.networkKey, "this node has \(network)")] }
        let others = Wording.count(otherNetworkCount, "node of another network is", "nodes of other networks are")
        guard links.isEmpty, deviceCount == 0 else {
            return [.ok(.networkKey, "this node has \(network); \(others) here too")]
        }
        return [
            .problem(
                .networkKey, "\(others) here, and none of this node's: the key may be wrong",
                why: "this node has \(network), and nodes link only where theirs are the same",
                remedy: "compare the keys with: earshot network show; take the others' with: earshot network join")
        ]
    }

    /// Whether this node's device is somewhere else too.
    var copyFindings: [Finding] {
        guard !ownDeviceElsewhere.isEmpty else { return [] }
        let places = Wording.list(ownDeviceElsewhere.map(\.description).sorted())
        return [
            .problem(
                .deviceCopy, "this node's own device is advertised at \(places) too: a copy of its home runs there",
                why: "keys must not be shared: peers take the two for one, and messages go to either",
                remedy: "end the node there, and give that machine an identity of its own: earshot init")
        ]
    }
}
