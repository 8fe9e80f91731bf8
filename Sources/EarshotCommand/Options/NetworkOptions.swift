import ArgumentParser
import Earshot
import Logging

/// How a node that the command starts reaches others.
struct NetworkOptions: ParsableArguments {
    @Option(help: "The TCP port that peers connect to; that of the last run, or any, unless given.")
    var port: UInt16 = 0

    @Option(
        name: .customLong("peer"), parsing: .singleValue,
        help: ArgumentHelp(
            "A peer at a known address, for networks that block multicast. May be repeated.", valueName: "host:port"),
        transform: Self.address)
    var peers: [PeerAddress] = []

    @Option(
        name: .customLong("interface"), parsing: .singleValue,
        help: ArgumentHelp(
            "Look for peers on an interface that leads to containers or tunnels, too. May be repeated.",
            valueName: "name"))
    var includedInterfaces: [String] = []

    @Option(
        name: .customLong("skip-interface"), parsing: .singleValue,
        help: ArgumentHelp(
            "Look for nobody on an interface. May be repeated; a * at the end stands for anything.",
            valueName: "name"))
    var skippedInterfaces: [String] = []

    @Flag(name: .customLong("no-discovery"), help: "Neither look for peers with DNS-SD nor be found by it.")
    var isUndiscoverable = false

    func configuration(logger: Logger? = nil) -> NodeConfiguration {
        var interfaces = DiscoveryConfiguration()
        interfaces.includedInterfaces.formUnion(includedInterfaces)
        interfaces.skippedInterfaces.formUnion(skippedInterfaces)
        var configuration = NodeConfiguration(
            port: port, staticPeers: peers, interfaces: interfaces, discoverySources: isUndiscoverable ? [] : nil,
            metrics: PrometheusMetrics())
        if let logger { configuration.logger = logger }
        return configuration
    }

    private static func address(_ text: String) throws -> PeerAddress {
        guard let address = PeerAddress(text) else {
            throw ValidationError("\"\(SafeText.line(text))\" is not host:port, 1.2.3.4:port or [v6]:port")
        }
        return address
    }
}
