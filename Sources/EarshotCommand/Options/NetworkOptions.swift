import ArgumentParser
import Earshot
import Logging

/// How a node that the command starts reaches others.
struct NetworkOptions: ParsableArguments {
    @Option(help: "The TCP port that peers connect to; the system chooses one unless given.")
    var port: UInt16 = 0

    @Option(
        name: .customLong("peer"), parsing: .singleValue,
        help: ArgumentHelp(
            "A peer at a known address, for networks that block multicast. May be repeated.", valueName: "host:port"),
        transform: Self.address)
    var peers: [PeerAddress] = []

    @Flag(name: .customLong("no-discovery"), help: "Neither look for peers with DNS-SD nor be found by it.")
    var isUndiscoverable = false

    func configuration(logger: Logger? = nil) -> NodeConfiguration {
        var configuration = NodeConfiguration(port: port, staticPeers: peers)
        if isUndiscoverable { configuration.discoverySources = [] }
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
