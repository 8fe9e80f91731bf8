import EarshotCrypto
import EarshotModel
import EarshotProtocol
import EarshotStore
import Synchronization

/// Two nodes on a network that loses, delays and cuts, with disks that fail and processes that die, under virtual time.
///
/// The protocol and the store are the real ones; network, disk time, clock and chance come from the seed alone, so
/// a seed repeats a run exactly.
public struct Simulation {
    /// How a run ended.
    public struct Outcome: Sendable {
        public let seed: UInt64
        /// What does not hold; empty for a good run.
        public let violations: [String]
        /// Messages that were accepted, faults that happened, and the virtual time it took, in microseconds.
        public let messages: Int
        public let faults: Int
        /// Messages that a node took back after its disk was replaced by an older copy, and those that got other names.
        public let recovered: Int
        public let renamed: Int
        public let duration: Int64
        /// A digest of all that happened, in order: equal for two runs of one seed.
        public let trace: UInt64
    }

    enum Happening {
        case connectResult(node: Int, ConnectionID, generation: Int, peer: Int)
        case bytes(Connection.End)
        case disconnected(node: Int, ConnectionID, generation: Int)
        case commitDone(node: Int, generation: Int, Commit?)
        case answer(node: Int, generation: Int, Answer)
        case wake(node: Int, generation: Int, deadline: Int64)
        case send(node: Int, number: Int)
        case cancel(node: Int, MessageID)
        case markRead(node: Int, MessageID)
        case probed(node: Int, generation: Int, ProbeID, peer: Int)
        case restart(node: Int)
        case fault
        case heal
    }

    enum Answer {
        case entries(EntriesRead)
        case expired(LogID, after: UInt64, now: Int64)
    }

    let configuration: SimulationConfiguration
    let seed: UInt64
    var generator: SeededGenerator
    var queue = EventQueue<Happening>()
    var time: Int64 = 0
    var nodes: [SimulatedNode] = []
    var network = SimulatedNetwork()
    var isHealed = false
    var faults = 0
    var recovered = 0
    var renamed = 0
    var violations: [String] = []
    var trace: UInt64 = 0

    public init(seed: UInt64, configuration: SimulationConfiguration = SimulationConfiguration()) {
        self.seed = seed
        self.configuration = configuration
        generator = SeededGenerator(seed: seed)
    }

    /// Runs to the end.
    /// - Throws: `StoreError` if the in-memory database itself fails.
    public static func run(
        seed: UInt64, configuration: SimulationConfiguration = SimulationConfiguration()
    ) throws -> Outcome {
        var simulation = Simulation(seed: seed, configuration: configuration)
        return try simulation.run()
    }

    private mutating func run() throws -> Outcome {
        for (index, name) in ["alice", "bob"].enumerated() {
            let local = LocalDevice.generated(name: name, using: &generator)
            nodes.append(try SimulatedNode(index: index, local: local, seed: generator.next()))
        }
        for index in nodes.indices { try start(index) }
        plan()
        let end = configuration.trouble + configuration.patience
        while let (time, happening) = queue.pop(), time <= end {
            self.time = time
            try handle(happening)
            if isHealed, try isQuiet() { break }
        }
        try checkEnd()
        return Outcome(
            seed: seed, violations: violations, messages: nodes.reduce(0) { $0 + $1.accepted.count }, faults: faults,
            recovered: recovered, renamed: renamed, duration: time, trace: trace)
    }

    private mutating func plan() {
        for index in nodes.indices {
            for number in 0..<configuration.messagesPerNode {
                let at = Int64.random(in: 2_000_000..<configuration.trouble, using: &generator)
                queue.push(.send(node: index, number: number), at: at)
            }
        }
        queue.push(.fault, at: configuration.faultInterval)
        queue.push(.heal, at: configuration.trouble)
    }

    var now: Moment { Moment(wallClock: 1_700_000_000_000 + time / 1000, uptime: time / 1000) }

    /// Takes what happens into the digest of the run.
    mutating func note(_ words: UInt64...) {
        for word in words + [UInt64(bitPattern: time)] { trace = (trace ^ word) &* 0x0000_0100_0000_01b3 }
    }

    // MARK: - What happens

