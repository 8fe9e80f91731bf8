import EarshotCrypto
import EarshotModel

@testable import EarshotProtocol

/// Frames of an authenticated but hostile peer: any frames at all, in any order, while this node goes on with its own
/// work.
let peerFrames = FuzzTarget("peer-frames", maximumBytes: 1024, prepare: { _ = HostileLink.established }) { input in
    var link = input.choice(4) == 0 ? HostileLink.new : HostileLink.established
    while !input.isEmpty, !link.isOver { link.step(&input) }
    link.end()
}

/// Alice's node, with a link to Mallory and a disk that works when it is told to.
struct HostileLink: Sendable {
    /// Mallory has not yet said what they hold; a message of Alice's is on her disk.
    static let new: HostileLink = {
        var link = HostileLink()
        link.meet()
        link.send("one")
        link.settle()
        require(!link.isOver && link.own.count == 1, "the fuzzer itself is wrong: Alice has written to Mallory")
        return link
    }()

    /// Mallory has said that they hold nothing; some messages of Alice's were sent, and none is acknowledged.
    static let established: HostileLink = {
        var link = new
        link.sayHeads()
        for text in ["two", "three", "four"] { link.send(text) }
        link.settle()
        require(!link.isOver && link.own.count == 4, "the fuzzer itself is wrong: Alice has written to Mallory")
        return link
    }()

    private var machine = NodeMachine(local: Cast.alice, snapshot: Snapshot(), now: Cast.now) {
        Cast.ephemeralKeys[0]
    }
    private var transport: TransportState?
    private var now = Cast.now
    private var connectionID = ConnectionID(1)
    private(set) var isOver = false
    private var isCommitting = false
    private var commit = Commit()
    private var reads: [EntriesRead] = []
    private var chainReads: [ChainsRead] = []
    private var probes: [ProbeID] = []
    private var requestCount: UInt64 = 0
    /// What is on Alice's disk.
    private var own: [EntryRecord] = []
    private var ownLog: LogDescription?
    private var received: [LogID: [EntryRecord]] = [:]
    /// Of branches, what comes before their first entry.
    private var bases: [LogID: (log: LogID, head: LogHead)] = [:]
    private var deliveries: [LogID: DeliveryProgress] = [:]
    private var written: [UInt8] = []
    private var logs: [HostileLog] = (1...3).map { epoch in
        HostileLog(
            description: LogDescription(
                conversationID: .direct(Cast.alice.userID, Cast.mallory.userID), deviceID: Cast.mallory.deviceID,
                epoch: epoch))
    }

    // MARK: - The beginning

    private mutating func meet() {
        let (accepted, actions) = machine.accepted(from: PeerAddress(host: "10.0.0.2", port: 7), now: now)
        connectionID = accepted
        perform(actions)
        var handshake = certain {
            try HandshakeState(
                pattern: .xx, role: .initiator, prologue: Cast.alice.link.prologue,
                staticKey: Cast.mallory.link.agreementKey, ephemeralKey: Cast.ephemeralKeys[1])
        }
        var hello = Wire.Hello()
        hello.version = LinkConfiguration.protocolVersion
        let first = certain { try handshake.writeMessage(payload: []) }
        hear(MessageBuffer.framed(Wire.encode(hello)) + MessageBuffer.framed(first))
        _ = certain { try handshake.readMessage(Array(written.dropFirst(2))) }
        var introduction = Wire.Introduction()
        introduction.credential = Cast.mallory.link.credential.wire
        introduction.clock = now.wallClock
        let last = certain { try handshake.writeMessage(payload: Wire.encode(introduction)) }
        transport = certain { try handshake.split() }
        hear(MessageBuffer.framed(last))
        settle()
    }

    private mutating func sayHeads() { seal(framed(.heads(HeadsFrame(conversationID: nil, heads: [], isComplete: true)))) }

    private mutating func send(_ text: String) {
        requestCount += 1
        let request = RequestID(requestCount)
        let conversationID = ConversationID.direct(machine.userID, Cast.mallory.userID)
        perform(machine.send([MessageDraft(text)], to: conversationID, requestID: request, now: now))
    }

