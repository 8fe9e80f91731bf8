import EarshotCrypto
import EarshotModel
import EarshotStore

@testable import EarshotProtocol

/// Two nodes' machines with real stores in memory, over one connection that a test makes and cuts. What is on a disk
/// can be copied, and the copy put in its place.
struct StoredPair {
    struct Side {
        let local: LocalDevice
        var store: Store
        var machine: NodeMachine
        var connectionID: ConnectionID?
        var output: [UInt8] = []
        /// Whether it closed the connection, once what it wrote has arrived.
        var hasHungUp = false
        var events: [Event] = []
        var completions: [RequestID: Result<RequestAnswer, ProtocolError>] = [:]
        /// Whether what is sent to it is lost from the moment on at which it has a link.
        var isDeafAfterHandshake = false
        /// Commits that its disk still takes.
        var commitsLeft = Int.max
        /// Whether the process ends when the disk takes no more, instead of hearing of it.
        var diesOfFullDisk = false
        var isDead = false
        /// Whether its store reads only when the test says so.
        var isSlowToRead = false
        var waitingReads: [EntriesRead] = []
        /// With what the store has said, which is not heard yet.
        var waitingChains: [(read: ChainsRead, chains: [LogID: [UInt64: ChainHash]])] = []
        /// What happens while its disk writes.
        var whileWriting: (@Sendable (Commit, inout NodeMachine) -> [NodeAction])?
    }

    enum Name { case alice, bob }

    var alice: Side
    var bob: Side
    var now = MachinePair.start
    private var requestCount: UInt64 = 0
    private var waiting: [(Name, NodeAction)] = []
    private var isPerforming = false

    init() throws {
        func side(_ name: String) throws -> Side {
            let local = device(name)
            let machine = NodeMachine(local: local, snapshot: Snapshot(), now: MachinePair.start) { .generate() }
            return Side(local: local, store: try .inMemory(), machine: machine)
        }
        alice = try side("alice")
        bob = try side("bob")
    }

    /// Two that have met, and are linked.
    static func linked() throws -> StoredPair {
        var pair = try StoredPair()
        try pair.link()
        return pair
    }

    subscript(_ name: Name) -> Side {
        get { name == .alice ? alice : bob }
        set { if name == .alice { alice = newValue } else { bob = newValue } }
    }

    // MARK: - The connection

    mutating func link(after wait: Int64 = Timing.redialCeiling) throws {
        try unlink()
        let address = PeerAddress(host: "10.0.0.2", port: 7)
        pass(wait)
        let actions = alice.machine.addStaticPeer(address, now: now) + alice.machine.tick(now: now)
        for case .connect(let connectionID, _) in actions { alice.connectionID = connectionID }
        try perform(actions, .alice)
        guard let dialled = alice.connectionID else { preconditionFailure("nobody dialled") }
        let (accepted, answer) = bob.machine.accepted(from: address, now: now)
        bob.connectionID = accepted
        try perform(answer, .bob)
        try perform(alice.machine.connected(dialled, to: address, now: now), .alice)
        try settle()
    }

    mutating func unlink() throws {
        for name in [Name.alice, .bob] {
            guard let connectionID = self[name].connectionID else { continue }
            self[name].connectionID = nil
            self[name].output = []
            self[name].hasHungUp = false
            try perform(self[name].machine.disconnected(connectionID, now: now), name)
        }
        try rest()
    }

    var isLinked: Bool { alice.connectionID != nil && bob.connectionID != nil }

    // MARK: - The disk

    func copy(_ name: Name) throws -> Store { try self[name].store.inMemoryCopy() }

    /// The process ends, an older copy takes the place of its disk, and another process begins with that.
    /// - Parameter change: what of the disk's contents is different.
    mutating func restart(
        _ name: Name, from copy: Store? = nil, changing change: (inout Snapshot) -> Void = { _ in }
    ) throws {
        try unlink()
        if let copy { self[name].store = try copy.inMemoryCopy() }
        var local = self[name].local
        local.link.run = UInt64(now.uptime)
        var snapshot = try self[name].store.snapshot()
        change(&snapshot)
        self[name].machine = NodeMachine(local: local, snapshot: snapshot, now: now) {
            .generate()
        }
        self[name].events = []
        self[name].isDead = false
        self[name].commitsLeft = .max
        pass(1)
    }

