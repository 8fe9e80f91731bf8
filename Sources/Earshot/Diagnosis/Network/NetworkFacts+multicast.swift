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
        let code = Self.code(for: broken)
        guard broken.count == outcomes.count else {
            return .warning(
                .multicast, code, what, why: "peers that only have this address family are not found",
                .init(interface: interface))
        }
        return .problem(
            .multicast, code, what, why: "peers find each other by multicast, so nobody is found there",
            .init(interface: interface))
    }

    private static func code(for broken: [MulticastOutcome]) -> Finding.Code {
        let isKept = broken.contains { if case .cannotJoin = $0.outcome { true } else { false } }
        return isKept ? .multicastPortKept : .multicastBlocked
    }

    private static func cannotMulticast(_ interface: InterfaceFacts) -> Finding {
        .warning(
            .multicast, .multicastOff, "\(interface.name) cannot multicast", why: "peers find each other by multicast",
            .init(interface: interface.name))
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
