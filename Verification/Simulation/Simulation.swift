import EarshotCrypto
package import EarshotModel
import EarshotProtocol
import EarshotStore

/// Nodes on a network that loses, delays and parts, with clocks that jump, disks that fail and processes that die,
/// under virtual time.
///
/// The protocol is the real one. Network, disk time, clocks and chance depend only on the seed, so a seed and a number
/// of nodes repeat a run exactly.
package struct Simulation {
    /// How a run ended.
    package struct Outcome: Sendable {
        package let seed: UInt64
        /// What does not hold; empty for a good run.
        package let violations: [String]
        /// Accepted messages, faults that happened, actions that machines returned, and the virtual time of the run in
        /// microseconds.
        package let messages: Int
        package let faults: Int
        package let actions: Int
        package let duration: Int64
        /// A digest of everything that happened, in order: equal for two runs of one seed.
        package let digest: Bytes32
    }

    enum Happening {
        case connectResult(node: Int, ConnectionID, generation: Int, peer: Int?)
        case connectFailed(node: Int, ConnectionID, generation: Int)
        case bytes(SimulatedNetwork.Socket)
        case closed(SimulatedNetwork.Socket)
        case disconnected(node: Int, ConnectionID, generation: Int)
        case commitDone(node: Int, generation: Int)
        case committed(node: Int, generation: Int)
        case answer(node: Int, generation: Int, Answer)
        case wake(node: Int, generation: Int, deadline: Int64)
        case send(node: Int, Errand)
        case cancel(node: Int, MessageID)
        case markRead(node: Int, MessageID)
        case decide(node: Int, TrustDecision, about: Int)
        case program(node: Int)
        case join(node: Int)
        case move(number: Int, attempt: Int)
        case bring(number: Int, attempt: Int)
        case lookForFiles(node: Int)
        case fileTask(node: Int, generation: Int, FileTask)
        case decideGroup(node: Int)
        case intrude(author: Int)
        case takeBack(node: Int)
        case probed(node: Int, generation: Int, ProbeID, peer: Int?)
        case meet(Int, Int)
        case restart(node: Int)
        case fault
        case rejoin
        case heal
        case lookAround
    }

    enum Answer {
        case entries(EntriesRead)
        case expired(LogID, after: UInt64, ExpiryClock)
        case chains(ChainsRead)
        case file(FileRead)
        case keys(KeyLookup, [EntryKey])
        case device(DeviceTask)
    }

    /// Messages that a program wants to send.
    struct Errand {
        let peer: Int
        let number: Int
        var count = 1
        var padding = 0
        var timeToLive = Timing.timeToLive
        var isCancelled = false
        var isToAll = false
        /// Whether it goes to the private conversation.
        var isPrivate = false
    }

    /// When simulated time begins, in milliseconds since 1970.
    static let epoch: Int64 = 1_700_000_000_000

    let configuration: SimulationConfiguration
    let seed: UInt64
    var generator: SeededGenerator
    var queue = EventQueue<Happening>()
    var time: Int64 = 0
    var nodes: [SimulatedNode] = []
    var indices: [UserID: Int] = [:]
    var network: SimulatedNetwork
    var isHealed = false
    /// Whether nothing was left to do at the last look, and whether that was so twice.
    var isQuietSoFar = false
    var isAtRest = false
    var faults = 0
    var actions = 0
    /// The nodes that a message to the private conversation is not for, as its author knew.
    var secrets: [String: Set<Int>] = [:]
    /// How many messages programs answered: no two answers are alike.
    var answers = 0
    var violations: [String] = []
    var trace = TraceDigest()
    /// What programs do by chance, which changes no run without them.
    var programChance: SeededGenerator
    /// Decides what hostile carriers do.
    var carrierChance: SeededGenerator
    /// Decides when messages of a session are written.
    var moveChance: SeededGenerator
    /// Decides what becomes of files.
    var fileChance: SeededGenerator
    /// Those who write what they may not.
    var hostile: HostileAuthors
    /// Decides what is said at the end.
    var calmChance: SeededGenerator
    /// Since nothing was left to do for the first time.
    var calm: Calm?
    /// By then everything has to be done.
    var endTime: Int64
    /// Parts of files that were something else.
    var refusedParts = 0
    /// Logs of conversations of many that liars were asked for.
    var sharedLogs: Set<LogID> = []

    private init(seed: UInt64, configuration: SimulationConfiguration) {
        self.seed = seed
        self.configuration = configuration
        generator = SeededGenerator(seed: seed)
        programChance = SeededGenerator(seed: ~seed)
        carrierChance = SeededGenerator(seed: seed ^ 0x6361_7272)
        moveChance = SeededGenerator(seed: seed ^ 0x6d6f_7665)
        fileChance = SeededGenerator(seed: seed ^ 0x6669_6c65)
        calmChance = SeededGenerator(seed: seed ^ 0x6361_6c6d)
        hostile = HostileAuthors(count: configuration.hostileAuthors, seed: seed)
        endTime = configuration.trouble + configuration.patience
        network = SimulatedNetwork(nodes: configuration.nodes)
    }

    /// Runs to the end.
    /// - Parameter fleet: for as many nodes as the configuration asks for; made if it is not given.
    /// - Throws: `StoreError` if the in-memory database itself fails.
    package static func run(
        seed: UInt64, configuration: SimulationConfiguration = SimulationConfiguration(), fleet: Fleet? = nil
    ) throws -> Outcome {
        try SecretBytes.$isGuarded.withValue(false) {
            var simulation = Simulation(seed: seed, configuration: configuration)
            return try simulation.run(
                fleet ?? Fleet(nodes: configuration.nodes, devicesPerUser: configuration.devicesPerUser))
        }
    }

    private mutating func run(_ fleet: Fleet) throws -> Outcome {
        try populate(fleet)
        for index in nodes.indices { try start(index) }
        plan()
        while !isAtRest, let (time, happening) = queue.pop(), time <= endTime {
            self.time = time
            try handle(happening)
        }
        try checkEnd()
        return Outcome(
            seed: seed, violations: violations, messages: nodes.reduce(0) { $0 + $1.accepted.count }, faults: faults,
            actions: actions, duration: time, digest: calm?.digest ?? trace.value)
    }

    func name(_ index: Int) -> String { "node \(index)" }

    func log(_ what: @autoclosure () -> String) {
        guard let log = configuration.log else { return }
        log("\(time) µs: \(what())")
    }

    // MARK: - What happens

    private mutating func handle(_ happening: Happening) throws {
        if let index = host(of: happening), nodes[index].asleepUntil > time {
            queue.push(happening, at: nodes[index].asleepUntil)
            return
        }
        switch happening {
        case .connectResult(let node, let connectionID, let generation, let peer):
            try connectResult(node, connectionID, generation, peer)
        case .connectFailed(let node, let connectionID, let generation):
            try connectFailed(node, connectionID, generation)
        case .bytes(let socket): try deliver(socket)
        case .closed(let socket): try closed(socket)
        case .disconnected(let node, let connectionID, let generation):
            guard nodes[node].generation == generation else { return }
            try perform(node) { $0.disconnected(connectionID, now: $1) }
        case .commitDone(let node, let generation): try commitDone(node, generation)
        case .committed(let node, let generation):
            guard nodes[node].generation == generation else { return }
            try perform(node) { $0.committed(now: $1) }
        case .answer(let node, let generation, let answer): try self.answer(node, generation, answer)
        case .wake(let node, let generation, let deadline):
            guard nodes[node].generation == generation, nodes[node].wakeAt == deadline else { return }
            nodes[node].wakeAt = nil
            if nodes[node].wakesTooOften(at: time) {
                violated("\(name(node)) is woken without end, and has nothing to do")
            }
            try perform(node) { $0.tick(now: $1) }
        case .send(let node, let errand): try send(node, errand)
        case .cancel(let node, let messageID):
            try request(node) { $0.cancel(messageID, requestID: $1, now: $2) }
        case .markRead(let node, let messageID):
            try request(node) { $0.markRead(messageID, requestID: $1, now: $2) }
        case .decide(let node, let decision, let other):
            // A node that slept does only now what it was to do before.
            guard !isHealed || decision != .block else { return }
            log("\(name(node)): \(decision) \(name(other))")
            let (userID, deviceID) = (nodes[other].local.userID, nodes[node].local.deviceID)
            // The first device of a user holds the identity's key.
            let key = hasSeveralDevices && isPrimary(node) ? nodes[node].member.identityKey : nil
            try request(node) { machine, requestID, now in
                let said = decision.needsProof ? machine.decision(decision, about: userID) : nil
                let signed = key.flatMap { said?.signed(for: deviceID, with: $0) }
                return machine.decide(decision, about: userID, signed: signed, requestID: requestID, now: now)
            }
        case .probed(let node, let generation, let probeID, let peer):
            guard nodes[node].generation == generation else { return }
            let isReachable = peer.map { nodes[$0].isUp && self.isReachable(node, $0) } ?? false
            try perform(node) { $0.probed(probeID, isReachable: isReachable, now: $1) }
        case .program(let node): try runProgram(on: node)
        case .join(let node): try join(node)
        case .move(let number, let attempt): try move(number, attempt: attempt)
        case .bring(let number, let attempt): try bring(number, attempt: attempt)
        case .lookForFiles(let node): try lookForFiles(node)
        case .fileTask(let node, let generation, let task): try perform(task, of: node, generation)
        case .decideGroup(let node): try decideGroup(node)
        case .intrude(let author): try intrude(author)
        case .takeBack(let node): try takeBack(node)
        case .meet(let a, let b): try meet(a, b)
        case .restart(let node): try start(node)
        case .fault: try fault()
        case .rejoin: rejoin()
        case .heal: try heal()
        case .lookAround: try lookAround()
        }
    }

    /// The host that does not notice this while it sleeps.
    private func host(of happening: Happening) -> Int? {
        switch happening {
        case .connectResult(let node, _, _, _), .connectFailed(let node, _, _), .disconnected(let node, _, _),
            .commitDone(let node, _), .committed(let node, _), .answer(let node, _, _), .wake(let node, _, _),
            .send(let node, _), .program(let node), .join(let node), .decideGroup(let node),
            .cancel(let node, _), .markRead(let node, _), .decide(let node, _, _), .probed(let node, _, _, _),
            .restart(let node), .lookForFiles(let node), .fileTask(let node, _, _), .takeBack(let node):
            node
        case .bytes(let socket), .closed(let socket): network.connections[socket.number]?[socket.side].node
        case .meet, .move, .bring, .intrude, .fault, .rejoin, .heal, .lookAround: nil
        }
    }

    // MARK: - What programs want

    private mutating func request(
        _ index: Int, _ body: (inout NodeMachine, RequestID, Moment) -> [NodeAction]
    ) throws {
        guard nodes[index].isUp, !nodes[index].isStopping else { return }
        let requestID = nodes[index].nextRequest(for: [])
        try perform(index) { body(&$0, requestID, $1) }
    }

    private mutating func send(_ index: Int, _ errand: Errand) throws {
        if errand.isPrivate {
            if try !sendToPrivateGroup(index, errand), !isHealed {
                queue.push(.send(node: index, errand), at: time + 500_000)
            }
            return
        }
        if errand.isToAll {
            if try !sendToGroup(index, errand), !isHealed { queue.push(.send(node: index, errand), at: time + 500_000) }
            return
        }
        let recipientID = nodes[errand.peer].local.userID
        guard nodes[index].isUp, !nodes[index].isStopping, nodes[index].user(recipientID) != nil else {
            // Nobody can write to somebody they have not met: try again a little later.
            if !isHealed { queue.push(.send(node: index, errand), at: time + 500_000) }
            return
        }
        let padding = String(decoding: [UInt8](repeating: 0x5f, count: errand.padding), as: UTF8.self)
        let texts = (0..<errand.count).map { "message \(errand.number).\($0) of node \(index)" + padding }
        let requestID = nodes[index].nextRequest(for: texts)
        let drafts = texts.map { MessageDraft($0, timeToLive: .milliseconds(errand.timeToLive)) }
        let conversationID = ConversationID.direct(nodes[index].local.userID, recipientID)
        try perform(index) { $0.send(drafts, to: conversationID, requestID: requestID, now: $1) }
    }
}
