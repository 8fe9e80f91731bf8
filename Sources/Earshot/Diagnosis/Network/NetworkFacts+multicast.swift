import EarshotDiscovery

extension NetworkFacts {
    /// Interfaces on which multicast DNS does not get out of this machine, or not in.
    var multicastFindings: [Finding] {
        let interfaces = multicast.map(\.interface).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        return interfaces.map { name in finding(of: name, multicast.filter { $0.interface == name }) }
            + used.filter { !$0.supportsMulticast }.map(Self.cannotMulticast)
    }

    private func finding(of interface: String, _ outcomes: [MulticastOutcome]) -> Finding {
        let broken = outcomes.filter { $0.outcome != .works }
        guard !broken.isEmpty else { return .ok(.multicast, "multicast works on \(interface)") }
        let reasons = broken.map { "\(Self.name(of: $0.family)): \(Self.words(for: $0.outcome))" }
        let what = "multicast does not work on \(interface): \(reasons.joined(separator: "; "))"
        let remedy = "\(Self.remedy(for: broken)); or name a peer with --peer HOST:PORT"
        guard broken.count == outcomes.count else {
            return .warning(
                .multicast, what, why: "peers that only have this address family are not found", remedy: remedy)
        }
        return .problem(
            .multicast, what, why: "peers find each other by multicast, so nobody is found there", remedy: remedy)
    }

    private static func remedy(for broken: [MulticastOutcome]) -> String {
        let isKept = broken.contains { if case .cannotJoin = $0.outcome { true } else { false } }
        return isKept
            ? "end the program that keeps UDP port 5353 for itself, if there is one: ss -ulpn 'sport = :5353'"
            : "let UDP port 5353 through the firewall, in and out"
    }

    private static func cannotMulticast(_ interface: InterfaceFacts) -> Finding {
        .warning(
            .multicast, "\(interface.name) cannot multicast", why: "peers find each other by multicast",
            remedy:
                "switch it on with: ip link set \(interface.name) multicast on; or name a peer with --peer HOST:PORT")
    }

    private static func name(of family: AddressFamily) -> String {
        switch family {
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        }
    }

    private static func words(for outcome: MulticastSelfTest.Outcome) -> String {
        switch outcome {
        case .works: "works"
        case .cannotSend(let reason): "a question cannot be sent (\(reason))"
        case .notHeard: "a question was sent and not heard"
        case .cannotJoin(let reason): "the group cannot be joined (\(reason))"
        }
    }
}
