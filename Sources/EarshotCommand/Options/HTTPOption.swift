import ArgumentParser
import EarshotGateway

/// How the node serves its local API on TCP.
struct HTTPOption: ParsableArguments {
    @Option(
        defaultAsFlag: UInt16(GatewayLimits.httpPort),
        help: ArgumentHelp(
            "Serve the local API on 127.0.0.1, too, on this TCP port or on \(GatewayLimits.httpPort). Nothing works "
                + "there without a token: earshot token create.", valueName: "port"))
    var http: UInt16?

    @Option(
        help: ArgumentHelp("How many requests a second each token may send, on average.", valueName: "number"))
    var httpRate = GatewayLimits.requestsPerSecond

    func validate() throws {
        guard (1...1_000_000).contains(httpRate) else { throw ValidationError("--http-rate is at least 1.") }
    }
}
