import EarshotCrypto
import EarshotModel
import EarshotStore
import Testing

@testable import EarshotProtocol

/// Nodes' machines on one network under virtual time, with disks that obey at once. What goes wrong, a test says.
struct MachineNetwork {
    struct End: Hashable {
        let node: Int
        let connectionID: ConnectionID
    }

    struct Node {
        var local: LocalDevice
        var machine: NodeMachine
        var address: PeerAddress
        var events: [Event] = []
        var dials = 0
        var commits = 0
        /// Whether it is not called, whatever happens: what comes for it waits.
        var isStopped = false
        /// Added to the wall clock.
        var clockOffset: Int64 = 0
        var probes: [(id: ProbeID, address: PeerAddress)] = []
        var reachability: [RequestID: [Reachability]] = [:]
        /// What its disk holds; without one a commit is done, and nothing is kept.
        var store: Store?
        var completions: [RequestID: Result<RequestAnswer, ProtocolError>] = [:]
        /// What a primary device signs with.
        var identityKey: SigningKey?
        /// Credentials that its identity's key was asked for.
        var issued: [CredentialRequest] = []
    }

    enum Happening {
        case connect(End, [PeerAddress])
        case bytes([UInt8], End)
        case disconnected(End)
        case committed(Int)
        /// What a shell does apart from the machine, and answers later.
        case device(Int, DeviceTask)
        case lookUp(Int, NodeAction)

        var node: Int {
            switch self {
            case .connect(let end, _), .bytes(_, let end), .disconnected(let end): end.node
            case .committed(let node), .device(let node, _), .lookUp(let node, _): node
            }
        }
    }

