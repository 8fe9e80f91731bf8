import ArgumentParser
import Earshot
import EarshotGateway
import Foundation
import Logging

struct Up: ProgramCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a node, with its local API, until SIGINT or SIGTERM.",
        discussion: """
            Prints a line when the node is up, and one for whatever people may want to know: who comes and goes, and \
            what does not work.

            EXAMPLES:
              earshot up
              earshot up --port 7000 --peer 192.168.1.20:7000 --no-discovery
              earshot up --json | jq .
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var network: NetworkOptions
    @OptionGroup var passphrase: PassphraseOptions

    @Option(
        help: "Write the node's log to standard error, from this level on: \(Logger.Level.list).",
        transform: Logger.Level.parse)
    var logLevel: Logger.Level?

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
    }

    func execute(_ output: Output) async throws {
        let passphrase = try passphrase.read(confirming: false)
        // From here on the node is stopped and not killed.
        let signal = Signals.awaiting([SIGINT, SIGTERM])
        let node = try Node(
            home: common.homeDirectory, configuration: network.configuration(logger: logger),
            passphrase: passphrase)
        try await NodeHost(node: node).run { client, start in
            // Before the node is on the network, so that nothing is missed.
            let events = try await client.events(Self.events)
            _ = try await start()
            let status = try await client.status()
            try await announce(status, on: output)
            let names = try await client.names()
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

    private func announce(_ status: GatewayStatus, on output: Output) async throws {
        let port = status.port.map(String.init) ?? "unknown"
        output.line(
            "\(output.style.bold(SafeText.line(status.name))) is up: fingerprint \(status.fingerprint), port \(port)")
        try output.object(Record(status: status))
    }

    private var logger: Logger? {
        logLevel.map { level in
            var logger = Logger(label: "earshot", factory: { StreamLogHandler.standardError(label: $0) })
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
