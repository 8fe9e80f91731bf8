import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

/// The node that commands share where none runs. A command starts it, and it ends when no command needs it (`NodeLease`).
struct ShortLivedNode: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "short-lived-node", abstract: "The node of commands that run where there is none.",
        shouldDisplay: false)

    @OptionGroup var common: CommonOptions
    @OptionGroup var network: NetworkOptions

    @Flag(name: .customLong("online"), help: "Be on the network from the beginning.")
    var isOnline = false

    @Option(help: "The descriptor on which it tells that it is ready.")
    var tells: Int32

    /// Starts it, and returns when it answers.
    /// - Parameter network: how it reaches others; `nil` if it need not.
    /// - Throws: `Failure`: why it cannot run.
    static func start(on home: Home, _ network: NetworkOptions?) async throws {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else {
            throw Failure(.programUnusable, "/dev/null cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(nothing) }
        _ = try await Readiness.start(descriptors: [nothing, nothing, nothing], isOwnSession: true) { descriptor in
            [configuration.commandName ?? "", "--home", home.path, "--tells", "\(descriptor)"]
                + (network.map { ["--online"] + $0.arguments } ?? [])
        }
    }

    func execute(_ output: Output) async throws {
        let teller = Readiness.Sender(descriptor: tells)
        do {
            let home = common.homeDirectory
            guard let mark = try HomeMark(.shortLived, of: home) else {
                throw Failure(.homeInUse, "a node of other commands runs on \(home.path) already")
            }
            // Both stay until the lock of the home directory is free. Nobody takes this node for one that can be used, and
            // nobody who waits for the home takes it for one that stays.
            let closing = try await run(on: home, teller)
            withExtendedLifetime((mark, closing)) {}
        } catch {
            teller.failed(Failure(error))
            throw error
        }
    }

    /// - Returns: what keeps commands from using a node that is ending.
    private func run(on home: Home, _ teller: Readiness.Sender) async throws -> HomeMark? {
        let signal = Signals.awaiting([SIGINT, SIGTERM, SIGHUP])
        let node = try await Node.open(home, configuration: try await network.completed(by: home).configuration())
        return try await NodeHost(node: node).run { _, start in
            if isOnline { _ = try await start() }
            teller.ready()
            return try await withThrowingTaskGroup(of: HomeMark?.self) { group in
                group.addTask {
                    await signal.wait()
                    return nil
                }
                group.addTask { try await serve(home, start) }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
    }

    /// Returns when no command uses the node.
    private func serve(_ home: Home, _ start: NodeHost.Start) async throws -> HomeMark {
        var isOnline = isOnline
        while true {
            if !isOnline, HomeMark.isSet(.network, of: home) {
                _ = try await start()
                isOnline = true
            }
            if let closing = try HomeMark(.guest, of: home) { return closing }
            try await Task.sleep(for: NodeLease.interval)
        }
    }
}
