public import Earshot
import EarshotDiscovery
import EarshotModel
public import Foundation
import NIOPosix
import Synchronization

/// A network in memory, for tests of programs that use Earshot: real nodes on a simulated clock, disk and transport.
///
/// ```swift
/// let network = try TestNetwork()
/// let alice = try await network.node("alice")
/// let bob = try await network.node("bob")
///
/// let received = bob.events.events(.messageReceived)
/// try await alice.messages.send("hi", to: bob.userID)
/// #expect(try await received.first { _ in true }?.text == "hi")
///
/// try network.cut(alice, bob)
/// await network.advance(by: .seconds(60))
/// #expect(await alice.users.user(bob.userID)?.isOnline == false)
/// ```
///
/// Nothing here opens a socket or waits for the system's clock. **Time stands still** until `advance(by:)` moves it,
/// except for waits of up to 50 ms. Those pass by themselves as soon as the nodes have nothing left to do, so messages
/// are delivered without further calls. Everything that takes longer (a dead link, a retry, a time to live) waits for
/// `advance`. Only the nodes use this clock. In your own tasks, wait for events, not for time to pass.
///
/// Users' homes lie in a folder in memory, if the system has one, and are removed with the network. After `Node.stop()`
/// or `crash(_:)`, `node(_:)` brings a user back with everything that was on their disk.
///
/// Keys, and the ids that follow from them, differ in each network; everything else is the same in each run.
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

    /// - Parameter start: the first reading of the nodes' clocks.
    /// - Throws: `EarshotError` `unusableHome` if there can be no folder for homes.
    public init(startingAt start: Date = Date(timeIntervalSince1970: 1_767_225_600)) throws(EarshotError) {
        timeline = Timeline(loop: MultiThreadedEventLoopGroup.singleton.next())
        let wiring = Wiring(timeline: timeline)
        self.wiring = wiring
        announcements = Announcements { !wiring.isCut($0, $1) }
        folder = try HomesFolder()
        self.start = start.clampedMilliseconds
    }

    deinit {
        // The homes are removed when the last node has released them.
        let (hosts, folder) = (state.withLock { Array($0.hosts.values) }, folder)
        Task {
            for host in hosts { await host.stop() }
            withExtendedLifetime(folder) {}
        }
    }

    // MARK: - Nodes

    /// The running node of a user, linked to every other running node that it can reach. A user is made when first
    /// named. A user whose node was stopped or has crashed gets a new node on the same home.
    /// - Throws: `EarshotError`, like `Home.create`, `Node.open` and `Node.run`.
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

    /// - Throws: `EarshotError` `foreignNode`.
    private func host(of node: Node) throws(EarshotError) -> SimulatedHost {
        guard let host = state.withLock({ $0.hosts.values.first { $0.home == node.home } }) else {
            throw EarshotError(
                .foreignNode, "the node of \(node.name) is none of this network: take one that its node(_:) has given",
                .init(name: node.name.text))
        }
        return host
    }

    // MARK: - Time

    /// The network's time.
    public var now: Date { Date(timeIntervalSince1970: Double(start + timeline.now) / 1000) }

    /// Moves time forward. Everything that the nodes wait for happens, each at its moment. This returns when the last
    /// of it has happened.
    ///
    /// - Parameter duration: at most some thousand years; what is less than a millisecond counts as one.
    public func advance(by duration: Duration) async { await timeline.advance(by: duration.milliseconds) }

    /// The wall clock of a node's host jumps, as if somebody had set it: forward, or back for a negative duration.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func jumpClock(of node: Node, by duration: Duration) throws(EarshotError) {
        let host = try host(of: node)
        host.clock.jump(by: duration.milliseconds)
        host.report(.clockChanged)
    }

    // MARK: - Faults

    /// Cuts the cable between two nodes. They are not told: what is on its way waits, dials are not answered, and links
    /// end when the nodes have heard nothing for too long.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func cut(_ a: Node, _ b: Node) throws(EarshotError) {
        wiring.cut(try host(of: a).address, try host(of: b).address)
    }

    /// Mends the cable. What was on its way arrives, and both hosts notice that the network changed.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func mend(_ a: Node, _ b: Node) throws(EarshotError) {
        let (a, b) = (try host(of: a), try host(of: b))
        wiring.mend(a.address, b.address)
        announcements.exchange(a.address, b.address)
        for host in [a, b] { host.report(.networkChanged) }
    }

    /// From now on everything that one node sends to the other takes this long, one way. At first there is no delay.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func delay(_ a: Node, _ b: Node, by duration: Duration) throws(EarshotError) {
        wiring.delay(try host(of: a).address, try host(of: b).address, by: duration.milliseconds)
    }

    /// Breaks the connections between two nodes. Both are told, and what was on its way is lost. They connect again
    /// when time moves on.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func breakConnections(_ a: Node, _ b: Node) throws(EarshotError) {
        let (a, b) = (try host(of: a).address, try host(of: b).address)
        timeline.schedule { [wiring] in wiring.breakConnections(a, b) }
    }

    /// Fills the node's disk: it takes no writes until `freeDisk(of:)`.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func fillDisk(of node: Node) throws(EarshotError) { try host(of: node).setDisk(isFull: true) }

    /// Makes room on the node's disk again. The node finds out when it tries again, half a second later.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func freeDisk(of node: Node) throws(EarshotError) { try host(of: node).setDisk(isFull: false) }

    /// Hands out to a consumer once more what it acknowledges next, as a node does whose home was restored from an older
    /// copy. A bot must not answer it twice.
    ///
    /// - Parameter happened: called when the consumer asks for messages again, and is back where it was before.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func duplicateHandOut(
        to consumer: String, of node: Node, happened: @escaping @Sendable () async -> Void = {}
    ) throws(EarshotError) {
        try host(of: node).handOutFaults.arm(.duplicate, for: consumer, happened: happened)
    }

    /// Crashes a node when a consumer acknowledges next what it was handed, before that is on the disk: nothing is
    /// acknowledged and nothing is sent, and the next node hands out the same messages again.
    ///
    /// - Parameter happened: called when the node is gone. `node(_:)` with the user's name starts a new one.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func crashAfterHandOut(
        to consumer: String, of node: Node, happened: @escaping @Sendable () async -> Void = {}
    ) throws(EarshotError) {
        try host(of: node).handOutFaults.arm(.crash, for: consumer, happened: happened)
    }

    /// Kills the process of a node. What it has not committed is lost, it says goodbye to nobody, its events end, and
    /// requests to it fail as `stopped`; its peers' connections to it break. `node(_:)` with the user's name starts a
    /// new one.
    /// - Throws: `EarshotError` `foreignNode` for a node that this network has not made.
    public func crash(_ node: Node) async throws(EarshotError) { await (try host(of: node)).crash() }
}

extension TestNetwork: CustomStringConvertible {
    /// The users whose nodes it has made.
    public var description: String {
        let names = state.withLock { $0.hosts.keys.sorted() }
        return names.isEmpty ? "TestNetwork" : "TestNetwork(\(names.joined(separator: ", ")))"
    }
}