    private mutating func settle() {
        for _ in 0..<20 {
            if isCommitting { finishCommit() }
            while !reads.isEmpty || !chainReads.isEmpty { answerRead() }
            pass(Timing.lazyCommit)
        }
    }

    // MARK: - What happens

    mutating func step(_ input: inout FuzzInput) {
        switch input.choice(16) {
        case 0: seal(input.block())
        case 1: seal(framed(input.block()))
        case 2, 3, 4, 5: seal(framed(.entries(entries(&input))))
        case 6, 7: seal(framed(.receipts(receipts(&input))))
        case 8: seal(framed(.heads(heads(&input))))
        case 9: sayLittle(&input)
        case 10: if isCommitting { input.choice(8) == 0 ? failCommit() : finishCommit() }
        case 11:
            if !reads.isEmpty || !chainReads.isEmpty { input.choice(8) == 0 ? failRead() : answerRead() }
        case 12: pass(Int64(input.byte()) * (input.flag() ? 1 : 1000))
        case 13: input.flag() ? send(input.text()) : decide(&input)
        case 14: actOnMessages(&input)
        default: if let probe = probes.popLast() { perform(machine.probed(probe, isReachable: input.flag(), now: now)) }
        }
        check()
    }

    private mutating func sayLittle(_ input: inout FuzzInput) {
        switch input.choice(9) {
        case 0: seal(framed(.ping))
        case 8:
            let other = input.flag() ? Cast.mallory.userID : machine.userID
            seal(framed(.typing(.direct(machine.userID, other), isTyping: input.flag())))
        case 6: seal(framed(.unplaced(log(&input))))
        case 7: seal(framed(.taken(log(&input).logID, through: place(&input))))
        case 5: want(&input)
        case 1:
            seal(framed(.rekey))
            transport?.rekeySending()
        case 2: seal(framed(.close(CloseReason(rawValue: UInt32(input.byte())))))
        case 3: seal(framed(.dialBack(port: UInt16(input.byte()) + 1, nonce: input.word())))
        default: seal(framed(.dialBackResult(nonce: input.number(), isReachable: input.flag())))
        }
    }

    private mutating func want(_ input: inout FuzzInput) {
        let log = logs[input.choice(logs.count)]
        let isReal = input.choice(4) > 0
        let known = [log.head.place, LogHead.origin(of: log.description.logID).place]
        seal(
            framed(
                .wanted(
                    WantedFrame(
                        log: isReal ? log.description : self.log(&input),
                        end: isReal ? log.head.place : place(&input), known: Array(known.prefix(input.choice(3)))))))
    }

    /// A log of Alice's or Mallory's, or one that was never written.
    private func log(_ input: inout FuzzInput) -> LogDescription {
        switch input.choice(4) {
        case 0: ownLog ?? logs[0].description
        case 1:
            LogDescription(
                conversationID: logs[0].description.conversationID, deviceID: Cast.alice.deviceID,
                epoch: UInt64(input.byte()))
        default: logs[input.choice(logs.count)].description
        }
    }

    private func place(_ input: inout FuzzInput) -> Place {
        let sequence = input.flag() ? UInt64(input.choice(own.count + 1)) : input.number(near: UInt64(own.count))
        let place = Int(clamping: sequence) - 1
        let real = own.indices.contains(place) ? own[place].chain : ChainHash(Bytes32())
        return Place(sequence: sequence, chain: input.choice(4) == 0 ? ChainHash(padding(input.block())) : real)
    }

    private func heads(_ input: inout FuzzInput) -> HeadsFrame {
        HeadsFrame(
            conversationID: input.choice(8) == 0
                ? ConversationID(padding(input.block())) : logs[0].description.conversationID,
            heads: (0..<input.choice(4)).map { _ in BranchHead(log: log(&input), place: place(&input)) },
            isComplete: input.flag())
    }

    private func entries(_ input: inout FuzzInput) -> EntriesFrame {
        let log = logs[input.choice(logs.count)]
        guard input.choice(8) == 0 else { return log.run(&input) }
        let device = input.flag() ? Cast.mallory.deviceID : Cast.alice.deviceID
        let other = LogDescription(conversationID: ConversationID(padding(input.block())), deviceID: device, epoch: 1)
        return log.run(&input, description: input.flag() ? ownLog : other)
    }