    private mutating func handle(_ happening: Happening) throws {
        switch happening {
        case .connectResult(let node, let connectionID, let generation, let peer):
            try connectResult(node, connectionID, generation, peer)
        case .bytes(let end): try deliver(end)
        case .disconnected(let node, let connectionID, let generation):
            guard nodes[node].generation == generation else { return }
            try perform(node) { $0.disconnected(connectionID, now: $1) }
        case .commitDone(let node, let generation, let commit): try commitDone(node, generation, commit)
        case .answer(let node, let generation, let answer): try self.answer(node, generation, answer)
        case .wake(let node, let generation, let deadline):
            guard nodes[node].generation == generation, nodes[node].wakeAt == deadline else { return }
            nodes[node].wakeAt = nil
            try perform(node) { $0.tick(now: $1) }
        case .send(let node, let number): try send(node, number)
        case .cancel(let node, let messageID):
            let requestID = nodes[node].nextRequest(for: "a cancellation")
            try perform(node) { $0.cancel(messageID, requestID: requestID, now: $1) }
        case .markRead(let node, let messageID):
            let requestID = nodes[node].nextRequest(for: "a read mark")
            try perform(node) { $0.markRead(messageID, requestID: requestID, now: $1) }
        case .probed(let node, let generation, let probeID, let peer):
            guard nodes[node].generation == generation else { return }
            let isReachable = !network.isCut && nodes[peer].isUp
            try perform(node) { $0.probed(probeID, isReachable: isReachable, now: $1) }
        case .restart(let node): try start(node)
        case .fault: try fault()
        case .heal:
            isHealed = true
            network.isCut = false
            for node in nodes.indices where !nodes[node].isUp { queue.push(.restart(node: node), at: time + 1) }
        }
    }

    private mutating func start(_ index: Int) throws {
        guard !nodes[index].isUp else { return }
        try nodes[index].start(run: generator.next(), now: now)
        for peer in nodes.indices where peer != index && nodes[peer].isUp {
            let (a, b) = (index, peer)
            try perform(a) { [id = nodes[b].local.deviceID] in
                $0.found(id, addresses: [SimulatedNetwork.address(of: b)], now: $1)
            }
            try perform(b) { [id = nodes[a].local.deviceID] in
                $0.found(id, addresses: [SimulatedNetwork.address(of: a)], now: $1)
            }
        }
    }

    private mutating func send(_ index: Int, _ number: Int) throws {
        let peer = nodes[1 - index].local.userID
        guard nodes[index].isUp, nodes[index].knows(peer) else {
            // Nobody can write to a stranger: try again a little later.
            if !isHealed { queue.push(.send(node: index, number: number), at: time + 500_000) }
            return
        }
        let text = "message \(number) of \(nodes[index].local.name)"
        let requestID = nodes[index].nextRequest(for: text)
        let expiresSoon = generator.oneIn(20)
        let draft = MessageDraft(text, timeToLive: expiresSoon ? 3_000 : Timing.timeToLive)
        try perform(index) { $0.send([draft], to: peer, requestID: requestID, now: $1) }
    }

    // MARK: - What nodes want

    mutating func perform(
        _ index: Int, _ input: (inout NodeMachine, Moment) -> [NodeAction]
    ) throws {
        guard nodes[index].isUp else { return }
        for action in nodes[index].input(now, input) {
            note(0, UInt64(index))
            try run(action, of: index)
            guard nodes[index].isUp else { return }
        }
        schedule(index)
    }

