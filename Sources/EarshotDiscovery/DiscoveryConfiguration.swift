/// How this node looks for others.
public struct DiscoveryConfiguration: Sendable, Hashable {
    /// Interfaces that lead to containers, virtual machines and tunnels, and to no person.
    public static let virtualInterfaces: Set<String> = [
        "docker*", "veth*", "br-*", "virbr*", "tun*", "tap*", "wg*",
    ]

    /// Names of interfaces that peers are not looked for on. A `*` at the end stands for anything.
    public var skippedInterfaces: Set<String>

    public init(skippedInterfaces: Set<String> = virtualInterfaces) {
        self.skippedInterfaces = skippedInterfaces
    }

    /// Whether peers are looked for on an interface.
    public func includes(interface: String) -> Bool {
        !skippedInterfaces.contains { pattern in
            pattern.hasSuffix("*") ? interface.hasPrefix(pattern.dropLast()) : interface == pattern
        }
    }
}
