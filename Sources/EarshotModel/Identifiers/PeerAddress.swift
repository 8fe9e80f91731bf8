/// Where a peer may be reached: a host name or an address literal (`fe80::1%eth0` keeps its scope), and a port.
public struct PeerAddress: Hashable, Sendable {
    public let host: String
    public let port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, `1.2.3.4:port` and `[v6]:port`.
    package init?(_ description: String) {
        let text = description[...]
        guard let colon = text.lastIndex(of: ":"), !text.contains(where: \.isWhitespace) else { return nil }
        let digits = text[text.index(after: colon)...]
        guard let port = UInt16(digits), port > 0, String(port) == digits else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("[") && host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: { $0 == "[" || $0 == "]" }) else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
