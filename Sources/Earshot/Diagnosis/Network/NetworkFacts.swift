import EarshotDiscovery

/// What this machine's network shows without a node.
struct NetworkFacts: Hashable, Sendable {
    var interfaces: [InterfaceFacts] = []
    var captured: [CapturedRoute] = []
    /// Empty where the test was not made.
    var multicast: [MulticastOutcome] = []
    /// What the operating system did not tell, and why.
    var failures: [String] = []

    /// The interfaces that peers are looked for on.
    var used: [InterfaceFacts] { interfaces.filter(\.isUsed) }

    var findings: [Finding] {
        failures.map {
            .note(.interfaces, .interfacesUnknown, $0, why: "the network of this machine cannot be looked at")
        }
            + interfaceFindings + routeFindings + multicastFindings
    }
}

/// A network interface, and whether peers are looked for on it.
struct InterfaceFacts: Hashable, Sendable {
    let name: String
    let isLoopback: Bool
    let isRunning: Bool
    let supportsMulticast: Bool
    /// Literals; link-local IPv6 addresses have their scope.
    let addresses: [String]
    let families: Set<AddressFamily>
    /// Why peers are not looked for on it by choice, if that is so.
    let skipReason: String?

    /// Whether peers are looked for on it, and could be found.
    var isUsed: Bool { !isLoopback && isRunning && !addresses.isEmpty && skipReason == nil }
}

/// A subnet of this machine's that packets leave for by an interface that is not in it.
struct CapturedRoute: Hashable, Sendable {
    let subnet: String
    let expectedInterface: String
    /// `nil` where the kernel refuses to send.
    let actualInterface: String?
}

/// What became of multicast on one interface in one address family.
struct MulticastOutcome: Hashable, Sendable {
    let interface: String
    let family: AddressFamily
    let outcome: MulticastSelfTest.Outcome
}
