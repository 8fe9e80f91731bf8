import Earshot
import EarshotDiscovery
import EarshotModel
import Synchronization

/// A user's machine on a simulated network: a home, clocks, and the process of a node that runs, stops and crashes.
final class SimulatedHost: Sendable {
    /// One life of the node.
    private struct Life {
        let node: Node
        let process: SimulatedProcess
        let running: Task<Void, any Error>
    }

    private struct State {
        var life: Life?
        var isDiskFull = false
        var handOutFaults: HandOutFaults?
        var reporting: (@Sendable (NetworkChange) -> Void)?
    }

    let name: String
    /// The host's one address.
    let address: String
    let home: Home
    let clock: SimulatedClock
    private let timeline: Timeline
    private let wiring: Wiring
    private let announcements: Announcements
    private let state = Mutex(State())

    init(
        name: String, address: String, home: Home, clock: SimulatedClock, timeline: Timeline, wiring: Wiring,
        announcements: Announcements
    ) {
        self.name = name
        self.address = address
        self.home = home
        self.clock = clock
        self.timeline = timeline
        self.wiring = wiring
        self.announcements = announcements
    }

    /// The node, if it runs.
    var runningNode: Node? {
        state.withLock { $0.life?.node }.flatMap { $0.state.port == nil ? nil : $0 }
    }

    /// Whether a link between two hosts is to be expected.
    func canLink(to other: SimulatedHost, over wiring: Wiring) -> Bool {
        guard let own = runningNode, let others = other.runningNode else { return false }
        return own.networkTag == others.networkTag && !wiring.isCut(address, other.address)
            && ![self, other].contains { $0.state.withLock(\.isDiskFull) }
    }

    /// Opens the home, which it makes first if there is none, and puts the node on the network.
    func start() async throws(EarshotError) -> Node {
        if !home.isInitialized {
            _ = try home.create(name: name, passphrase: nil, now: clock.now.wallClock)
        }
        let process = SimulatedProcess()
        process.setDisk(isFull: state.withLock(\.isDiskFull))
        let source = SimulatedSource(host: address, announcements: announcements, process: process)
        let node = try await Node.open(
            home,
            configuration: NodeConfiguration(
                discovery: .sources([source]), logger: .quiet, eventLoopGroup: timeline.loop),
            environment: environment(of: process))
        let states = node.events.events(.nodeStateChanged)
        // Until the node's own task sleeps for the first time.
        clock.wake()
        let running = Task { [clock] in
            // Nobody sleeps longer than the node lives.
            defer { clock.rest() }
            try await node.run()
        }
        state.withLock { $0.life = Life(node: node, process: process, running: running) }
        var hasBegun = false
        for try await state in states where state.port != nil {
            hasBegun = true
            break
        }
        if !hasBegun {
            do { try await running.value } catch let error as EarshotError { throw error } catch {
                throw EarshotError(.internalError, "the node of \(name) did not begin: \(error)", cause: error)
            }
        }
        return node
    }

    private func environment(of process: SimulatedProcess) -> NodeEnvironment {
        var environment = NodeEnvironment(
            clock: clock,
            transport: { [address, wiring] _ in SimulatedTransport(host: address, wiring: wiring, process: process) },
            disk: { [timeline] store, _ in SimulatedDisk(store: store, timeline: timeline, process: process) }
        ) { [weak self] _, _, reporting in
            self?.state.withLock { $0.reporting = reporting }
            await untilCancelled()
            self?.state.withLock { $0.reporting = nil }
        }
        environment.inboxFaults = handOutFaults
        return environment
    }

    /// What is to go wrong between programs and the inbox of this host's node.
    var handOutFaults: HandOutFaults {
        let made = HandOutFaults {
            [weak self] in
            self?.runningNode
        } crash: {
            [weak self] in
            await self?.crash()
        }
        return state.withLock { state in
            let faults = state.handOutFaults ?? made
            state.handOutFaults = faults
            return faults
        }
    }

    /// Something about the host changed.
    func report(_ change: NetworkChange) { state.withLock(\.reporting)?(change) }

    func setDisk(isFull: Bool) {
        let process = state.withLock { state in
            state.isDiskFull = isFull
            return state.life?.process
        }
        process?.setDisk(isFull: isFull)
    }

    func stop() async {
        guard let life = state.withLock({ $0.life }) else { return }
        await life.node.stop()
        // If the run could not begin, `start` has thrown the reason.
        _ = await life.running.result
    }

    func crash() async {
        guard let life = state.withLock({ $0.life }) else { return }
        // First, so that nobody is told that the disk of a living process has failed.
        await life.node.abandon()
        life.process.die()
        life.node.events.finish()
        wiring.unplug(address)
        await stop()
    }
}