    // MARK: - Messages

    @discardableResult
    mutating func send(_ text: String, from name: Name) throws -> RequestID {
        try send([text], from: name)
    }

    @discardableResult
    mutating func send(_ texts: [String], from name: Name) throws -> RequestID {
        requestCount += 1
        let requestID = RequestID(requestCount)
        let recipientID = self[name == .alice ? .bob : .alice].local.userID
        try perform(
            self[name].machine.send(texts.map { MessageDraft($0) }, to: recipientID, requestID: requestID, now: now),
            name)
        try settle()
        return requestID
    }

    @discardableResult
    mutating func cancel(_ messageID: MessageID, by name: Name) throws -> RequestID {
        requestCount += 1
        let requestID = RequestID(requestCount)
        try perform(self[name].machine.cancel(messageID, requestID: requestID, now: now), name)
        try settle()
        return requestID
    }

    mutating func markRead(_ messageID: MessageID, by name: Name) throws {
        requestCount += 1
        try perform(self[name].machine.markRead(messageID, requestID: RequestID(requestCount), now: now), name)
        try settle()
    }

    /// Makes a request of another kind.
    @discardableResult
    mutating func request(
        _ name: Name, _ body: (inout NodeMachine, RequestID, Moment) -> [NodeAction]
    ) throws -> RequestID {
        requestCount += 1
        let requestID = RequestID(requestCount)
        try perform(body(&self[name].machine, requestID, now), name)
        return requestID
    }

    func rows(_ name: Name) throws -> [HistoryRow] {
        let conversationID = ConversationID.direct(alice.local.userID, bob.local.userID)
        return try self[name].store.history(of: conversationID, .latest, limit: 100_000) ?? []
    }

    func texts(_ name: Name) throws -> [String] {
        try rows(name).map { row in
            guard case .body(let bytes) = row.entry.content,
                case .text(let message) = try EntryBody(decoding: bytes).content
            else { return "" }
            return message.text
        }
    }

    /// The state of a message that `name` has written.
    func state(of text: String, by name: Name) throws -> DeliveryState? {
        guard let index = try texts(name).firstIndex(of: text) else { return nil }
        let row = try rows(name)[index]
        return row.state(for: row.log.recipientID)
    }

    /// What an audit of a side's store finds that does not hold: as `kind sequence`.
    func mismatches(_ name: Name) throws -> [String] {
        let conversationID = ConversationID.direct(alice.local.userID, bob.local.userID)
        let (store, userID) = (self[name].store, self[name].local.userID)
        let other = self[name == .alice ? .bob : .alice].local.userID
        return try store.auditedLogs(of: conversationID).flatMap { log in
            let recipientID = log.record.authorID == userID ? other : userID
            let receipt = log.deliveries.first { $0.recipientID == recipientID }?.progress.receipt
            var audit = LogAudit(
                log: log.record, recipientID: recipientID, lastSequence: log.lastSequence, isWrittenHere: false,
                credential: nil,
                receipt: receipt.map { ($0, nil) })
            let entries = try store.entries(of: log.record.logID, from: 1, countLimit: .max, byteLimit: .max)
            for entry in entries { audit.check(entry) }
            return audit.finished().mismatches.map { "\($0.kind) \($0.sequence ?? 0)" }
        }
    }

    // MARK: - What happens

    mutating func pass(_ milliseconds: Int64) {
        now.uptime += milliseconds
        now.wallClock += milliseconds
    }

    mutating func tick() throws {
        for name in [Name.alice, .bob] { try perform(self[name].machine.tick(now: now), name) }
    }

    /// Lets everything happen until nothing is left to do.
    mutating func settle() throws {
        try rest()
        while alice.hasHungUp || bob.hasHungUp { try unlink() }
    }

    private mutating func rest() throws {
        for _ in 0..<2_000 {
            if !alice.output.isEmpty || !bob.output.isEmpty {
                try carry(from: .alice, to: .bob)
                try carry(from: .bob, to: .alice)
                continue
            }
            pass(Timing.lazyCommit)
            try tick()
            if alice.output.isEmpty, bob.output.isEmpty { return }
        }
        preconditionFailure("the pair never comes to rest")
    }

