import ArgumentParser
import Earshot
import EarshotDiscovery
import Logging

/// How a node that the command starts reaches others.
struct NetworkOptions: ParsableArguments {
    /// What nodes listen on unless their home has another port already. The firewall profiles of the package open it.
    static let defaultPort: UInt16 = 28_350

    @Option(
        help: ArgumentHelp(
            "The TCP port that peers connect to; by default that of the last run, else \(defaultPort), else any.",
            valueName: "port"))
    var port: UInt16?

    @Option(
        name: .customLong("peer"), parsing: .singleValue,
        help: ArgumentHelp(
            "A peer at a known address, for networks that block multicast. May be repeated.", valueName: "host:port"),
        transform: { text in try Self.validated { () throws(DiscoveryError) in try StaticPeers.address(text) } })
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
            "Do not look for peers on an interface. May be repeated; a * at the end stands for anything.",
            valueName: "name"))
    var skippedInterfaces: [String] = []

    @Flag(name: .customLong("no-discovery"), help: "Do not use DNS-SD: find nobody, and be found by nobody.")
    var isUndiscoverable = false

    /// The options as another process of this program takes them.
    var arguments: [String] {
        var arguments = port.map { ["--port", "\($0)"] } ?? []
        for peer in peers { arguments += ["--peer", "\(peer)"] }
        for name in includedInterfaces { arguments += ["--interface", name] }
        for name in skippedInterfaces { arguments += ["--skip-interface", name] }
        return isUndiscoverable ? arguments + ["--no-discovery"] : arguments
    }

    /// These options, and what the configuration file of a home directory says where they say nothing.
    /// - Throws: `Failure` `invalidConfiguration`.
    func completed(by home: Home) async throws -> NetworkOptions {
        try NetworkOptions.parse(try await HomeConfiguration(of: home).arguments(for: NetworkOptions.self) + arguments)
    }

    func configuration(logger: Logger? = nil) -> NodeConfiguration {
        var interfaces = DiscoveryConfiguration()
        interfaces.includedInterfaces.formUnion(includedInterfaces)
        interfaces.skippedInterfaces.formUnion(skippedInterfaces)
        var configuration = NodeConfiguration(
            port: port ?? 0, staticPeers: peers, interfaces: interfaces, discovery: isUndiscoverable ? .off : .dnssd,
            logger: logger ?? .quiet, metrics: PrometheusMetrics())
        configuration.preferredPort = Self.defaultPort
        return configuration
    }

    func validate() throws {
        _ = try Self.validated { () throws(DiscoveryError) in try StaticPeers(peers) }
    }

    private static func validated<Result>(_ read: () throws(DiscoveryError) -> Result) throws -> Result {
        do { return try read() } catch {
            throw ValidationError("\(SafeText.line(error.message)): \(Remedy.addresses)")
        }
    }
}
