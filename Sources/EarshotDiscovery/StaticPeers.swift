public import EarshotModel

/// Peers that a person named (`--peer host:port`), for networks that block multicast.
///
/// Nothing is known of them but where they are: dial them, and the handshake says who they are.
public struct StaticPeers: Sendable, Hashable {
    /// More are refused, as every one of them is dialled again and again.
    public static let maximumCount = 256
    /// The longest name of a host (RFC 1035 section 2.3.4).
    static let maximumHostBytes = 253
    /// The longest name of an interface (IFNAMSIZ in Linux's if.h, without the zero at its end).
    static let maximumScopeBytes = 15

    /// Without duplicates, in the order they were named.
    public let addresses: [PeerAddress]

    /// Reads `host:port`, `1.2.3.4:port` and `[v6]:port`; `[fe80::1%eth0]:port` keeps its scope.
    /// - Throws: `invalidAddress`, which quotes the text, or `tooManyAddresses`.
    public init(parsing texts: some Sequence<String>) throws(DiscoveryError) {
        var addresses: [PeerAddress] = []
        for text in texts {
            let address = try Self.parse(text)
            if !addresses.contains(address) { addresses.append(address) }
            guard addresses.count <= Self.maximumCount else {
                throw DiscoveryError(.tooManyAddresses, "more than \(Self.maximumCount) peers are named")
            }
        }
        self.addresses = addresses
    }

    private static func parse(_ text: String) throws(DiscoveryError) -> PeerAddress {
        guard let address = PeerAddress(text), isHost(address.host, bracketed: text.hasPrefix("[")) else {
            let shown = text.prefix(maximumHostBytes)
            throw DiscoveryError(.invalidAddress, "'\(shown)' is not host:port or [IPv6 address]:port")
        }
        return address
    }

    private static func isHost(_ host: String, bracketed: Bool) -> Bool {
        if bracketed { return isIPv6(host) }
        if host.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }) { return IPAddress(literal: host) != nil }
        let isHostName = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            default: false
            }
        }
        return isHostName && host.utf8.count <= maximumHostBytes
    }

    private static func isIPv6(_ host: String) -> Bool {
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(literal: String(parts[0])), address.family == .ipv6 else { return false }
        return parts.count == 1 || (1...maximumScopeBytes).contains(parts[1].utf8.count)
    }
}
