public import CoreMetrics
public import Logging
import NIOPosix

public import protocol NIOCore.EventLoopGroup

/// Everything about a node that its program decides.
public struct NodeConfiguration: Sendable {
    /// The TCP port that peers connect to; 0 takes the one of the last run, or lets the system choose, and discovery
    /// tells it to peers.
    public var port: UInt16
    /// Peers at known addresses, for networks that block multicast; at most 256.
    public var staticPeers: [PeerAddress]
    /// The interfaces that peers are looked for on, and whose changes have them dialled anew.
    public var interfaces: DiscoveryConfiguration
    /// How peers are looked for.
    public var discovery: PeerDiscovery
    /// Takes what the node has to say about itself. No text of a message and no secret is ever in it.
    public var logger: Logger
    /// Takes what the node measures (`NodeMetric`). With `PrometheusMetrics` the local API shows it.
    public var metrics: any MetricsFactory
    /// Where the node's connections live: one event loop of it, which must be one of NIOPosix. A program that hands in its
    /// own may give an `EventLoop` too, and keeps it until the node has stopped.
    public var eventLoopGroup: any EventLoopGroup

    /// - Parameters:
    ///   - port: the TCP port that peers connect to; 0 takes the one of the last run, or lets the system choose.
    ///   - staticPeers: peers at known addresses.
    ///   - interfaces: the interfaces that peers are looked for on.
    ///   - discovery: how peers are looked for.
    ///   - logger: takes what the node has to say about itself; nothing unless given.
    ///   - metrics: what this process was bootstrapped with, unless given; as a rule nothing.
    ///   - eventLoopGroup: the one that NIO shares within a process, unless given.
    public init(
        port: UInt16 = 0, staticPeers: [PeerAddress] = [],
        interfaces: DiscoveryConfiguration = DiscoveryConfiguration(),
        discovery: PeerDiscovery = .dnssd,
        logger: Logger = Logger(label: "earshot", factory: { _ in SwiftLogNoOpLogHandler() }),
        metrics: any MetricsFactory = MetricsSystem.factory, eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.port = port
        self.staticPeers = staticPeers
        self.interfaces = interfaces
        self.discovery = discovery
        self.logger = logger
        self.metrics = metrics
        self.eventLoopGroup = eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
    }
}
