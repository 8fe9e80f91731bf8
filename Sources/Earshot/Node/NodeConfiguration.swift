public import EarshotDiscovery
public import Logging

/// Everything about a node that its program decides.
public struct NodeConfiguration: Sendable {
    /// The TCP port that peers connect to; 0 lets the system choose one, and discovery tells it to peers.
    public var port: UInt16
    /// Peers at known addresses, for networks that block multicast.
    public var staticPeers: [PeerAddress]
    /// Where peers are looked for. Without any only static and remembered addresses are dialled.
    public var discoverySources: [any DiscoverySource]
    /// Takes what the node has to say about itself. No text of a message and no secret is ever in it.
    public var logger: Logger

    public init(
        port: UInt16 = 0, staticPeers: [PeerAddress] = [],
        discoverySources: [any DiscoverySource] = [DNSSDSource()],
        logger: Logger = Logger(label: "earshot", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.port = port
        self.staticPeers = staticPeers
        self.discoverySources = discoverySources
        self.logger = logger
    }
}
