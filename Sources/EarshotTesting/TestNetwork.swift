public import Earshot
import EarshotDiscovery
import EarshotModel
public import Foundation
import NIOPosix
import Synchronization

/// A network in memory, for tests of what is built on Earshot: real nodes, on a simulated clock, disk and transport.
///
/// ```swift
/// let network = try TestNetwork()
/// let alice = try await network.node("alice")
/// let bob = try await network.node("bob")
///
/// let received = bob.events.events(.messageReceived)
/// try await alice.messages.send("hi", to: bob.userID)
/// #expect(await received.first { _ in true }?.text == "hi")
///
/// network.cut(alice, bob)
/// await network.advance(by: .seconds(60))
/// #expect(await alice.users.user(bob.userID)?.isOnline == false)
/// ```
///
/// Nothing here opens a socket or waits for the system's clock. **Time stands still** until `advance(by:)` turns it, but for
/// waits of up to 50 ms: these pass by themselves as soon as the nodes have nothing left to do, so that messages are
/// delivered without a word. Whatever takes longer (a link that is given up, a retry, a time to live) waits for `advance`.
/// Only the nodes live by this clock. Your own tasks do not: wait for events, and not for time to pass.
///
/// Users' homes lie in a folder in memory, where there is one, and go with the network. They come back with `node(_:)`
/// after `Node.stop()` or `crash(_:)`, with all that was on their disks.
///
/// Keys and the ids that follow from them are other ones in each network; everything else is the same in each run.
public final class TestNetwork: Sendable {
    private struct State {
        var hosts: [String: SimulatedHost] = [:]
    }

    let timeline: Timeline
    let wiring: Wiring
    let announcements: Announcements
    private let folder: HomesFolder
    /// The wall clock when the network began, in milliseconds since 1970.
    private let start: Int64
    private let state = Mutex(State())

    /// - Parameter start: what the nodes' clocks say at first.
    /// - Throws: what the file system throws where no folder can be made for homes.
    public init(startingAt start: Date = Date(timeIntervalSince1970: 1_767_225_600)) throws {
        timeline = Timeline(loop: MultiThreadedEventLoopGroup.singleton.next())
        let wiring = Wiring(timeline: timeline)
        self.wiring = wiring
        announcements = Announcements { !wiring.isCut($0, $1) }
        folder = try HomesFolder()
        self.start = Int64(start.timeIntervalSince1970 * 1000)
    }

    deinit {
        // The homes go when the last node has let go of them.
        let (hosts, folder) = (state.withLock { Array($0.hosts.values) }, folder)
        Task {
            for host in hosts { await host.stop() }
            withExtendedLifetime(folder) {}
        }
    }

    // MARK: - Nodes

    /// The node of a user, who is made when first named: running, and linked to every other node that runs and that it can
    /// reach. A user whose node was stopped or has crashed gets a new one on the same home.
    /// - Throws: `EarshotError`, as `Home.create`, `Node.open` and `Node.run` do.
    public func node(_ name: String) async throws(EarshotError) -> Node {
        let host = state.withLock { state in
            if let host = state.hosts[name] { return host }
            let number = state.hosts.count + 1
            let host = SimulatedHost(
                name: name, address: "10.0.\(number / 250).\(number % 250 + 1)", home: folder.home(number),
                clock: SimulatedClock(timeline, start: start), timeline: timeline, wiring: wiring,
                announcements: announcements)
            state.hosts[name] = host
            return host
        }
        if let node = host.runningNode { return node }
        let node = try await host.start()
        let others = state.withLock { state in
            state.hosts.values.filter { $0 !== host && $0.canLink(to: host, over: wiring) }
        }
        await Meeting(of: host, with: others.sorted { $0.address < $1.address }).takePlace()
        await timeline.advance(by: 0)
        return node
    }

    /// Stops all nodes, as `Node.stop()` does.
    public func stop() async {
        for host in state.withLock({ $0.hosts.values.sorted { $0.address < $1.address } }) { await host.stop() }
    }

    private func host(of node: Node) -> SimulatedHost {
        guard let host = state.withLock({ $0.hosts.values.first { $0.home == node.home } }) else {
            preconditionFailure("the node of \(node.name) is no node of this network")
        }
        return host
    }

    // MARK: - Time

    /// The network's time.
    public var now: Date { Date(timeIntervalSince1970: Double(start + timeline.now) / 1000) }

    /// Turns time on: all that the nodes wait for happens, each at its moment, and this returns when the last of it has.
    ///
    /// - Parameter duration: in whole milliseconds; what is less is left out.
    public func advance(by duration: Duration) async { await timeline.advance(by: duration.milliseconds) }

    /// The wall clock of a node's host jumps, as though somebody had set it: ahead, or back for a negative duration.
    public func jumpClock(of node: Node, by duration: Duration) {
        let host = host(of: node)
        host.clock.jump(by: duration.milliseconds)
        host.report(.clockChanged)
    }

    // MARK: - Faults

    /// Cuts the cable between two nodes. They are told nothing: what is on its way waits, dials are not answered, and links
    /// end when the nodes have heard nothing for too long.
    public func cut(_ a: Node, _ b: Node) { wiring.cut(host(of: a).address, host(of: b).address) }

    /// Mends the cable. What was on its way arrives, and both hosts see that the network changed.
    public func mend(_ a: Node, _ b: Node) {
        let (a, b) = (host(of: a), host(of: b))
        wiring.mend(a.address, b.address)
        announcements.exchange(a.address, b.address)
        for host in [a, b] { host.report(.networkChanged) }
    }

    /// From now on whatever one node sends to the other takes so long, one way. There is no delay at first.
    public func delay(_ a: Node, _ b: Node, by duration: Duration) {
        wiring.delay(host(of: a).address, host(of: b).address, by: duration.milliseconds)
    }

    /// Breaks the connections between two nodes: both are told, and what was on its way is lost. They connect again when
    /// time is turned on.
    public func breakConnections(_ a: Node, _ b: Node) {
        let (a, b) = (host(of: a).address, host(of: b).address)
        timeline.schedule { [wiring] in wiring.breakConnections(a, b) }
    }

    /// The node's disk is full: it takes nothing any more, until `freeDisk(of:)`.
    public func fillDisk(of node: Node) { host(of: node).setDisk(isFull: true) }

    /// The node's disk has room again. The node finds out when it tries again, half a second later.
    public func freeDisk(of node: Node) { host(of: node).setDisk(isFull: false) }

    /// The process of a node dies. What it has not committed is lost, it says goodbye to nobody, its events end, and what is
    /// asked of it fails as `stopped`; its peers' connections to it break. `node(_:)` with the user's name starts a new one.
    public func crash(_ node: Node) async { await host(of: node).crash() }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
