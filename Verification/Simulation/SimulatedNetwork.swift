import EarshotModel
import EarshotProtocol

/// A TCP connection between two simulated nodes: bytes arrive in order, late, in pieces, or never.
struct Connection {
    enum Side {
        case dialler, listener

        var other: Side { self == .dialler ? .listener : .dialler }
    }

    /// One end of it, as its node knows it.
    struct End {
        let node: Int
        let connectionID: ConnectionID
        let generation: Int
        var isOpen = true
        /// Bytes that were written at the other end and have not arrived.
        var inFlight: [[UInt8]] = []
        /// How much of the first of these has arrived.
        var offset = 0
        var inFlightBytes = 0
        /// Nothing arrives before this: later bytes do not overtake.
        var arrivesAfter: Int64 = 0

        mutating func loseInFlight() {
            inFlight = []
            inFlightBytes = 0
            offset = 0
        }
    }

    private var dialler: End
    private var listener: End
    /// Whether nobody answers at an end that is not open, because its host is gone and does not even refuse.
    var isSilent = false

    init(dialler: End, listener: End) {
        self.dialler = dialler
        self.listener = listener
    }

    subscript(side: Side) -> End {
        get { side == .dialler ? dialler : listener }
        _modify { if side == .dialler { yield &dialler } else { yield &listener } }
    }
}

/// The connections that exist.
struct SimulatedNetwork {
    /// One end of a connection.
    struct Socket {
        let number: Int
        let side: Connection.Side

        var other: Socket { Socket(number: number, side: side.other) }
    }

    var connections: [Int: Connection] = [:]
    private var count = 0
    /// The ends of each node.
    private var sockets: [[ConnectionID: Socket]]
    private(set) var holders: [PeerAddress: Int] = [:]

    init(nodes: Int) { sockets = Array(repeating: [:], count: nodes) }

    mutating func open(dialler: Connection.End, listener: Connection.End) {
        count += 1
        connections[count] = Connection(dialler: dialler, listener: listener)
        sockets[dialler.node][dialler.connectionID] = Socket(number: count, side: .dialler)
        sockets[listener.node][listener.connectionID] = Socket(number: count, side: .listener)
    }

    func socket(of node: Int, _ connectionID: ConnectionID) -> Socket? { sockets[node][connectionID] }

    /// The ends of a node, in the order in which it knows them.
    func sockets(of node: Int) -> [Socket] {
        sockets[node].sorted { $0.key < $1.key }.map(\.value)
    }

    /// An end is no longer open.
    mutating func forget(_ socket: Socket) {
        guard let end = connections[socket.number]?[socket.side], end.isOpen else { return }
        sockets[end.node][end.connectionID] = nil
        if connections[socket.number]?[socket.side.other].isOpen == true {
            connections[socket.number]?[socket.side].isOpen = false
        } else {
            connections[socket.number] = nil
        }
    }

    mutating func moved(from old: PeerAddress?, to address: PeerAddress, _ node: Int) {
        if let old { holders[old] = nil }
        holders[address] = node
    }
}

extension Simulation {
    func isReachable(_ a: Int, _ b: Int) -> Bool { nodes[a].group == nodes[b].group }

    mutating func latency() -> Int64 { Int64.random(in: configuration.latency, using: &generator) }

    // MARK: - Connecting

    mutating func connect(_ index: Int, _ connectionID: ConnectionID, _ addresses: [PeerAddress]) {
        let peer = addresses.lazy.compactMap { [network] in network.holders[$0] }.first
        queue.push(
            .connectResult(node: index, connectionID, generation: nodes[index].generation, peer: peer),
            at: time + latency())
    }

    mutating func connectResult(_ index: Int, _ connectionID: ConnectionID, _ generation: Int, _ peer: Int?) throws {
        guard nodes[index].generation == generation else { return }
        guard let peer, isReachable(index, peer), nodes[peer].asleepUntil <= time else {
            // Nobody refuses: it takes as long as the shell waits.
            let patience = Int64.random(in: 1_000_000...10_000_000, using: &generator)
            queue.push(.connectFailed(node: index, connectionID, generation: generation), at: time + patience)
            return
        }
        guard nodes[peer].isUp, !nodes[peer].isStopping else {
            try connectFailed(index, connectionID, generation)
            return
        }
        let address = nodes[index].address
        var accepted = ConnectionID(0)
        let actions = nodes[peer].input(nodes[peer].now(at: time)) { machine, now in
            let (connectionID, actions) = machine.accepted(
                from: PeerAddress(host: address.host, port: 40_000), now: now)
            accepted = connectionID
            return actions
        }
        network.open(
            dialler: Connection.End(node: index, connectionID: connectionID, generation: generation),
            listener: Connection.End(node: peer, connectionID: accepted, generation: nodes[peer].generation))
        try run(actions, of: peer)
        try perform(index) { [address = nodes[peer].address] in
            $0.connected(connectionID, to: address, now: $1)
        }
    }

    mutating func connectFailed(_ index: Int, _ connectionID: ConnectionID, _ generation: Int) throws {
        guard nodes[index].generation == generation else { return }
        try perform(index) { $0.connectFailed(connectionID, reason: "refused", now: $1) }
    }

    // MARK: - Bytes

