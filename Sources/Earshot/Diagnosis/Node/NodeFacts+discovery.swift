extension NodeFacts {
    /// How the node finds peers.
    var discoveryFindings: [Finding] {
        switch discovery {
        case .daemon: [.ok(.discovery, "peers are found with the Avahi daemon")]
        case .other(let name): [.ok(.discovery, "peers are found with \(name)")]
        case .embedded:
            [
                .note(
                    .discovery, .embeddedDiscovery, "no Avahi daemon answers: peers are found with the embedded stack",
                    why: "it does the same for this node alone")
            ]
        case .starting: [.note(.discovery, .discoveryStarting, "discovery has not answered yet")]
        case .off:
            [
                .note(
                    .discovery, .discoveryOff, "discovery is off: only given and remembered addresses are dialled",
                    why: "nobody else is found, and nobody finds this node")
            ]
        case .none(let reason):
            [
                .problem(
                    .discovery, .discoveryUnavailable,
                    "neither the Avahi daemon nor the embedded stack works: \(reason)",
                    why: "nobody is found, and nobody finds this node")
            ]
        }
    }

    /// Which peers are there.
    var peerFindings: [Finding] {
        if !links.isEmpty {
            let names = Array(Set(links.map(\.name))).sorted()
            return [.ok(.peers, "\(Wording.count(links.count, "link")): \(Wording.list(names))")]
        }
        if deviceCount > 0 {
            return [
                .problem(
                    .peers, .noLinks,
                    "\(Wording.count(deviceCount, "device is", "devices are")) there, and there is no link to any",
                    why: "messages travel over links")
            ]
        }
        // Nodes of other networks have a finding of their own.
        guard otherNetworkCount == 0 else { return [] }
        let given = givenPeerCount == 0 ? "" : ", and nobody answers at the given addresses"
        return [
            .note(
                .peers, .nobodyFound, "nobody else is found\(given)",
                why: "messages wait until their recipients are there")
        ]
    }

    /// Whether other nodes here belong to this node's network.
    var networkKeyFindings: [Finding] {
        let network = hasNetworkKey ? "a network key" : "no network key"
        guard otherNetworkCount > 0 else { return [.ok(.networkKey, "this node has \(network)")] }
        let others = Wording.count(otherNetworkCount, "node of another network is", "nodes of other networks are")
        guard links.isEmpty, deviceCount == 0 else {
            return [.ok(.networkKey, "this node has \(network); \(others) here too")]
        }
        return [
            .problem(
                .networkKey, .otherNetworksOnly, "\(others) here, and none of this node's: the key may be wrong",
                why: "this node has \(network), and nodes link only if their keys are the same")
        ]
    }

    /// Whether this node's device is also somewhere else.
    var copyFindings: [Finding] {
        guard !ownDeviceElsewhere.isEmpty else { return [] }
        let places = Wording.list(ownDeviceElsewhere.map(\.description).sorted())
        return [
            .problem(
                .deviceCopy, .deviceCopied,
                "this node's own device is advertised at \(places) too: a copy of its home runs there",
                why: "keys must not be shared: peers take the two for one, and messages go to either")
        ]
    }
}
