import ArgumentParser
import Earshot
import EarshotGateway
import Foundation
import Logging

struct Up: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run a node, with its local API, until SIGINT or SIGTERM.",
        discussion: """
            Prints a line when the node is up, how much is unread, and then what people may want to know: who comes and goes, what does \
            not work, and on a terminal who has written (and not what).

            With --allow or --only-known the node links only to those users, and refuses everybody else with a reason. \
            Keys decide: somebody else who takes the name is not let in. The choice is for this run only. It does not \
            apply to a node that another command starts because none runs.

            The home directory may have a file \(HomeConfiguration.fileName) with \(HomeConfiguration.whichOptions), by \
            their names without the dashes; the command line wins:

              port: 7000
              peer: [192.168.1.20:7000, otherhost:7000]
              only-known: true   # and nobody else

            EXAMPLES:
              earshot up
              earshot up --detach
              earshot up --on-message ~/bin/announce
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
    @OptionGroup(title: "When a message arrives") var arrivals: ArrivalOptions

    @Option(
        help: "Write the node's log to standard error, from this level on: \(Logger.Level.list).",
        transform: Logger.Level.parse)
    var logLevel: Logger.Level?

    @Option(help: "How the log is written: text, or json with one object a line.")
    var logFormat = LogFormat.text

    @Flag(name: .customLong("detach"), help: "Return when the node is up, which goes on in the background.")
    var isDetached = false

    @Option(help: .hidden)
    var tells: Int32?

    func validate() throws {
        guard !isDetached || passphrase.passphraseFd == nil else {
            throw ValidationError("With --detach the passphrase comes from a file or the terminal.")
        }
    }

    private static let events: Set<EventName> = [
        .conversationUpdated, .participantUpdated, .conversationAdvertised,
        .userDiscovered, .userUpdated, .identityConflict, .linkFailed, .clockSkewed, .clockSet, .storageFailed,
        .storageRecovered, .historyRecovered,
        .credentialWillExpire, .credentialExpired, .credentialRenewed, .credentialNotYetValid,
        .discoveryUnavailable, .discoveryAvailable, .otherNetworkSeen, .deviceRevoked,
        .deviceCopied,
    ]

    var waitsForReader: Bool { false }

    private struct Record: Encodable {
        let name = "up"
        let pid = ProcessInfo.processInfo.processIdentifier
        let status: GatewayStatus
        let unread: UnreadSummary
        /// Of the local API on TCP, if it is served there.
        let httpPort: Int?
    }

    func execute(_ output: Output) async throws {
        let configured = try await configured()
        if isDetached {
            let arguments = CommandLine.arguments.dropFirst(2).filter { $0 != "--detach" }
            try await DetachedNode.start(common.homeDirectory, arguments: arguments, output)
        } else if let tells {
            try await configured.runDetached(Readiness.Sender(descriptor: tells))
        } else {
            try await configured.serve {}
        }
    }

    /// The same command, with what the configuration file says where the command line says nothing.
    private func configured() async throws -> Up {
        let arguments = try await HomeConfiguration(of: common.homeDirectory).arguments(for: Up.self)
        guard !arguments.isEmpty else { return self }
        // The first argument is the program, the second the command.
        do { return try await Up.asyncParse(arguments + CommandLine.arguments.dropFirst(2)) } catch {
            throw Failure(
                .invalidConfiguration,
                "the command line does not go with \(HomeConfiguration.fileName): \(Up.message(for: error))")
        }
    }

    /// Runs the node in the background. Until it is up, failures are reported by the command that waits for it.
    private func runDetached(_ teller: Readiness.Sender) async throws {
        do { try await serve { teller.ready() } } catch {
            let failure = Failure(error)
            throw teller.failed(failure) ? failure.status.code : failure
        }
    }

    /// - Parameter onReady: called when the node is on the network, and its local API answers.
    private func serve(onReady: @escaping @Sendable () -> Void) async throws {
        ResidentMemory.begin()
        let home = common.homeDirectory
        try home.check()
        let passphrase = try passphrase.read(confirming: false)
        if tells != nil { try DetachedLog.begin(home) }
        let output = Output(isJSON: common.isJSON, isDated: true, waitsForReader: waitsForReader)
        // From here on, signals stop the node instead of killing it.
        let signal = Signals.awaiting([SIGINT, SIGTERM])
        let coming = try HomeMark(.coming, of: home)
        let hadPort = home.lastPort != nil
        let node = try await open(home, passphrase, output)
        let admitted = try await admission.apply(to: node)
        let manager = ServiceManager.current
        let (ports, port) = AsyncStream<Int>.makeStream()
        let http = api.http.map { Gateway.HTTPOptions(port: Int($0)) { port.yield($0) } }
        try await NodeHost(node: node, http: http, requestsPerSecond: api.httpRate).run { client, start in
            // Subscribes before the node is on the network, so that it misses nothing.
            // Somebody who reads a terminal wants to know of messages. A program that reads only the first lines would
            // hold the node up when the pipe is full.
            let tellsOfMessages = arrivals.isAsked || output.isTerminal
            let watched = tellsOfMessages ? Self.events.union([.messageReceived]) : Self.events
            try await client.withEvents(watched) { events in
                _ = try await start()
                coming?.remove()
                let status = try await client.status()
                let own = GatewayParty(id: status.id, name: status.name)
                let names = NameBook(try await client.users(), own: own)
                let unread = try await client.unread(ownID: status.id)
                let httpPort = http == nil ? nil : await ports.first { _ in true }
                // Announced last, so that a node which is announced as up already has its socket.
                try await announce(status, unread, httpPort: httpPort, hadPort: hadPort, on: output)
                if unread.messageCount > 0 { output.line("unread: \(unread.text(names))") }
                if let admitted { announce(admitted, names, on: output) }
                manager?.ready("\(status.name), port \(status.port.map(String.init) ?? "unknown")")
                onReady()
                let (messages, arrived) = AsyncStream<Arrivals.Item>.makeStream(
                    bufferingPolicy: .bufferingOldest(Arrivals.waiting))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await signal.wait() }
                    group.addTask {
                        var log = NodeLog(output: output, status: status, names: names)
                        let _: Never? = try await events.follow(patience: NodeLease.patience) { event in
                            try log.write(event)
                            var item = log.arrival(event)
                            item?.notifies = await Self.notifies(of: event, node)
                            if let item, case .dropped = arrived.yield(item) {
                                output.note("a message was not passed on: \(Arrivals.waiting) others wait")
                            }
                            return nil
                        }
                    }
                    if tells != nil { group.addTask { try await DetachedLog.keepShort() } }
                    group.addTask { try await ResidentMemory.keepSmall { await node.releaseMemory() } }
                    if let manager, let watchdog = manager.watchdog {
                        group.addTask { try await manager.showLife(every: watchdog / 2) { await Self.answers(client) } }
                    }
                    let arrivals = arrivals.handler(output)
                    async let handling: Void = arrivals.run(messages)
                    try await group.next()
                    group.cancelAll()
                    arrived.finish()
                    await handling
                }
                manager?.stopping()
            }
        }
    }

    /// What cannot be looked up is told.
    private static func notifies(of event: GatewayEvent, _ node: Node) async -> Bool {
        guard let messageID = event.message.flatMap({ MessageID($0.id) }) else { return true }
        do { return try await node.notifications.includes(try await node.messages.message(messageID)) } catch {
            return true
        }
    }

    private static func answers(_ client: GatewayClient) async -> Bool {
        do throws(GatewayError) {
            _ = try await client.status()
            return true
        } catch { return false }
    }

    /// Opens the node. If a short-lived one has the home, this waits until the commands that use it have ended. It may
    /// have ended since the attempt: only a home that is still held, and by no such node, is in use.
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
                let isFree = !HomeLock.isHeld(home)
                let isOnlyForNow = HomeMark.isSet(.shortLived, of: home) || HomeMark.isSet(.givesWay, of: home)
                guard isFree || isOnlyForNow, waited < NodeLease.patience else { throw error }
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

    private func announce(
        _ status: GatewayStatus, _ unread: UnreadSummary, httpPort: Int?, hadPort: Bool, on output: Output
    ) async throws {
        let port = status.port.map(String.init) ?? "unknown"
        // A home keeps the port that it once had.
        let isFallback = (network.port ?? 0) == 0 && !hadPort && status.port != NetworkOptions.defaultPort
        let instead = isFallback ? " (\(NetworkOptions.defaultPort) was taken)" : ""
        output.line(
            "\(output.style.bold(SafeText.line(status.name))) is up: fingerprint \(status.fingerprint), "
                + "port \(port)\(instead)")
        if let httpPort {
            output.line("programs with a token reach it at http://127.0.0.1:\(httpPort)/v1 (earshot token create)")
        }
        try output.object(Record(status: status, unread: unread, httpPort: httpPort))
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
