package import EarshotModel

/// Peers that a person named (`--peer host:port`), for networks that block multicast.
///
/// Nothing is known of them but where they are: a node dials them, and the handshake says who they are.
package struct StaticPeers: Sendable, Hashable {
    /// A node dials each of them again and again, so it takes no more.
    package static let maximumCount = 256
    /// The longest name of a host (RFC 1035 section 2.3.4).
    static let maximumHostBytes = 253
    /// The longest part of a host's name between two dots (RFC 1035 section 2.3.4).
    static let maximumLabelBytes = 63
    /// The longest name of an interface (IFNAMSIZ in Linux's if.h, without the zero at its end).
    static let maximumScopeBytes = 15

    /// Each once, in the order they were named.
    package let addresses: [PeerAddress]

    /// - Throws: `invalidAddress`, which quotes what is wrong, or `tooManyAddresses`.
    package init(_ addresses: some Sequence<PeerAddress>) throws(DiscoveryError) {
        var distinct: [PeerAddress] = []
        for address in addresses where !distinct.contains(address) {
            try Self.check(address)
            guard distinct.count < Self.maximumCount else {
                throw DiscoveryError(.tooManyAddresses, "more than \(Self.maximumCount) peers are named")
            }
            distinct.append(address)
        }
        self.addresses = distinct
    }

    /// Reads `host:port`, `1.2.3.4:port` and `[v6]:port`; `[fe80::1%eth0]:port` keeps its scope.
    /// - Throws: `invalidAddress`, which quotes what is wrong.
    package static func address(_ text: String) throws(DiscoveryError) -> PeerAddress {
        guard let address = PeerAddress(text) else {
            throw DiscoveryError(.invalidAddress, "\"\(shown(text))\" is not a host and a port")
        }
        guard !text.hasPrefix("[") || address.host.contains(":") else { throw invalid(address.host, "an IPv6 address") }
        try check(address)
        return address
    }

    private static func check(_ address: PeerAddress) throws(DiscoveryError) {
        let host = address.host
        guard address.port > 0 else {
            throw DiscoveryError(.invalidAddress, "\"\(shown(host)):0\" has no port that can be dialled")
        }
        if host.contains(":") {
            guard isIPv6(host) else { throw invalid(host, "an IPv6 address") }
        } else if host.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }) {
            guard IPAddress(literal: host) != nil else { throw invalid(host, "an IPv4 address") }
        } else {
            guard isHostName(host) else { throw invalid(host, "a host name") }
        }
    }

    private static func invalid(_ host: String, _ kind: String) -> DiscoveryError {
        DiscoveryError(.invalidAddress, "\"\(shown(host))\" is not \(kind)")
    }

    private static func shown(_ text: String) -> Substring { text.prefix(maximumHostBytes) }

    private static func isHostName(_ host: String) -> Bool {
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // A dot at the end says that the name is complete.
        let named = labels.count > 1 && labels.last?.isEmpty == true ? labels.dropLast() : labels[...]
        return host.utf8.count <= maximumHostBytes
            && named.allSatisfy { (1...maximumLabelBytes).contains($0.count) && $0.allSatisfy(isHostNameByte) }
    }

    private static func isHostNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isIPv6(_ host: String) -> Bool {
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(literal: String(parts[0])), address.family == .ipv6 else { return false }
        return parts.count == 1 || (1...maximumScopeBytes).contains(parts[1].utf8.count)
    }
}