    private mutating func run(_ action: NodeAction, of index: Int) throws {
        let generation = nodes[index].generation
        switch action {
        case .connect(let connectionID, let addresses): connect(index, connectionID, addresses)
        case .write(let connectionID, let bytes):
            note(1, UInt64(bytes.count))
            write(bytes, from: index, connectionID)
        case .disconnect(let connectionID): closeConnection(of: index, connectionID, tellOther: true)
        case .commit(let commit):
            note(2, UInt64(commit.entries.count))
            let refused = !isHealed && generator.oneIn(configuration.commitFailureOdds)
            let at = time + Int64.random(in: configuration.commitTime, using: &generator)
            queue.push(.commitDone(node: index, generation: generation, refused ? nil : commit), at: at)
        case .read(let read):
            queue.push(.answer(node: index, generation: generation, .entries(read)), at: time + 200)
        case .findExpired(let logID, let after, let now):
            let answer = Answer.expired(logID, after: after, now: now)
            queue.push(.answer(node: index, generation: generation, answer), at: time + 200)
        case .probe(let probeID, let address):
            let peer = nodes.indices.first { SimulatedNetwork.address(of: $0) == address } ?? 1 - index
            let at = time + Int64.random(in: configuration.latency, using: &generator)
            queue.push(.probed(node: index, generation: generation, probeID, peer: peer), at: at)
        case .reachability(let requestID, let answers):
            note(4, UInt64(answers.count))
            observe(answers, to: requestID, at: index)
        case .complete(let requestID, let result):
            nodes[index].completed(requestID, result)
            guard case .success(let messages) = result, let message = messages.first, generator.oneIn(12) else {
                return
            }
            let at = time + Int64.random(in: 0...1_000_000, using: &generator)
            queue.push(.cancel(node: index, message.messageID), at: at)
        case .post(let event):
            note(3, UInt64(event.name.rawValue.utf8.count))
            try observe(event, at: index)
        }
    }

    private mutating func schedule(_ index: Int) {
        let deadline = nodes[index].deadline(now)
        guard deadline != .max, nodes[index].wakeAt != deadline else { return }
        nodes[index].wakeAt = deadline
        queue.push(
            .wake(node: index, generation: nodes[index].generation, deadline: deadline),
            at: max(time + 1, deadline * 1000))
    }

    private mutating func commitDone(_ index: Int, _ generation: Int, _ commit: Commit?) throws {
        guard nodes[index].generation == generation else { return }
        guard let commit else {
            faults += 1
            try perform(index) { $0.commitFailed("the simulated disk is full", now: $1) }
            return
        }
        try nodes[index].store.commit(commit)
        // A process may die between the disk and itself: the commit is there, and it never heard of it.
        if !isHealed, generator.oneIn(400) {
            try crash(index)
            return
        }
        try perform(index) { $0.committed(now: $1) }
    }

    private mutating func answer(_ index: Int, _ generation: Int, _ answer: Answer) throws {
        guard nodes[index].generation == generation else { return }
        switch answer {
        case .entries(let read):
            let entries = try nodes[index].store.entries(
                of: read.logID, from: read.from, countLimit: read.countLimit, byteLimit: read.byteLimit)
            try perform(index) { $0.entriesRead(read, entries: entries, now: $1) }
        case .expired(let logID, let after, let now):
            let (sequences, nextExpiry) = try nodes[index].store.expired(in: logID, after: after, now: now)
            try perform(index) {
                $0.expiredFound(in: logID, sequences: sequences, nextExpiry: nextExpiry, now: $1)
            }
        }
    }

    // MARK: - What goes wrong

    private mutating func fault() throws {
        guard !isHealed else { return }
        faults += 1
        let index = Int.random(in: nodes.indices, using: &generator)
        try copyDisk(of: index)
        switch Int.random(in: 0..<13, using: &generator) {
        case 0..<4: try cutConnections(halfOpen: false)
        case 4..<6: try cutConnections(halfOpen: true)
        case 6: network.isCut.toggle()
        case 7: try perform(index) { $0.networkChanged(now: $1) }
        case 8: try perform(index) { $0.woke(now: $1) }
        case 9:
            let requestID = nodes[index].nextRequest(for: "a check")
            try perform(index) {
                $0.checkReachability(port: SimulatedNetwork.address(of: index).port, requestID: requestID, now: $1)
            }
        default: try crash(index)
        }
        queue.push(.fault, at: time + Int64.random(in: 1...configuration.faultInterval * 2, using: &generator))
    }

    private mutating func crash(_ index: Int) throws {
        guard nodes[index].isUp else { return }
        faults += 1
        nodes[index].crash()
        for connectionID in network.connections(of: index) { closeConnection(of: index, connectionID, tellOther: true) }
        try restoreDisk(of: index)
        queue.push(.restart(node: index), at: time + Int64.random(in: 1_000...5_000_000, using: &generator))
    }
}