    private func receipts(_ input: inout FuzzInput) -> [Receipt] {
        (0..<input.choice(4)).map { _ in
            let sequence = input.flag() ? UInt64(input.choice(own.count + 1)) : input.number(near: UInt64(own.count))
            let place = Int(clamping: sequence) - 1
            let real = own.indices.contains(place) ? own[place].chain : ChainHash(Bytes32())
            let known = ownLog?.logID ?? LogID(Bytes32())
            return Receipt.sign(
                logID: input.choice(8) == 0 ? logs[0].description.logID : known, sequence: sequence,
                chain: input.choice(4) == 0 ? ChainHash(padding(input.block())) : real,
                readSequence: input.flag() ? 0 : input.number(near: sequence), deviceID: Cast.mallory.deviceID,
                with: input.choice(8) == 0 ? Cast.identityKey : Cast.mallory.signingKey)
        }
    }

    private mutating func decide(_ input: inout FuzzInput) {
        requestCount += 1
        let decision = TrustDecision.allCases[input.choice(TrustDecision.allCases.count)]
        perform(
            machine.decide(decision, about: Cast.mallory.userID, requestID: RequestID(requestCount), now: now))
    }

    private mutating func actOnMessages(_ input: inout FuzzInput) {
        requestCount += 1
        let request = RequestID(requestCount)
        if input.flag() {
            let log = logs[input.choice(logs.count)].description.logID
            let messageID = MessageID(log: log, sequence: input.number())
            perform(machine.markRead(messageID, requestID: request, now: now))
        } else if let ownLog {
            let messageID = MessageID(log: ownLog.logID, sequence: input.number(near: UInt64(own.count)))
            perform(machine.cancel(messageID, requestID: request, now: now))
        }
    }

    /// Stops the node, which must end whatever has happened.
    mutating func end() {
        perform(machine.stop(now: now))
        for _ in 0..<8 where isCommitting { finishCommit() }
        require(!isCommitting && machine.isSettled, "a node that stops has written what waited")
        check()
    }

    // MARK: - The world around the machine

    private func framed(_ frame: Frame) -> [UInt8] { framed(frame.encoded()) }

    private func framed(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        FrameBuffer.write(bytes, to: &output)
        return output
    }

    private mutating func seal(_ plaintext: [UInt8]) {
        guard let sealed = try? transport?.seal(plaintext) else { return }
        hear(MessageBuffer.framed(sealed))
    }

    private mutating func hear(_ bytes: [UInt8]) {
        written = []
        perform(machine.received(bytes, on: connectionID, now: now))
    }

    private mutating func pass(_ milliseconds: Int64) {
        now.uptime += milliseconds
        now.wallClock += milliseconds
        perform(machine.tick(now: now))
    }

    private mutating func perform(_ actions: [NodeAction]) {
        require(actions.count < 4096, "what a peer says has a bounded number of consequences")
        for action in actions {
            switch action {
            case .write(let link, let bytes):
                require(!isOver || link != connectionID, "nothing is written to a link that is over")
                written += bytes
            case .disconnect(let link): if link == connectionID { isOver = true }
            case .commit(let commit):
                require(!isCommitting, "there is one commit at a time")
                isCommitting = true
                self.commit = commit
            case .read(let read): reads.append(read)
            case .readChains(let read): chainReads.append(read)
            case .probe(let probe, _): probes.append(probe)
            case .findExpired(let logID, _, _):
                perform(machine.expiredFound(in: logID, sequences: [], nextExpiry: .max, now: now))
            case .connect(let link, _): perform(machine.connectFailed(link, reason: "nobody is there", now: now))
            default: continue
            }
        }
    }

    private mutating func finishCommit() {
        isCommitting = false
        let commit = commit
        require(
            commit.unsentTails.isEmpty && commit.rewrittenTails.isEmpty,
            "nobody moves what this node wrote without its own signature")
        for log in commit.logs where log.description.deviceID == Cast.alice.deviceID { ownLog = log.description }
        for log in commit.logs { bases[log.logID] = log.base.map { (log.description.logID, $0) } }
        for run in commit.entries { store(run) }
        for delivery in commit.deliveries { store(delivery) }
        perform(machine.committed(now: now))
    }

