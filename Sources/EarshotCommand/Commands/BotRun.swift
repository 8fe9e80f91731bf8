import ArgumentParser
import Earshot
import EarshotGateway
import Foundation
import Logging

struct BotRun: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a program as a bot, until SIGINT or SIGTERM.",
        discussion: """
            The program is started once, and again whenever it ends. It gets each message as one line of JSON on its \
            standard input:

              {"type":"message","message":{"id":ID,"text":"hello",…},"attempt":1}

            and says in lines on its standard output what became of it:

              {"ack":ID}                              it is done
              {"ack":ID,"send":[{"text":"hi"}]}       the same, with answers
              {"fail":ID,"reason":"no database"}      not now: it comes again
              {"send":[{"to":"bob","text":"hi"}]}     what answers no message

            What is sent has a text, and may have to (else the sender), headers, notBefore, when it is to go out \
            (2026-01-31T12:00:00Z), and idempotencyKey: sent again with the same one, it is sent once. A line that is wrong comes \
            back as {"type":"error","message":"…"}. If it was about a message, the program has failed on that, and the \
            error has its "id"; it wants no answer. What the program \
            writes to standard error is in the log. It has $EARSHOT_BOT, its name, $EARSHOT_USER, its own key, and \
            $EARSHOT_HOME.

            Answers and the acknowledgement of their message are one: the program answers nothing twice and misses \
            nothing, whenever it or the node ends. A message that it fails on five times is set aside, with the reason \
            (earshot bot retry); it has failed, too, if the program ends or says nothing for 60 seconds. Until then the \
            others wait, because messages come in the order of arrival.

            Where a node runs on the home directory, the bot works beside it, and waits for it when it ends; else the \
            command runs the node, too, until earshot up runs one that stays. With --socket it works beside the node that has this socket, for example \
            one of earshot test-network, and needs no home directory.

            EXAMPLES:
              earshot bot run echo --exec ./echo.py
              earshot bot run reminders --home robot --exec python3 reminders.py
              earshot bot run echo --socket net/robot.sock --exec ./echo.py
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup(title: "If no node runs") var network: NetworkOptions

    @Argument(help: "The bot's name: the node remembers under it how far the bot has come.")
    var name: String

    @Option(
        name: .customLong("exec"), parsing: .remaining,
        help: ArgumentHelp("The program and its arguments. Everything behind this belongs to it.", valueName: "program")
    )
    var program: [String] = []

    @Option(
        help: ArgumentHelp(
            "The socket of a running node's local API, in place of a home directory.", valueName: "path"))
    var socket: String?

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "Where a bot begins that has not run before: \(InboxStartOption.help).",
            valueName: InboxStartOption.valueName),
        transform: InboxStartOption.read)
    var start = "now"

    @Option(help: "After how many failures a message is set aside.")
    var attempts = Inbox.defaultAttempts

    @Option(help: "How many messages the program may have at once, one of each sender.")
    var atOnce = 1

    @Option(
        help: ArgumentHelp(
            "How long the program may have a message before it is killed and started again; 60 seconds unless given.",
            valueName: SpanOfTime.valueName), transform: SpanOfTime.readPositive)
    var timeout: Duration?

    @Option(
        help: ArgumentHelp(
            "Accept invitations to private conversations, until the bot's user is in so many; none unless given.",
            valueName: "number"))
    var acceptInvitations = 0

    @Flag(help: "Take messages, too, that other programs sent by themselves.")
    var takeAutomatic = false

    @Option(help: "How the log is written: text, or json with one object a line.")
    var logFormat = LogFormat.text

    func validate() throws {
        guard !program.isEmpty else { throw ValidationError("--exec is missing: it names the program.") }
        guard socket == nil || common.home == nil && network.arguments.isEmpty else {
            throw ValidationError("--socket names a node that runs: it goes with no --home, and no option of a node.")
        }
        guard (1...Limits.botMessages).contains(atOnce) else {
            throw ValidationError("--at-once takes a number from 1 to \(Limits.botMessages).")
        }
        guard (0...Self.mostConversations).contains(acceptInvitations) else {
            throw ValidationError("--accept-invitations takes a number from 0 to \(Self.mostConversations).")
        }
        guard (1...Self.mostAttempts).contains(attempts) else {
            throw ValidationError("--attempts takes a number from 1 to \(Self.mostAttempts).")
        }
    }

    private static let mostAttempts = 1000
    private static let mostConversations = 1000

    var waitsForReader: Bool { false }

    private struct Record: Encodable {
        let name = "botUp"
        let bot: String
    }

    /// A wrong name is an error at once, instead of restarts that all fail.
    private func checkProgram() throws(Failure) {
        guard let path = program.first, ProgramPath.find(path) == nil else { return }
        throw Failure(
            .programUnusable, "\(SafeText.line(path)) is no program that can be run",
            remedy: "give --exec the path of a program, and make it executable: chmod +x FILE")
    }

    func execute(_ output: Output) async throws {
        // From here on, signals end the bot instead of killing it.
        let signal = Signals.awaiting([SIGINT, SIGTERM])
        try checkProgram()
        if let socket { return try await run(beside: GatewayClient(socketPath: socket), until: signal, output) }
        let home = common.homeDirectory
        try home.check()
        guard let node = try await open(home) else {
            return try await run(beside: GatewayClient(home: home), until: signal, output)
        }
        try await run(on: node, of: home, until: signal, output)
    }

    /// Runs the bot and its node. The node gives way to one that stays, as of `earshot up`, and the bot goes on beside that.
    private func run(on node: Node, of home: Home, until signal: SignalWait, _ output: Output) async throws {
        let client = try GatewayClient(home: home)
        let (prepared, isPrepared) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let (end, ends) = AsyncStream<Never>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let mark = try HomeMark(.givesWay, of: home) else {
                    throw Failure(.homeInUse, "another bot runs a node on \(home.path) already")
                }
                defer { isPrepared.finish() }
                try await NodeHost(node: node).run { client, start in
                    // Before the node is on the network, so that the bot misses nothing.
                    try await inbox(client).prepare()
                    _ = try await start()
                    isPrepared.yield()
                    try await NodeLease.anotherComes(to: home, unless: end)
                }
                withExtendedLifetime(mark) {}
            }
            group.addTask {
                defer { ends.finish() }
                guard await prepared.first(where: { true }) != nil else { return }
                try await run(inbox(client), until: signal, output)
            }
            // The node may end before the bot does, and then ends for it; if either fails, the other ends.
            try await group.waitForAll()
        }
    }

    private func run(beside client: GatewayClient, until signal: SignalWait, _ output: Output) async throws {
        let inbox = inbox(client)
        try await inbox.prepare()
        try await run(inbox, until: signal, output)
    }

    private func inbox(_ client: GatewayClient) -> BotInbox {
        BotInbox(client: client, bot: name, takesAutomatic: takeAutomatic, start: start, attempts: attempts)
    }

    /// Opens the node. If a short-lived one has the home, this waits until the commands that use it have ended.
    /// - Returns: `nil` where a node runs that stays, and answers.
    private func open(_ home: Home) async throws -> Node? {
        let coming = Session.pid(of: home) == nil ? try HomeMark(.coming, of: home) : nil
        defer { coming?.remove() }
        let begin = ContinuousClock.now
        while true {
            let waited = ContinuousClock.now - begin
            if Session.pid(of: home) != nil {
                do throws(GatewayError) {
                    _ = try await GatewayClient(home: home).status()
                    return nil
                } catch {
                    // A node takes the lock first and opens its socket a little later, and may end while it is asked.
                    guard [.noNode, .connectionLost].contains(error.code), waited < NodeLease.patience else {
                        throw error
                    }
                }
            } else {
                do { return try await Node.open(home, configuration: network.configuration(logger: nil)) } catch {
                    guard error.code == .homeInUse, waited < NodeLease.patience else { throw error }
                }
            }
            try await Task.sleep(for: NodeLease.interval)
        }
    }

    private func run(_ inbox: BotInbox, until signal: SignalWait, _ output: Output) async throws {
        var logger = Logger(label: name, factory: logFormat.handler)
        logger.logLevel = .info
        var environment = ["EARSHOT_BOT": name, "EARSHOT_USER": try await inbox.client.status().id]
        if socket == nil { environment["EARSHOT_HOME"] = common.homeDirectory.path }
        let runner = BotRunner(
            ExecBot(limit: atOnce, patience: timeout ?? .seconds(60)), program: program[0], Array(program.dropFirst()),
            environment: environment, inbox: inbox, logger: logger)
        let invitations = BotInvitations(client: inbox.client, limit: acceptInvitations, logger: logger)
        try output.object(Record(bot: name))
        output.line("\(SafeText.line(name)) runs")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await runner.run() }
            group.addTask { try await invitations.run() }
            group.addTask {
                await signal.wait()
                await runner.end()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
