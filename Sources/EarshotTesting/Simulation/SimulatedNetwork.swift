import EarshotModel
import EarshotProtocol

/// A TCP connection between two simulated nodes: what is written arrives in order, late, or never.
struct Connection {
    /// One end, as its node knows it.
    struct End: Hashable {
        let node: Int
        let connectionID: ConnectionID
        let generation: Int
    }

    let dialler: End
    let listener: End
    /// What has been written and has not arrived, for each end.
    var inFlight: [End: [[UInt8]]] = [:]
    /// Nothing arrives before this, for each end: later bytes do not overtake.
    var arrivesAfter: [End: Int64] = [:]

    func other(_ end: End) -> End { end == dialler ? listener : dialler }
}

/// The connections that exist.
struct SimulatedNetwork {
    /// Whether nothing gets through.
    var isCut = false
    var connections: [Connection.End: Connection] = [:]

    static func address(of node: Int) -> PeerAddress { PeerAddress(host: "10.0.0.\(node + 1)", port: 7000) }

    func connections(of node: Int) -> [ConnectionID] {
        connections.keys.filter { $0.node == node }.map(\.connectionID).sorted()
    }
}

extension Simulation {
    mutating func connect(_ index: Int, _ connectionID: ConnectionID, _ addresses: [PeerAddress]) {
        let peer = nodes.indices.first { addresses.contains(SimulatedNetwork.address(of: $0)) } ?? 0
        let at = time + Int64.random(in: configuration.latency, using: &generator)
        let generation = nodes[index].generation
        queue.push(.connectResult(node: index, connectionID, generation: generation, peer: peer), at: at)
    }

    mutating func connectResult(_ index: Int, _ connectionID: ConnectionID, _ generation: Int, _ peer: Int) throws {
        guard nodes[index].generation == generation else { return }
        guard !network.isCut, nodes[peer].isUp else {
            try perform(index) { $0.connectFailed(connectionID, reason: "refused", now: $1) }
            return
        }
        var accepted = ConnectionID(0)
        let dialler = Connection.End(node: index, connectionID: connectionID, generation: generation)
        try perform(peer) { machine, now in
            let (connectionID, actions) = machine.accepted(from: SimulatedNetwork.address(of: index), now: now)
            accepted = connectionID
            return actions
        }
        let listener = Connection.End(node: peer, connectionID: accepted, generation: nodes[peer].generation)
        let connection = Connection(dialler: dialler, listener: listener)
        network.connections[dialler] = connection
        network.connections[listener] = connection
        try perform(index) { $0.connected(connectionID, to: SimulatedNetwork.address(of: peer), now: $1) }
    }

    mutating func write(_ bytes: [UInt8], from index: Int, _ connectionID: ConnectionID) {
        let end = Connection.End(node: index, connectionID: connectionID, generation: nodes[index].generation)
        guard let other = network.connections[end].map({ $0.other(end) }), network.connections[other] != nil else {
            return
        }
        var delay = Int64.random(in: configuration.latency, using: &generator)
        if !isHealed, generator.oneIn(configuration.lossOdds) {
            delay += Int64.random(in: configuration.retransmission, using: &generator)
        }
        let at = max(time + delay, network.connections[other]?.arrivesAfter[other] ?? 0)
        network.connections[other]?.arrivesAfter[other] = at
        network.connections[other]?.inFlight[other, default: []].append(bytes)
        queue.push(.bytes(other), at: at)
    }

    mutating func deliver(_ end: Connection.End) throws {
        guard var waiting = network.connections[end]?.inFlight[end], !waiting.isEmpty else { return }
        guard !network.isCut else {
            queue.push(.bytes(end), at: time + 300_000)
            return
        }
        // TCP keeps no borders: sometimes two writes arrive as one, sometimes one as two.
        var bytes = waiting.removeFirst()
        if bytes.count > 1, generator.oneIn(4) {
            let cut = Int.random(in: 1..<bytes.count, using: &generator)
            waiting.insert(Array(bytes[cut...]), at: 0)
            bytes = Array(bytes[..<cut])
            queue.push(.bytes(end), at: time)
        }
        network.connections[end]?.inFlight[end] = waiting
        guard nodes[end.node].generation == end.generation else { return }
        try perform(end.node) { $0.received(bytes, on: end.connectionID, now: $1) }
    }

    /// An end is closed by its node. The other hears of it after what was written before.
    mutating func closeConnection(of index: Int, _ connectionID: ConnectionID, tellOther: Bool) {
        let ends = network.connections.keys.filter { $0.node == index && $0.connectionID == connectionID }
        for end in ends {
            guard let connection = network.connections.removeValue(forKey: end) else { continue }
            let other = connection.other(end)
            guard tellOther, !network.isCut, network.connections[other] != nil else { continue }
            let at = max(time + configuration.latency.upperBound, network.connections[other]?.arrivesAfter[other] ?? 0)
            queue.push(.disconnected(node: other.node, other.connectionID, generation: other.generation), at: at + 1)
        }
    }

    /// All connections break. Half-open: only one end notices, the other believes in it until it is silent too long.
    mutating func cutConnections(halfOpen: Bool) throws {
        let ends = network.connections.keys.sorted { ($0.node, $0.connectionID) < ($1.node, $1.connectionID) }
        network.connections.removeAll()
        let deaf = Int.random(in: nodes.indices, using: &generator)
        for end in ends where !(halfOpen && end.node == deaf) {
            queue.push(.disconnected(node: end.node, end.connectionID, generation: end.generation), at: time + 1)
        }
    }
}