    var nodes: [Node]
    var now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)
    /// Nodes that do not reach each other.
    var severed: Set<Set<Int>> = []
    /// The other end of each.
    var connections: [End: End] = [:]
    /// Addresses that answer nothing, not even that nobody is there.
    var blackHoles: Set<PeerAddress> = []
    /// Addresses that accept before all others, and say nothing.
    var silent: Set<PeerAddress> = []
    private var queue: [Happening] = []

    init(_ names: [String], run: UInt64 = 1) {
        nodes = []
        for (index, name) in names.enumerated() {
            let local = device(name)
            let machine = NodeMachine(local: local, snapshot: Snapshot(), now: now) { .generate() }
            nodes.append(
                Node(local: local, machine: machine, address: PeerAddress(host: "10.0.0.\(index + 1)", port: 7)))
        }
    }

    init(_ locals: [LocalDevice]) {
        nodes = locals.enumerated().map { [now] index, local in
            Node(
                local: local, machine: NodeMachine(local: local, snapshot: Snapshot(), now: now) { .generate() },
                address: PeerAddress(host: "10.0.0.\(index + 1)", port: 7))
        }
    }

    /// Two nodes, the lower device first, that are linked.
    static func linkedPair() -> MachineNetwork {
        var network = MachineNetwork(["alice", "bob"])
        if network.nodes[1].local.deviceID < network.nodes[0].local.deviceID { network.nodes.swapAt(0, 1) }
        network.see(1, by: 0)
        network.see(0, by: 1)
        network.run(for: 5_000)
        return network
    }

    func isLinked(_ index: Int) -> Bool { !nodes[index].machine.establishedLinks.isEmpty }

    func moment(of index: Int) -> Moment {
        Moment(wallClock: now.wallClock + nodes[index].clockOffset, uptime: now.uptime)
    }

    mutating func see(_ index: Int, by other: Int) {
        let (deviceID, address) = (nodes[index].local.deviceID, nodes[index].address)
        input(other) { $0.found(deviceID, addresses: [address], now: $1) }
    }

    mutating func input(_ index: Int, _ body: (inout NodeMachine, Moment) -> [NodeAction]) {
        perform(body(&nodes[index].machine, moment(of: index)), of: index)
    }

    /// A credential of the same keys, for other times.
    mutating func renew(_ index: Int, notBefore: Int64 = 0, notAfter: Int64) {
        let name = nodes[index].local.name.text
        let credential = device(name, notBefore: notBefore, notAfter: notAfter).link.credential
        nodes[index].local.link.credential = credential
        input(index) { $0.renew(credential, now: $1) }
    }

    /// Gives every node a disk.
    mutating func addStores() throws {
        for index in nodes.indices { nodes[index].store = try .inMemory() }
    }

    /// All connections break without a word to either end.
    mutating func cutSilently() { connections = [:] }

    /// The connections between two nodes end, both hear of it, and neither reaches the other.
    mutating func cut(_ a: Int, from b: Int) {
        severed.insert([a, b])
        for (end, other) in connections where end.node == a && other.node == b {
            connections[end] = nil
            connections[other] = nil
            queue += [.disconnected(end), .disconnected(other)]
        }
        drain()
    }

    /// The process begins anew, with nothing on its disk.
    mutating func restart(_ index: Int, at address: PeerAddress? = nil) {
        nodes[index].local.link.run += 1
        nodes[index].machine = NodeMachine(
            local: nodes[index].local, snapshot: Snapshot(), now: moment(of: index)
        ) { .generate() }
        if let address { nodes[index].address = address }
        for (end, other) in connections where end.node == index || other.node == index { connections[end] = nil }
    }

    // MARK: - Time

    mutating func run(for milliseconds: Int64) {
        let end = now.uptime + milliseconds
        while true {
            drain()
            let deadlines = nodes.indices.filter { !nodes[$0].isStopped }
                .map { nodes[$0].machine.deadline(now: moment(of: $0)) }
            let next = deadlines.min() ?? .max
            guard next < end else { break }
            advance(to: max(next, now.uptime + 1))
            for index in nodes.indices where !nodes[index].isStopped { input(index) { $0.tick(now: $1) } }
        }
        advance(to: end)
    }

    /// Runs until something is so.
    /// - Returns: how long it took; `nil` if it was not so within a minute.
    mutating func time(until isSo: (MachineNetwork) -> Bool) -> Int64? {
        let start = now.uptime
        while !isSo(self) {
            guard now.uptime - start < 60_000 else { return nil }
            run(for: 10)
        }
        return now.uptime - start
    }

    mutating func advance(to uptime: Int64) {
        now.wallClock += uptime - now.uptime
        now.uptime = uptime
    }

    private mutating func drain() {
        var waiting: [Happening] = []
        while !queue.isEmpty {
            let happening = queue.removeFirst()
            guard !nodes[happening.node].isStopped else {
                waiting.append(happening)
                continue
            }
            handle(happening)
        }
        queue = waiting
    }

    private mutating func handle(_ happening: Happening) {
        switch happening {
        case .connect(let end, let addresses): connect(end, addresses)
        case .bytes(let bytes, let end): input(end.node) { $0.received(bytes, on: end.connectionID, now: $1) }
        case .disconnected(let end): input(end.node) { $0.disconnected(end.connectionID, now: $1) }
        case .committed(let node): input(node) { $0.committed(now: $1) }
        case .device(let node, let task): perform(task, of: node)
        case .lookUp(let node, let action): lookUp(action, of: node)
        }
    }

    /// Answers a question to a node's disk.
    private mutating func lookUp(_ action: NodeAction, of index: Int) {
        guard let store = nodes[index].store else { return }
        do {
            switch action {
            case .read(let read):
                let entries = try store.entries(
                    of: read.logID, from: read.from, countLimit: read.countLimit, byteLimit: read.byteLimit)
                input(index) { $0.entriesRead(read, entries: entries, now: $1) }
            case .readChains(let read):
                let chains = try read.logIDs.reduce(into: [:]) { $0[$1] = try store.chains(of: $1, at: read.sequences) }
                input(index) { $0.chainsRead(read, chains: chains, now: $1) }
            case .findKeys(let lookup, let keys):
                let found = try store.entries(with: keys)
                input(index) { $0.keysFound(lookup, found, now: $1) }
            default: break
            }
        } catch { Issue.record("a store in memory fails: \(error)") }
    }

    private mutating func perform(_ task: DeviceTask, of index: Int) {
        switch task {
        case .issue(let request, _):
            nodes[index].issued.append(request)
            let grant = nodes[index].identityKey.map { CredentialGrant.issue(request, identityKey: $0) }
            input(index) { $0.issued(request, grant, now: $1) }
        case .adopt(let credential):
            nodes[index].local.link.credential = credential
            input(index) { $0.renew(credential, now: $1) }
        case .pairingChanged: break
        }
    }

    private mutating func connect(_ end: End, _ addresses: [PeerAddress]) {
        if addresses.allSatisfy(blackHoles.contains) { return }
        if let address = addresses.first(where: silent.contains) {
            input(end.node) { $0.connected(end.connectionID, to: address, now: $1) }
            return
        }
        guard let peer = nodes.indices.first(where: { addresses.contains(nodes[$0].address) }),
            !severed.contains([end.node, peer])
        else {
            input(end.node) { $0.connectFailed(end.connectionID, reason: "nobody is there", now: $1) }
            return
        }
        var accepted = ConnectionID(0)
        let from = PeerAddress(host: nodes[end.node].address.host, port: 40_000)
        input(peer) { machine, now in
            let (connectionID, actions) = machine.accepted(from: from, now: now)
            accepted = connectionID
            return actions
        }
        let other = End(node: peer, connectionID: accepted)
        connections[end] = other
        connections[other] = end
        let address = nodes[peer].address
        input(end.node) { $0.connected(end.connectionID, to: address, now: $1) }
    }

    private mutating func perform(_ actions: [NodeAction], of index: Int) {
        for action in actions {
            switch action {
            case .connect(let connectionID, let addresses):
                nodes[index].dials += 1
                queue.append(.connect(End(node: index, connectionID: connectionID), addresses))
            case .write(let connectionID, let bytes):
                guard let other = connections[End(node: index, connectionID: connectionID)] else { continue }
                queue.append(.bytes(bytes, other))
            case .disconnect(let connectionID):
                guard let other = connections.removeValue(forKey: End(node: index, connectionID: connectionID)) else {
                    continue
                }
                connections[other] = nil
                queue.append(.disconnected(other))
            case .commit(let commit):
                nodes[index].commits += 1
                nodes[index].write(commit)
                queue.append(.committed(index))
            case .post(let event): nodes[index].events.append(event)
            case .postRun(let run): nodes[index].events += run.events
            case .probe(let probeID, let address): nodes[index].probes.append((probeID, address))
            case .reachability(let requestID, let answers): nodes[index].reachability[requestID] = answers
            case .device(let task): queue.append(.device(index, task))
            case .complete(let requestID, let result): nodes[index].completions[requestID] = result
            case .accepted(let calls):
                for call in calls { nodes[index].completions[call.requestID] = .success(call.answer) }
            case .read, .readChains, .findKeys:
                if nodes[index].store != nil { queue.append(.lookUp(index, action)) }
            case .seek, .findExpired, .file, .renamed: break
            }
        }
    }
}

extension MachineNetwork.Node {
    fileprivate func write(_ commit: Commit) {
        do { try store?.commit(commit) } catch { Issue.record("a store in memory fails: \(error)") }
    }
}