    mutating func write(_ bytes: [UInt8], from index: Int, _ connectionID: ConnectionID) {
        guard let socket = network.socket(of: index, connectionID),
            let connection = network.connections[socket.number]
        else { return }
        let to = socket.other
        guard connection[to.side].isOpen else {
            // The other host knows nothing of this connection, and says so.
            if !connection.isSilent { queue.push(.closed(socket), at: time + latency()) }
            return
        }
        var delay = latency()
        if !isHealed, generator.oneIn(configuration.lossOdds) {
            delay += Int64.random(in: configuration.retransmission, using: &generator)
        }
        let at = max(time + delay, connection[to.side].arrivesAfter)
        network.connections[to.number]?[to.side].arrivesAfter = at
        network.connections[to.number]?[to.side].inFlight.append(bytes)
        network.connections[to.number]?[to.side].inFlightBytes += bytes.count
        if connection[to.side].inFlightBytes + bytes.count > Limits.unwrittenBytes {
            violated("\(name(index)) has more than \(Limits.unwrittenBytes) bytes in flight to one peer")
        }
        queue.push(.bytes(to), at: at)
    }

    mutating func deliver(_ socket: SimulatedNetwork.Socket) throws {
        guard let connection = network.connections[socket.number] else { return }
        let end = connection[socket.side]
        guard end.isOpen, let first = end.inFlight.first else { return }
        guard isReachable(end.node, connection[socket.side.other].node) else {
            queue.push(.bytes(socket), at: time + 400_000)
            return
        }
        var limit = first.count - end.offset
        if nodes[end.node].tricklesUntil > time {
            limit = min(limit, Int.random(in: 1...512, using: &generator))
            queue.push(.bytes(socket), at: time + Int64.random(in: 5_000...50_000, using: &generator))
        } else if limit > 1, generator.oneIn(4) {
            // TCP keeps no borders: sometimes one write arrives as two.
            limit = Int.random(in: 1..<limit, using: &generator)
            queue.push(.bytes(socket), at: time)
        }
        let isWhole = end.offset + limit == first.count
        let bytes = limit == first.count ? first : Array(first[end.offset..<end.offset + limit])
        network.connections[socket.number]?[socket.side].offset = isWhole ? 0 : end.offset + limit
        network.connections[socket.number]?[socket.side].inFlightBytes -= limit
        if isWhole { network.connections[socket.number]?[socket.side].inFlight.removeFirst() }
        guard nodes[end.node].generation == end.generation else { return }
        try perform(end.node) { $0.received(bytes, on: end.connectionID, now: $1) }
    }

    // MARK: - Closing

    /// A node closes its end. The other is told after what was written before has arrived.
    mutating func close(_ socket: SimulatedNetwork.Socket, tellOther: Bool = true) {
        guard let connection = network.connections[socket.number] else { return }
        let isTold = tellOther && !connection.isSilent && connection[socket.side.other].isOpen
        network.forget(socket)
        guard isTold else { return }
        let at = max(time + configuration.latency.upperBound, connection[socket.side.other].arrivesAfter)
        queue.push(.closed(socket.other), at: at + 1)
    }

    /// An end is told that the other is closed, after everything that was on its way.
    mutating func closed(_ socket: SimulatedNetwork.Socket) throws {
        guard let connection = network.connections[socket.number] else { return }
        let end = connection[socket.side]
        guard end.isOpen else { return }
        guard isReachable(end.node, connection[socket.side.other].node), end.inFlight.isEmpty else {
            queue.push(.closed(socket), at: time + 400_000)
            return
        }
        network.forget(socket)
        guard nodes[end.node].generation == end.generation else { return }
        try perform(end.node) { $0.disconnected(end.connectionID, now: $1) }
    }

    /// A node's connections break. If they are half-open, one end, chosen at random, is not told and believes in them.
    mutating func breakConnections(of index: Int, halfOpen: Bool) throws {
        for socket in network.sockets(of: index) {
            guard var connection = network.connections[socket.number] else { continue }
            let isSilent = generator.oneIn(2)
            connection.isSilent = isSilent
            network.connections[socket.number]?.isSilent = isSilent
            let deaf = halfOpen ? (generator.oneIn(2) ? socket : socket.other) : nil
            for end in [socket, socket.other] where end.side != deaf?.side {
                guard connection[end.side].isOpen else { continue }
                network.forget(end)
                queue.push(
                    .disconnected(
                        node: connection[end.side].node, connection[end.side].connectionID,
                        generation: connection[end.side].generation), at: time + 1)
            }
        }
    }

    /// A host is gone or has another address: nobody is told, and nobody answers.
    mutating func loseConnections(of index: Int, isKept: Bool) {
        for socket in network.sockets(of: index) {
            network.connections[socket.number]?.isSilent = true
            // The other end may believe in it and may write, but nothing arrives.
            network.connections[socket.number]?[socket.side.other].loseInFlight()
            network.connections[socket.number]?[socket.side].loseInFlight()
            guard let connection = network.connections[socket.number] else { continue }
            network.forget(socket)
            guard isKept else { continue }
            // This host's own sockets fail when they are used next, or at once.
            queue.push(
                .disconnected(
                    node: index, connection[socket.side].connectionID, generation: connection[socket.side].generation),
                at: time + Int64.random(in: 1...2_000_000, using: &generator))
        }
    }
}
