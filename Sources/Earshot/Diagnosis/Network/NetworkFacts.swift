import EarshotDiscovery

/// The facts about this machine's network that show without a node.
struct NetworkFacts: Hashable, Sendable {
    var interfaces: [InterfaceFacts] = []
    var captured: [CapturedRoute] = []
    /// Empty if there was no test.
    var multicast: [MulticastOutcome] = []
    /// What the operating system did not say, and why.
    var failures: [String] = []

    /// The interfaces on which a node looks for peers.
    var used: [InterfaceFacts] { interfaces.filter(\.isUsed) }

    var findings: [Finding] {
        failures.map {
            .note(.interfaces, .interfacesUnknown, $0, why: "the network of this machine cannot be looked at")
        }
            + interfaceFindings + routeFindings + multicastFindings
    }
}

/// A network interface, and whether a node looks for peers on it.
struct InterfaceFacts: Hashable, Sendable {
    let name: String
    let isLoopback: Bool
    let isRunning: Bool
    let supportsMulticast: Bool
    /// Address literals; link-local IPv6 addresses have their scope.
    let addresses: [String]
    let families: Set<AddressFamily>
    /// Why a node does not look for peers on it by choice; `nil` if it does.
    let skipReason: String?

    /// Whether a node looks for peers on it, and could find any.
    var isUsed: Bool { !isLoopback && isRunning && !addresses.isEmpty && skipReason == nil }
}

/// A subnet of this machine whose packets leave by an interface that is not in it.
struct CapturedRoute: Hashable, Sendable {
    let subnet: String
    let expectedInterface: String
    /// `nil` if the kernel refuses to send.
    let actualInterface: String?
}

/// The result of the multicast test on one interface and address family.
struct MulticastOutcome: Hashable, Sendable {
    let interface: String
    let family: AddressFamily
    let outcome: MulticastSelfTest.Outcome
}
