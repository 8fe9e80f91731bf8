import Earshot
import EarshotGateway

/// A command's use of the node of a home directory. Where no node runs, the first command starts a short-lived one, which
/// all commands share and which ends when none of them needs it (`ShortLivedNode`).
///
/// Commands and nodes tell each other what they do by marks on the home directory (`HomeMark`):
/// - A command holds `guest` for as long as it uses the node. The short-lived node ends when it gets that mark alone, and
///   keeps it to its end, so no command begins to use a node that is ending.
/// - One command at a time holds `starting`, and starts the node.
/// - While a node that stays is `coming`, no command starts to use a short-lived one: it waits for the new node.
struct NodeLease {
    let client: GatewayClient
    /// The node's user.
    let own: GatewayParty
    /// Whether the node ends when no command uses it.
    let isShortLived: Bool
    private let home: Home
    private let marks: [HomeMark]

    /// How long a node that comes up may take until it answers.
    static let patience = Duration.seconds(30)
    /// The same for another program's node: it may have no local API. A short-lived one always has.
    private static let patienceWithOthers = Duration.seconds(5)
    static let interval = Duration.milliseconds(20)
    /// How often a command goes on with another node if the first one has ended before it was on the network.
    private static let attempts = 3

    /// - Parameter network: how a node that this command starts reaches others; `nil` for a command that needs only the
    ///   disk.
    /// - Throws: `EarshotError`, `GatewayError`, `Failure`.
    static func take(_ home: Home, network: NetworkOptions?) async throws -> NodeLease {
        try home.check()
        let client = try GatewayClient(home: home)
        var attempt = 1
        while true {
            let lease = try await take(home, client, network: network)
            guard network != nil, lease.isShortLived else { return lease }
            do {
                return try await lease.online()
            } catch let error as GatewayError where [.noNode, .connectionLost].contains(error.code) {
                guard attempt < attempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Returns when somebody brings up a node that stays, or a stream ends.
    static func anotherComes(to home: Home, unless end: AsyncStream<Never>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in end {} }
            group.addTask { while !HomeMark.isSet(.coming, of: home) { try await Task.sleep(for: interval) } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func take(_ home: Home, _ client: GatewayClient, network: NetworkOptions?) async throws -> NodeLease
    {
        let begin = ContinuousClock.now
        while true {
            let waited = ContinuousClock.now - begin
            if HomeMark.isSet(.coming, of: home), waited < patience {
                // A node that stays is on its way.
            } else if let guest = try HomeMark(.guest, of: home, isShared: true) {
                if !HomeLock.isHeld(home), let starting = try HomeMark(.starting, of: home) {
                    try await start(home, network)
                    starting.remove()
                }
                if HomeLock.isHeld(home), let status = try await status(client, home, waited: waited) {
                    let own = GatewayParty(id: status.id, name: status.name)
                    let isShortLived = HomeMark.isSet(.shortLived, of: home)
                    return NodeLease(client: client, own: own, isShortLived: isShortLived, home: home, marks: [guest])
                }
                guest.remove()
            }
            try await Task.sleep(for: interval)
        }
    }

    /// A node takes the lock first and opens its socket a little later.
    /// - Returns: `nil` if it does not answer yet.
    private static func status(
        _ client: GatewayClient, _ home: Home, waited: Duration
    ) async throws -> GatewayStatus? {
        do throws(GatewayError) { return try await client.status() } catch {
            let patience = HomeMark.isSet(.shortLived, of: home) ? patience : patienceWithOthers
            guard [.noNode, .connectionLost].contains(error.code), waited < patience else { throw error }
            return nil
        }
    }

    private static func start(_ home: Home, _ network: NetworkOptions?) async throws {
        guard !HomeLock.isHeld(home) else { return }
        do { try await ShortLivedNode.start(on: home, network) } catch let failure as Failure {
            // A program that does not set marks was faster.
            guard failure.code == .homeInUse else { throw failure }
        }
    }

    /// Waits until the short-lived node is on the network.
    private func online() async throws -> NodeLease {
        do {
            guard let network = try HomeMark(.network, of: home, isShared: true) else {
                preconditionFailure("nobody holds this mark alone")
            }
            try await client.withEvents([.nodeStateChanged]) { events in
                if try await client.status().port != nil { return }
                for try await event in events where event.port != nil { return }
                throw GatewayError(.connectionLost, "the node has ended before it was on the network")
            }
            return NodeLease(
                client: client, own: own, isShortLived: isShortLived, home: home, marks: marks + [network])
        } catch {
            for mark in marks { mark.remove() }
            throw error
        }
    }

    /// The command needs the node no longer. If nobody else does, this returns when a short-lived node has ended, so that
    /// the home directory is as free as before.
    func end() async {
        for mark in marks { mark.remove() }
        guard isShortLived else { return }
        let deadline = ContinuousClock.now + Self.patience
        while HomeMark.isSet(.shortLived, of: home), HomeMark.holders(of: .guest, of: home) != .sharing,
            ContinuousClock.now < deadline
        {
            // A command that was cancelled does not wait.
            do { try await Task.sleep(for: Self.interval) } catch { return }
        }
    }
}