    private mutating func carry(from: Name, to: Name) throws {
        let bytes = self[from].output
        self[from].output = []
        guard !bytes.isEmpty, let connectionID = self[to].connectionID else { return }
        if self[to].isDeafAfterHandshake, self[to].machine.peer(on: connectionID) != nil { return }
        try perform(self[to].machine.received(bytes, on: connectionID, now: now), to)
    }

    /// Every action is done before those that follow from it.
    mutating func perform(_ actions: [NodeAction], _ name: Name) throws {
        waiting += actions.map { (name, $0) }
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !waiting.isEmpty {
            let (name, action) = waiting.removeFirst()
            if !self[name].isDead { try run(action, name) }
        }
    }

    private mutating func run(_ action: NodeAction, _ name: Name) throws {
        switch action {
        case .write(let connectionID, let bytes) where connectionID == self[name].connectionID:
            self[name].output += bytes
        case .disconnect(let connectionID) where connectionID == self[name].connectionID:
            // What was written before still arrives.
            self[name].hasHungUp = true
        case .commit(let commit): try write(commit, name)
        case .read(let read) where self[name].isSlowToRead: self[name].waitingReads.append(read)
        case .read(let read): try answer(read, name)
        case .readChains(let read):
            let chains = try chains(of: read, by: name)
            guard !self[name].isSlowToRead else {
                self[name].waitingChains.append((read, chains))
                break
            }
            try perform(self[name].machine.chainsRead(read, chains: chains, now: now), name)
        case .findKeys(let lookup, let keys):
            let found = try self[name].store.entries(with: keys)
            try perform(self[name].machine.keysFound(lookup, found, now: now), name)
        case .complete(let requestID, let result): self[name].completions[requestID] = result
        case .accepted(let calls):
            for call in calls { self[name].completions[call.requestID] = .success(call.answer) }
        case .post(let event): self[name].events.append(event)
        case .postRun(let run): self[name].events += run.events
        default: return
        }
    }

    /// The answer of a side's store.
    func chains(of read: ChainsRead, by name: Name) throws -> [LogID: [UInt64: ChainHash]] {
        try read.logIDs.reduce(into: [:]) { $0[$1] = try self[name].store.chains(of: $1, at: read.sequences) }
    }

    private mutating func answer(_ read: EntriesRead, _ name: Name) throws {
        let entries = try self[name].store.entries(
            of: read.logID, from: read.from, countLimit: read.countLimit, byteLimit: read.byteLimit)
        try perform(self[name].machine.entriesRead(read, entries: entries, now: now), name)
    }

    /// A store that was slow to read answers all that waits, and is quick from now on.
    mutating func readNow(_ name: Name) throws {
        self[name].isSlowToRead = false
        let reads = self[name].waitingReads
        self[name].waitingReads = []
        for read in reads { try answer(read, name) }
        let found = self[name].waitingChains
        self[name].waitingChains = []
        for (read, chains) in found {
            try perform(self[name].machine.chainsRead(read, chains: chains, now: now), name)
        }
        try settle()
    }

    private mutating func write(_ commit: Commit, _ name: Name) throws {
        guard self[name].commitsLeft > 0 else {
            if self[name].diesOfFullDisk {
                self[name].isDead = true
            } else {
                try perform(self[name].machine.commitFailed("no space", now: now), name)
            }
            return
        }
        self[name].commitsLeft -= 1
        try self[name].store.commit(commit)
        if let actions = self[name].whileWriting?(commit, &self[name].machine) { try perform(actions, name) }
        try perform(self[name].machine.committed(now: now), name)
    }
}

extension StoredPair.Side {
    var recoveries: [HistoryRecovery] {
        events.compactMap { if case .historyRecovered(let recovery) = $0 { recovery } else { nil } }
    }

    var failedLinks: [String] {
        events.compactMap { if case .linkFailed(let failure) = $0 { "\(failure.code)" } else { nil } }
    }

    var receivedTexts: [String] {
        events.compactMap { if case .messageReceived(let message) = $0 { message.text } else { nil } }
    }
}