    private mutating func store(_ run: LogEntries) {
        if run.logID == ownLog?.logID {
            own += run.entries
            require(own.map(\.sequence) == Array(1...UInt64(own.count)), "this node's own log never has a hole")
            return
        }
        let entries = received[run.logID, default: []] + run.entries
        let first = (bases[run.logID]?.head.sequence ?? 0) + 1
        require(
            entries.map(\.sequence) == Array(first..<first + UInt64(entries.count)), "a peer's log never has a hole")
        received[run.logID] = entries
        guard let index = logs.firstIndex(where: { $0.description.logID == run.logID }) else { return }
        for entry in run.entries { logs[index].stored(entry) }
    }

    private mutating func store(_ delivery: DeliveryRecord) {
        let (new, old) = (delivery.progress, deliveries[delivery.logID] ?? DeliveryProgress())
        require(new.delivered >= old.delivered && new.read >= old.read, "what is delivered stays so")
        require(new.read <= new.delivered, "what is read is delivered")
        require(new.sent >= new.delivered && new.offered >= new.sent, "what is delivered was sent")
        let isOwn = delivery.logID == ownLog?.logID
        let last = isOwn ? own.last : received[delivery.logID]?.last
        require(new.delivered <= last?.sequence ?? 0, "what is delivered exists")
        deliveries[delivery.logID] = new
    }

    private mutating func failCommit() {
        isCommitting = false
        perform(machine.commitFailed("no space", now: now))
    }

    private mutating func answerRead() {
        guard !reads.isEmpty else {
            let read = chainReads.removeFirst()
            let chains = read.logIDs.reduce(into: [LogID: [UInt64: ChainHash]]()) { chains, logID in
                for entry in stored(logID) where read.sequences.contains(entry.sequence) {
                    chains[logID, default: [:]][entry.sequence] = entry.chain
                }
            }
            perform(machine.chainsRead(read, chains: chains, now: now))
            return
        }
        let read = reads.removeFirst()
        let entries = stored(read.logID).filter { $0.sequence >= read.from }
        perform(machine.entriesRead(read, entries: Array(entries.prefix(read.countLimit)), now: now))
    }

    /// The entries of a branch from the log's beginning on.
    private func stored(_ logID: LogID) -> [EntryRecord] {
        if logID == ownLog?.logID { return own }
        let entries = received[logID] ?? []
        guard let base = bases[logID]?.head, base.sequence > 0 else { return entries }
        let parent = received.first { other, entries in
            other != logID && entries.contains { $0.sequence == base.sequence && $0.chain == base.chain }
        }
        return (parent.map { stored($0.key) } ?? []).prefix { $0.sequence <= base.sequence } + entries
    }

    private mutating func failRead() {
        guard !reads.isEmpty else {
            perform(machine.chainsReadFailed(chainReads.removeFirst(), "no disk", now: now))
            return
        }
        perform(machine.readFailed(reads.removeFirst(), "no disk", now: now))
    }

    private func check() {
        _ = machine.undelivered
        // Of each log where a run belongs, and what a peer is sent, or is given of each that it wants.
        let limit = logs.count + 2 + Limits.askedBranchesPerLink
        require(reads.count <= limit, "a peer makes this node read one thing of a log at a time")
        let load = machine.load
        require(load.deviceBytes <= Limits.windowBytes + Limits.frameBytes, "what waits of a device is bounded")
        require(load.windowBytes >= 0, "a window is not less than empty")
        require(load.windowBytes <= 2 * Limits.windowBytes, "a window is bounded")
        require(machine.replication.changes.count < 8, "what waits for the disk is bounded")
    }
}

extension HostileLog {
    /// The reader has it on the disk.
    mutating func stored(_ entry: EntryRecord) {
        guard entry.sequence == head.sequence + 1 else { return }
        let head = LogHead(sequence: entry.sequence, chain: entry.chain, timestamp: entry.timestamp)
        append(entry.content, head: head)
    }
}
