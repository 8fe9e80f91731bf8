import EarshotDiscovery

extension NetworkFacts {
    /// Which interfaces are used and which are not, and why.
    var interfaceFindings: [Finding] {
        usedFindings + interfaces.compactMap(skipped)
    }

    private var usedFindings: [Finding] {
        let used = used
        guard failures.isEmpty || !used.isEmpty else { return [] }
        guard !used.isEmpty else {
            return [
                .problem(
                    .interfaces, .noInterface, "no network interface leads to others",
                    why: "peers are reached by an interface that is up and has an address")
            ]
        }
        return used.map { interface in
            .ok(.interfaces, "\(interface.name) is used: \(Wording.list(interface.addresses))\(missing(in: interface))")
        }
    }

    private func missing(in interface: InterfaceFacts) -> String {
        if !interface.families.contains(.ipv4) { return "; it has no IPv4 address" }
        if !interface.families.contains(.ipv6) { return "; it has no IPv6 address" }
        return ""
    }

    /// An interface that is up and has addresses, so a user may wonder why it is not used.
    private func skipped(_ interface: InterfaceFacts) -> Finding? {
        guard !interface.isLoopback, interface.isRunning, !interface.addresses.isEmpty else { return nil }
        guard let reason = interface.skipReason else { return nil }
        return .note(
            .interfaces, .interfaceSkipped, "\(interface.name) is skipped: \(reason)",
            why: "peers that are only there are not found", .init(interface: interface.name))
    }

    /// Reports a VPN that takes the packets for the local network.
    var routeFindings: [Finding] {
        guard !captured.isEmpty else {
            return used.isEmpty ? [] : [.ok(.routes, "packets to the local network leave by its own interface")]
        }
        return captured.map { route in
            let taker = route.actualInterface.map { "leave by \($0)" } ?? "are refused by a route"
            return .problem(
                .routes, .routeCaptured,
                "packets to \(route.subnet) \(taker), and not by \(route.expectedInterface), which is in it",
                why: "a tunnel or a route takes the local network's packets, so peers there cannot be dialled",
                .init(interface: route.actualInterface))
        }
    }
}
