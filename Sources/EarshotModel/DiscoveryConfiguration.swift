/// The interfaces on which this node looks for others.
public struct DiscoveryConfiguration: Sendable, Hashable {
    /// Interfaces that lead to containers, virtual machines and tunnels, and not to people.
    public static let virtualInterfaces: Set<String> = [
        "docker*", "veth*", "br-*", "virbr*", "podman*", "cni*", "flannel*", "lxc*", "lxd*", "vmnet*",
        "tun*", "tap*", "wg*", "ppp*", "ipsec*", "tailscale*", "zt*",
    ]

    /// Names of interfaces on which the node does not look for peers. A `*` at the end stands for anything.
    public var skippedInterfaces: Set<String>
    /// Names of interfaces on which the node looks for peers even if `skippedInterfaces` matches them. A `*` at the end
    /// stands for anything.
    public var includedInterfaces: Set<String>

    public init(
        skippedInterfaces: Set<String> = virtualInterfaces, includedInterfaces: Set<String> = []
    ) {
        self.skippedInterfaces = skippedInterfaces
        self.includedInterfaces = includedInterfaces
    }

    /// Whether the node looks for peers on an interface.
    package func includes(interface: String) -> Bool { reasonToSkip(interface: interface) == nil }

    /// Why the node does not look for peers on an interface, in a few words; `nil` if it does.
    package func reasonToSkip(interface: String) -> String? {
        guard !includedInterfaces.contains(where: { Self.matches(interface, $0) }),
            let pattern = skippedInterfaces.sorted().first(where: { Self.matches(interface, $0) })
        else { return nil }
        let isVirtual = Self.virtualInterfaces.contains(pattern)
        return "matches \(pattern): \(isVirtual ? "leads to containers or tunnels" : "left out by configuration")"
    }

    private static func matches(_ interface: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("*") ? interface.hasPrefix(pattern.dropLast()) : interface == pattern
    }
}
