public import CoreMetrics
public import Logging
import NIOPosix

public import protocol NIOCore.EventLoopGroup

/// The choices for a node that its program makes.
public struct NodeConfiguration: Sendable {
    /// The TCP port that peers connect to; 0 takes the port of the last run, or lets the system choose. Discovery
    /// advertises it to peers.
    public var port: UInt16
    /// Taken, if it is free, by a node without a configured port whose home has no last one.
    package var preferredPort: UInt16?
    /// Peers at known addresses, for networks that block multicast; at most 256.
    public var staticPeers: [PeerAddress]
    /// How many links the node may have.
    package var linkLimit = Limits.links
    /// The interfaces on which the node looks for peers. When one of them changes, it dials its peers anew.
    public var interfaces: DiscoveryConfiguration
    /// How the node looks for peers.
    public var discovery: PeerDiscovery
    /// How many users may be subscribed to at once (`Users.subscribe`); at least 1.
    public var subscribedUsers = 100
    /// The largest file that the node fetches without being asked, in bytes, if it comes from somebody whom its user has written
    /// to. Everything else waits for `Files.fetch`.
    public var fetchedFileBytes: UInt64 = 64 * 1024 * 1024
    /// How long a bot, or a loop over the inbox, may still take for what it has begun when it or the node is to end. What
    /// is not done then is broken off, and its messages come again.
    public var endingLimit = Duration.seconds(10)
    /// Receives the node's log records. They never contain the text of a message or a secret.
    public var logger: Logger
    /// Receives the node's metrics (`NodeMetric`). With `PrometheusMetrics`, the local API shows them.
    public var metrics: any MetricsFactory
    /// The node's connections live on one event loop of this group, which must be one of NIOPosix. A program that hands
    /// in its own may also give an `EventLoop`, and keeps it until the node has stopped.
    public var eventLoopGroup: any EventLoopGroup

    /// - Parameters:
    ///   - port: the TCP port that peers connect to; 0 takes the port of the last run, or lets the system choose.
    ///   - staticPeers: peers at known addresses.
    ///   - interfaces: the interfaces on which the node looks for peers.
    ///   - discovery: how the node looks for peers.
    ///   - logger: receives the node's log records; by default warnings and errors go to standard error. With
    ///     `Logger(label: "earshot", factory: { _ in SwiftLogNoOpLogHandler() })` nobody gets any.
    ///   - metrics: receives the node's metrics; by default the factory that this process was bootstrapped with,
    ///     usually none.
    ///   - eventLoopGroup: by default the group that NIO shares within a process.
    public init(
        port: UInt16 = 0, staticPeers: [PeerAddress] = [],
        interfaces: DiscoveryConfiguration = DiscoveryConfiguration(),
        discovery: PeerDiscovery = .dnssd,
        logger: Logger = Logger(
            label: "earshot",
            factory: { label in
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = .warning
                return handler
            }),
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

extension Logger {
    /// For nodes of tests: nobody reads what they log.
    package static let quiet = Logger(label: "earshot", factory: { _ in SwiftLogNoOpLogHandler() })
}
