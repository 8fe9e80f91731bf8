import ArgumentParser
import Earshot
import EarshotGateway
import Foundation
import Logging

struct Up: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a node, with its local API, until SIGINT or SIGTERM.",
        discussion: """
            Prints a line when the node is up, and then what people may want to know: who comes and goes, and what \
            does not work.

            With --allow or --only-known the node links only to those users, and refuses everybody else with a reason. \
            Keys decide: somebody else who takes the name is not let in. The choice is for this run only. It does not \
            apply to a node that another command starts because none runs.

            EXAMPLES:
              earshot up
              earshot up --port 7000 --peer 192.168.1.20:7000 --no-discovery
              earshot up --json | jq .
              earshot up --allow alice --allow bob@3fk9
              earshot up --http
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var network: NetworkOptions
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup var api: HTTPOption

    @Option(
        help: "Write the node's log to standard error, from this level on: \(Logger.Level.list).",
        transform: Logger.Level.parse)
    var logLevel: Logger.Level?

    @Option(help: "How the log is written: text, or json with one object a line.")
    var logFormat = LogFormat.text

    private static let events: Set<EventName> = [
        .userDiscovered, .userUpdated, .identityConflict, .linkFailed, .clockSkewed, .storageFailed, .storageRecovered,
        .historyRecovered,
        .credentialWillExpire, .credentialExpired, .credentialRenewed, .credentialNotYetValid,
        .discoveryUnavailable, .discoveryAvailable, .otherNetworkSeen,
    ]

    private struct Record: Encodable {
        let name = "up"
        let pid = ProcessInfo.processInfo.processIdentifier
        let status: GatewayStatus
        /// Of the local API on TCP, if it is served there.
        let httpPort: Int?
    }

    func execute(_ output: Output) async throws {
        let passphrase = try passphrase.read(confirming: false)
        // From here on, signals stop the node instead of killing it.
        let signal = Signals.awaiting([SIGINT, SIGTERM])
        let home = common.homeDirectory
        try home.check()
        let coming = try HomeMark(.coming, of: home)
        let node = try await open(home, passphrase, output)
        let admitted = try await admission.apply(to: node)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let http = api.http.map { Gateway.HTTPOptions(port: Int($0)) { port.yield($0) } }
        try await NodeHost(node: node, http: http, requestsPerSecond: api.httpRate).run { client, start in
            // Subscribes before the node is on the network, so that it misses nothing.
            try await client.withEvents(Self.events) { events in
                _ = try await start()
                coming?.remove()
                let (status, names) = (try await client.status(), try await client.names())
                let httpPort = http == nil ? nil : await ports.first { _ in true }
                // Announced last, so that a node which is announced as up already has its socket.
                try await announce(status, httpPort: httpPort, on: output)
                if let admitted { announce(admitted, names, on: output) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await signal.wait() }
                    group.addTask {
                        var log = NodeLog(output: output, status: status, names: names)
                        for try await event in events { try log.write(event) }
                    }
                    try await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    /// Opens the node. If a short-lived one has the home, this waits until the commands that use it have ended.
    private func open(_ home: Home, _ passphrase: Passphrase?, _ output: Output) async throws -> Node {
        let configuration = network.configuration(logger: logger)
        let begin = ContinuousClock.now
        var isNoted = false
        while true {
            do {
                return try await Node.open(home, configuration: configuration, passphrase: passphrase)
            } catch {
                guard error.code == .homeInUse else { throw error }
                let waited = ContinuousClock.now - begin
                guard HomeMark.isSet(.shortLived, of: home), waited < NodeLease.patience else { throw error }
                if waited > Self.silentWait, !isNoted {
                    output.note("waiting for commands that use the home directory to end")
                    isNoted = true
                }
                try await Task.sleep(for: NodeLease.interval)
            }
        }
    }

    /// Nobody is told of a shorter wait.
    private static let silentWait = Duration.seconds(2)

    private func announce(_ status: GatewayStatus, httpPort: Int?, on output: Output) async throws {
        let port = status.port.map(String.init) ?? "unknown"
        output.line(
            "\(output.style.bold(SafeText.line(status.name))) is up: fingerprint \(status.fingerprint), port \(port)")
        if let httpPort {
            output.line("programs with a token reach it at http://127.0.0.1:\(httpPort)/v1 (earshot token create)")
        }
        try output.object(Record(status: status, httpPort: httpPort))
    }

    /// Only for people: as JSON, a node that is up prints its status.
    private func announce(_ admitted: Set<UserID>, _ names: NameBook, on output: Output) {
        let shown = admitted.sorted().prefix(Self.listed)
            .map { names.shown(GatewayParty(id: $0.description, name: nil)) }.joined(separator: ", ")
        let more = admitted.count > Self.listed ? ", and \(admitted.count - Self.listed) more" : ""
        output.line("admits only: \(admitted.isEmpty ? "nobody" : shown + more)")
    }

    /// How many of the admitted users are named.
    private static let listed = 8

    private var logger: Logger? {
        logLevel.map { level in
            var logger = Logger(label: "earshot", factory: logFormat.handler)
            logger.logLevel = level
            return logger
        }
    }
}

extension Logger.Level {
    fileprivate static let list = allCases.map(\.rawValue).joined(separator: ", ")

    @Sendable fileprivate static func parse(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            throw ValidationError("There is no log level \"\(SafeText.line(text))\". There are: \(list).")
        }
        return level
    }
}
