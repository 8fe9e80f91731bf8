import EarshotCrypto
import EarshotModel
import EarshotSimulation

@testable import EarshotProtocol

/// Frames of an authenticated but hostile peer: any frames at all, in any order, while this node goes on with its own
/// work.
let peerFrames = FuzzTarget("peer-frames", maximumBytes: 1024, prepare: { _ = HostileLink.established }) { input in
    var link =
        switch input.choice(8) {
        case 0: HostileLink.new
        case 1: HostileLink.stolen
        case 2: HostileLink.older
        case 3: HostileLink.inPrivate
        case 4: HostileLink.inGroup
        case 5: HostileLink.inPrivate
        default: HostileLink.established
        }
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
        link.join()
        require(!link.isOver && link.own.count == 4, "the fuzzer itself is wrong: Alice has written to Mallory")
        return link
    }()

    /// Mallory and Carol have written to an open conversation that Alice belongs to.
    static let inGroup: HostileLink = {
        var link = established
        let joined = link.framed(.digests([link.digest(HeadsHash(Bytes32()))]))
        link.seal(joined)
        link.seal(link.framed(.heads(HeadsFrame(conversationID: Self.openID, heads: [], isComplete: true))))
        for index in [HostileLog.open, HostileLog.carols] {
            link.write(.join(), to: index)
        }
        let participants = link.machine.openConversation(Self.openID)?.participants.count
        require(!link.isOver && participants == 3, "the fuzzer itself is wrong: all three have joined")
        return link
    }()

    /// Mallory owns a private conversation, which Alice and Carol have joined.
    static let inPrivate: HostileLink = {
        var link = established
        link.seal(
            link.framed(
                .digests([
                    ConversationDigest(
                        conversationID: Self.privateID, heads: HeadsHash(Bytes32()), isPrivate: true, hasJoined: true)
                ])))
        link.seal(link.framed(.heads(HeadsFrame(conversationID: Self.privateID, heads: [], isComplete: true))))
        let creation = Creation(
            conversationID: Self.privateID, uniqueName: "ops",
            attributes: ConversationAttributes(friendlyName: "Operations"), givesHistory: false)
        link.write(.control(ControlBody(.created(creation), origin: Self.origin)), to: HostileLog.control)
        for user in [Cast.alice, Cast.carol] {
            link.write(.control(ControlBody(.add(user.userID))), to: HostileLog.control)
        }
        let additions = link.logs[HostileLog.control].places
        link.requestCount += 1
        link.perform(
            link.machine.acceptInvitation(
                to: Self.privateID, requestID: RequestID(link.requestCount), now: link.now))
        link.settle()
        for index in [HostileLog.mallorysPrivate, HostileLog.carolsPrivate] {
            link.write(.version(additions[2]), to: index)
        }
        link.write(.join(answering: additions[2]), to: HostileLog.carolsPrivate)
        let users = [Cast.alice, Cast.mallory, Cast.carol].filter {
            link.machine.membership(Self.privateID)?.hasJoined($0.userID) == true
        }
        require(!link.isOver && users.count == 3, "the fuzzer itself is wrong: all three have joined \(users.count)")
        return link
    }()

    /// The other end is a device of Alice's, which somebody has stolen.
    static let stolen: HostileLink = {
        var link = HostileLink(peer: Cast.stolen)
        link.meet()
        link.seal(link.framed(.deviceNames([:])))
        link.seal(link.framed(.heads(HeadsFrame(conversationID: nil, heads: [], isComplete: true))))
        let body = EntryBody(
            timestamp: HybridTimestamp(milliseconds: Cast.now.wallClock), expiry: .max,
            content: .text("to myself", headers: [:]))
        link.write(body.content, to: HostileLog.alices)
        require(
            !link.isOver && link.logs[HostileLog.alices].head.sequence == 1, "the fuzzer itself is wrong: it is linked")
        return link
    }()

    /// Mallory has given back two of the entries that Alice's node forgot when its database was replaced by an older
    /// copy. The message that stood in their places is written anew.
    static let older: HostileLink = {
        var link = new
        var log = HostileLog(description: certainly(link.ownLog), key: Cast.alice.signingKey)
        var bodies: [EntryContent] = []
        for time in UInt64(1)...2 {
            let content = EntryContent.body(
                EntryBody(
                    timestamp: HybridTimestamp(milliseconds: Cast.now.wallClock + Int64(time)), expiry: .max,
                    content: .text("forgotten \(time)", headers: [:])
                ).encoded())
            let head = log.head
            log.append(
                content,
                head: LogHead(
                    sequence: time, chain: head.chain.appending(content.hash),
                    timestamp: HybridTimestamp(milliseconds: Cast.now.wallClock + Int64(time))))
            bodies.append(content)
        }
        link.logs[HostileLog.alices] = log
        link.seal(link.framed(.heads(link.heads([BranchHead(log: log.description, place: log.head.place)], true))))
        link.settle()
        let checkpoint = Checkpoint.sign(
            logID: log.description.logID, sequence: 2, chain: log.head.chain, with: Cast.alice.signingKey)
        link.seal(
            link.framed(
                .entries(
                    EntriesFrame(
                        log: log.description, firstSequence: 1,
                        previousChain: .origin(of: log.description.logID), contents: bodies, checkpoint: checkpoint))))
        link.settle()
        require(
            !link.isOver && link.disk.snapshot().logs.count == 2,
            "the fuzzer itself is wrong: Alice's log has come back, and a new epoch has begun")
        return link
    }()

    /// Whose device is at the other end.
    let peer: LocalDevice
    var machine = NodeMachine(local: Cast.alice, snapshot: Snapshot(), now: Cast.now) {
        Cast.ephemeralKeys[0]
    }
    private var transport: TransportState?
    var now = Cast.now
    private var connectionID = ConnectionID(1)
    private(set) var isOver = false
    private var isCommitting = false
    private var commit = Commit()
    private var reads: [EntriesRead] = []
    private var chainReads: [ChainsRead] = []
    private var lookups: [(lookup: KeyLookup, keys: [EntryKey])] = []
    private var probes: [ProbeID] = []
    private var fileTasks: [FileTask] = []
    var requestCount: UInt64 = 0
    private var hasVerified = false
    /// Alice's.
    private var disk = ModelStore()
    /// The log that Alice writes.
    private var ownLog: LogDescription?
    private var deliveries: [Delivery: DeliveryProgress] = [:]
    private var written: [UInt8] = []
    var logs: [HostileLog]

    private struct Delivery: Hashable {
        let logID: LogID
        let recipientID: UserID
    }

    /// The link of somebody else's device: three logs of theirs, and one that Alice's node has forgotten.
    private init() {
        peer = Cast.mallory
        logs =
            (1...3).map { HostileLog(description: Self.log(of: Cast.mallory, epoch: $0)) }
            + [
                HostileLog(description: Self.log(of: Cast.alice, epoch: 1), key: Cast.alice.signingKey),
                HostileLog(description: Self.log(of: Cast.mallory, epoch: 1, in: Self.openID)),
                HostileLog(
                    description: Self.log(of: Cast.carol, epoch: 1, in: Self.openID), key: Cast.carol.signingKey),
                HostileLog(
                    description: LogDescription(
                        conversationID: Self.privateID, deviceID: Cast.mallory.deviceID, epoch: 1, kind: .control)),
                HostileLog(description: Self.log(of: Cast.mallory, epoch: 1, in: Self.privateID)),
                HostileLog(
                    description: Self.log(of: Cast.carol, epoch: 1, in: Self.privateID), key: Cast.carol.signingKey),
            ]
    }

    /// The link of a device of Alice's own: its logs in her own conversation, in one with Mallory and in an open one, and
    /// Mallory's log in that with Alice.
    private init(peer: LocalDevice) {
        self.peer = peer
        let conversations: [ConversationID] = [
            .direct(Cast.alice.userID, Cast.alice.userID), .direct(Cast.alice.userID, Cast.mallory.userID), Self.openID,
        ]
        let own = conversations.map {
            HostileLog(description: Self.log(of: peer, epoch: 1, in: $0), key: peer.signingKey)
        }
        logs = [own[1], own[2], HostileLog(description: Self.log(of: Cast.mallory, epoch: 1)), own[0]]
    }

    private static let origin = ConversationOrigin(
        creatorID: Cast.mallory.userID, salt: [UInt8](repeating: 7, count: ConversationOrigin.saltBytes))
    static let privateID = ConversationID.private(origin)
    static let openName = "general"
    static let openID = ConversationID.open(openName, networkTag: Cast.alice.link.networkTag)

    private static func log(of device: LocalDevice, epoch: UInt64, in conversationID: ConversationID) -> LogDescription
    {
        LogDescription(conversationID: conversationID, deviceID: device.deviceID, epoch: epoch)
    }

    private static func log(of device: LocalDevice, epoch: UInt64) -> LogDescription {
        LogDescription(
            conversationID: .direct(Cast.alice.userID, Cast.mallory.userID), deviceID: device.deviceID, epoch: epoch)
    }

    /// The entries of the log that Alice writes.
    private var own: [EntryRecord] {
        ownLog.map { disk.entries(of: $0.logID, from: 1, countLimit: .max / 2, byteLimit: .max / 2) } ?? []
    }

    // MARK: - The beginning

    private mutating func meet() {
        let (accepted, actions) = machine.accepted(from: PeerAddress(host: "10.0.0.2", port: 7), now: now)
        connectionID = accepted
        perform(actions)
        var handshake = certain {
            try HandshakeState(
                pattern: .xx, role: .initiator, prologue: Cast.alice.link.prologue,
                staticKey: peer.link.agreementKey, ephemeralKey: Cast.ephemeralKeys[1])
        }
        var hello = Wire.Hello()
        hello.version = LinkConfiguration.protocolVersion
        let first = certain { try handshake.writeMessage(payload: []) }
        hear(MessageBuffer.framed(Wire.encode(hello)) + MessageBuffer.framed(first))
        _ = certain { try handshake.readMessage(Array(written.dropFirst(2))) }
        var introduction = Wire.Introduction()
        introduction.credential = peer.link.credential.wire
        introduction.clock = now.wallClock
        let last = certain { try handshake.writeMessage(payload: Wire.encode(introduction)) }
        transport = certain { try handshake.split() }
        hear(MessageBuffer.framed(last))
        settle()
    }

    /// The author of a log writes an honest entry, and it comes over the link.
    private mutating func write(_ content: EntryBody.Content, to index: Int) {
        write(encoded(content, for: index), to: index)
    }

    /// A body that fits behind the end of a log.
    func encoded(_ content: EntryBody.Content, for index: Int) -> [UInt8] {
        let timestamp = max(logs[index].head.timestamp.next, HybridTimestamp(milliseconds: Cast.now.wallClock))
        return EntryBody(timestamp: timestamp, expiry: .max, content: content).encoded()
    }

    /// The author of a log writes these bytes, and they come over the link.
    mutating func write(_ bytes: [UInt8], to index: Int) {
        let log = logs[index]
        let body = EntryContent.body(bytes)
        let sequence = log.head.sequence + 1
        var frame = EntriesFrame(
            log: log.description, firstSequence: sequence, previousChain: log.head.chain, contents: [body],
            checkpoint: Checkpoint.sign(
                logID: log.description.logID, sequence: sequence, chain: log.head.chain.appending(body.hash),
                with: log.key))
        frame.credential = carried(log)
        seal(framed(.entries(frame)))
        settle()
    }

    /// What goes with a log that the other end passes on; `nil` for one of its own, or of Alice's.
    private func carried(_ log: HostileLog) -> FrameCredential? {
        let author = [Cast.mallory, Cast.carol].first { $0.deviceID == log.description.deviceID }
        return author.flatMap { $0.deviceID == peer.deviceID ? nil : FrameCredential($0.link.credential) }
    }

    private mutating func sayHeads() { seal(framed(.heads(heads([], true)))) }

    func heads(_ heads: [BranchHead], _ isComplete: Bool) -> HeadsFrame {
        HeadsFrame(
            conversationID: .direct(Cast.alice.userID, Cast.mallory.userID), heads: heads, isComplete: isComplete)
    }

    private mutating func send(_ text: String) {
        requestCount += 1
        let request = RequestID(requestCount)
        let conversationID = ConversationID.direct(machine.userID, Cast.mallory.userID)
        perform(machine.send([MessageDraft(text)], to: conversationID, requestID: request, now: now))
    }

    private mutating func join() {
        requestCount += 1
        perform(
            machine.join(Self.openName, isAdvertised: true, requestID: RequestID(requestCount), now: now))
        settle()
    }

    private func digest(_ heads: HeadsHash) -> ConversationDigest {
        ConversationDigest(conversationID: Self.openID, heads: heads)
    }

    mutating func settle() {
        for _ in 0..<20 {
            if isCommitting { finishCommit() }
            while !reads.isEmpty { answerRead() }
            while !chainReads.isEmpty { answerChains() }
            while !lookups.isEmpty { answerLookup() }
            pass(Timing.lazyCommit)
        }
    }

    // MARK: - What happens

    mutating func step(_ input: inout FuzzInput) {
        input.known.places = logs.flatMap { $0.places.suffix(16) }
        input.known.ids =
            [Cast.alice, Cast.mallory, Cast.carol].flatMap { [$0.userID.bytes32, $0.deviceID.bytes32] }
            + [Cast.stolen.deviceID.bytes32]
        switch input.choice(22) {
        case 0: seal(input.block())
        case 1: seal(framed(input.block()))
        case 2, 3, 4, 5: seal(framed(.entries(entries(&input))))
        case 6, 7: seal(framed(.receipts(receipts(&input))))
        case 8: sayHeads(&input)
        case 16: input.flag() ? sayHeads(&input) : sayOfDevices(&input)
        case 17: want(&input)
        case 18: input.flag() ? take(&input) : seal(framed(.unplaced(description(&input))))
        case 19: answerOthers(&input)
        case 20: sayOfGroups(&input)
        case 21: input.flag() ? sayOfBodies(&input) : sayOfFiles(&input)
        case 9: sayLittle(&input)
        case 10: if isCommitting { input.choice(8) == 0 ? failCommit() : finishCommit() }
        case 11: if !reads.isEmpty { input.choice(8) == 0 ? failRead() : answerRead() }
        case 12: pass(Int64(input.byte()) * (input.flag() ? 1 : 1000))
        case 13: input.flag() ? send(input.text()) : decide(&input)
        case 14: actOnMessages(&input)
        default: if let probe = probes.popLast() { perform(machine.probed(probe, isReachable: input.flag(), now: now)) }
        }
        check()
    }

    private mutating func sayLittle(_ input: inout FuzzInput) {
        switch input.choice(6) {
        case 0: seal(framed(.ping))
        case 5:
            let conversationID =
                input.flag() ? description(&input).conversationID : ConversationID(padding(input.block()))
            seal(framed(.typing(conversationID, isTyping: input.flag())))
        case 1:
            seal(framed(.rekey))
            transport?.rekeySending()
        case 2: seal(framed(.close(CloseReason(rawValue: UInt32(input.byte())))))
        case 3: seal(framed(.dialBack(port: UInt16(input.byte()) + 1, nonce: input.word())))
        default: seal(framed(.dialBackResult(nonce: input.number(), isReachable: input.flag())))
        }
    }

    /// Frames about devices, and digests.
    private mutating func sayOfDevices(_ input: inout FuzzInput) {
        switch input.choice(5) {
        case 3: seal(framed(.contacts([credential(&input)])))
        case 0:
            var body: [UInt8] = Wire.encode(Wire.CredentialBody())
            if input.flag() { body += input.block() }
            let key = input.flag() ? Cast.identityKey : Cast.mallory.signingKey
            seal(framed(.grant(CredentialGrant(body: body, signature: key.signature(for: body)))))
        case 1:
            let revoked = input.flag() ? Cast.mallory.deviceID : Cast.alice.deviceID
            let key = input.flag() ? Cast.identityKey : peer.signingKey
            seal(framed(.revocations([Revocation.sign(revoked, with: key)])))
        case 2:
            guard let name = DeviceName(input.text(), givenAt: Int64(input.byte())) else { return }
            seal(framed(.deviceNames([Cast.alice.deviceID: name])))
        default:
            let digest = ConversationDigest(
                conversationID: description(&input).conversationID, heads: HeadsHash(padding(input.block())),
                uniqueName: input.flag() ? "general" : "", peerID: input.flag() ? Cast.alice.userID : nil)
            seal(framed(.digests([digest])))
        }
    }

    private mutating func sayOfGroups(_ input: inout FuzzInput) {
        guard input.flag() else {
            var digest = digest(HeadsHash(padding(input.block())))
            if input.flag() { digest.uniqueName = input.text() }
            return seal(framed(.digests([digest])))
        }
        let log = logs[input.choice(logs.count)]
        let missing = input.flag() ? SequenceSet(1...1) : SequenceSet()
        let receipt = Receipt.sign(
            logID: input.flag() ? log.description.logID : description(&input).logID,
            sequence: input.number(near: log.head.sequence) & .max >> 1 | 1, chain: log.head.chain, readSequence: 0,
            missing: missing, deviceID: Cast.carol.deviceID, with: Cast.carol.signingKey)
        seal(framed(.carried([receipt], input.flag() ? [FrameCredential(Cast.carol.link.credential)] : [])))
    }

    private mutating func sayOfBodies(_ input: inout FuzzInput) {
        let log = description(&input)
        let first = place(in: log, &input)
        guard input.flag() else {
            return seal(
                framed(
                    .wantedBodies(
                        WantedBodiesFrame(
                            log: log, first: first, last: first.sequence &+ input.word() % 300,
                            withWithheld: input.word() % 2 == 0))
                ))
        }
        let contents = (0..<input.choice(4)).map { _ in
            input.flag() ? EntryContent.body(entryBody(&input)) : .withheld(EntryHash(padding(input.block())))
        }
        seal(framed(.bodies(BodiesFrame(logID: log.logID, first: first, contents: contents, marks: [:]))))
    }

    private static let files = (1...2).map { FileID(padding([UInt8($0)])) }

    /// Alice fetches files, or is asked for some, and her disk answers in its own time.
    private mutating func sayOfFiles(_ input: inout FuzzInput) {
        let fileID = Self.files[input.choice(2)]
        let conversationID = [ConversationID.direct(Cast.alice.userID, Cast.mallory.userID), Self.openID][
            input.choice(2)]
        let shape = FileShape(byteCount: input.word() % (1 << 26))
        let (first, count) = (Int(input.word() % 512), Int(input.byte() % 20))
        switch input.choice(8) {
        case 0:
            guard let shape else { return }
            perform(machine.fetchFile(fileID, shape: shape, in: conversationID, now: now))
        case 1:
            guard let shape else { return }
            let parts: WantedFile.Parts =
                [.lists, .hashes(ofLists: first..<first + count), .chunks(first..<first + count)][input.choice(3)]
            seal(
                framed(
                    .wantedFile(
                        WantedFile(fileID: fileID, shape: shape, conversationID: conversationID, parts: parts))))
        case 2:
            let list = input.flag() ? first % 4 : nil
            seal(framed(.fileHashes(FileHashes(fileID: fileID, list: list, hashes: input.block()))))
        case 3: seal(framed(.fileChunk(FileChunk(fileID: fileID, index: first, content: input.block()))))
        case 4:
            let state: FileNews.State = [.held, .absent, .unwanted][input.choice(3)]
            seal(framed(.fileNews(FileNews(fileID: fileID, conversationID: conversationID, state: state))))
        case 5: perform(machine.stopFile(fileID, now: now))
        default: if !fileTasks.isEmpty { answer(fileTasks.removeFirst(), &input) }
        }
    }

    private mutating func answer(_ task: FileTask, _ input: inout FuzzInput) {
        switch task {
        case .open(let fileID, let shape):
            let chunks =
                shape.chunkCount > 1 && input.flag() ? SequenceSet(0...UInt64(shape.chunkCount - 2)) : SequenceSet()
            let lists = input.flag() ? Set(0..<shape.listCount) : []
            perform(
                machine.fileOpened(
                    fileID, FileInventory(hasLists: !lists.isEmpty, lists: lists, chunks: chunks), now: now))
        case .write(let fileID, let part, _, let link, _):
            let result: FileWriteResult = [.kept, .kept, .wrong, .failed][input.choice(4)]
            perform(machine.fileWritten(part, of: fileID, from: link, result, now: now))
        case .read(let read): perform(machine.fileRead(read, input.flag() ? input.block() : nil, now: now))
        case .finish(let fileID):
            let audience = FileAudience(given: [Self.openID], named: [Self.openID])
            perform(machine.fileFinished(fileID, heldFor: audience, now: now))
        case .notifyWritten(let link): perform(machine.written(link, now: now))
        }
    }

    private mutating func answerOthers(_ input: inout FuzzInput) {
        if !chainReads.isEmpty {
            input.choice(8) == 0 ? failChains() : answerChains()
        } else if !lookups.isEmpty {
            input.choice(8) == 0 ? failLookup() : answerLookup()
        }
    }

    // MARK: - What Mallory says of logs

    /// A log that is Mallory's or Alice's, or that nobody has.
    private func description(_ input: inout FuzzInput) -> LogDescription {
        switch input.choice(4) {
        case 0: ownLog ?? logs[0].description
        case 1:
            LogDescription(
                conversationID: ConversationID(padding(input.block())), deviceID: Cast.alice.deviceID,
                epoch: input.word())
        default: logs[input.choice(logs.count)].description
        }
    }

    /// A place that the log has, or any.
    private func place(in log: LogDescription, _ input: inout FuzzInput) -> Place {
        let entries = disk.entries(of: log.logID, from: 1, countLimit: .max / 2, byteLimit: .max / 2)
        switch input.choice(4) {
        case 0: return Place(sequence: input.number(near: 1) & .max >> 1, chain: ChainHash(padding(input.block())))
        case 1: return LogHead.origin(of: log.logID).place
        default:
            guard !entries.isEmpty else { return logs[HostileLog.alices].head.place }
            return entries[input.choice(entries.count)].head.place
        }
    }

    private mutating func sayHeads(_ input: inout FuzzInput) {
        var said: [BranchHead] = []
        for _ in 0..<input.choice(4) {
            let log = description(&input)
            let place = place(in: log, &input)
            guard place.sequence > 0, !said.contains(where: { $0.place.chain == place.chain }) else { continue }
            said.append(BranchHead(log: log, place: place))
        }
        seal(framed(.heads(heads(said, input.flag()))))
    }

    private mutating func want(_ input: inout FuzzInput) {
        let log = description(&input)
        let known = (0..<input.choice(4)).map { _ in place(in: log, &input) }
        seal(framed(.wanted(WantedFrame(log: log, end: place(in: log, &input), known: known))))
    }

    private mutating func take(_ input: inout FuzzInput) {
        let log = description(&input)
        seal(framed(.taken(log.logID, through: place(in: log, &input))))
    }

    private func entries(_ input: inout FuzzInput) -> EntriesFrame {
        let log = logs[input.choice(logs.count)]
        guard input.choice(8) == 0 else {
            var frame = log.run(&input)
            if let credential = carried(log) {
                frame.credential = credential
                // A carrier strips bodies.
                if input.flag() { frame = frame.stripped }
            }
            return frame
        }
        let device = input.flag() ? peer.deviceID : Cast.alice.deviceID
        let other = LogDescription(conversationID: ConversationID(padding(input.block())), deviceID: device, epoch: 1)
        return log.run(&input, description: input.flag() ? ownLog : other)
    }

    private func receipts(_ input: inout FuzzInput) -> [Receipt] {
        let own = own
        return (0..<input.choice(4)).map { _ in
            let sequence = input.flag() ? UInt64(input.choice(own.count + 1)) : input.number(near: UInt64(own.count))
            let place = Int(clamping: sequence) - 1
            let real = own.indices.contains(place) ? own[place].chain : ChainHash(Bytes32())
            let known = ownLog?.logID ?? LogID(Bytes32())
            return Receipt.sign(
                logID: input.choice(8) == 0 ? logs[0].description.logID : known, sequence: sequence,
                chain: input.choice(4) == 0 ? ChainHash(padding(input.block())) : real,
                readSequence: input.flag() ? 0 : input.number(near: sequence),
                handledSequence: input.flag() ? 0 : input.number(near: sequence), deviceID: peer.deviceID,
                with: input.choice(8) == 0 ? Cast.identityKey : peer.signingKey)
        }
    }

    private mutating func decide(_ input: inout FuzzInput) {
        requestCount += 1
        let decision = TrustDecision.allCases[input.choice(TrustDecision.allCases.count)]
        hasVerified = hasVerified || decision == .verify
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

    func framed(_ frame: Frame) -> [UInt8] { framed(frame.encoded()) }

    private func framed(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        FrameBuffer.write(bytes, to: &output)
        return output
    }

    mutating func seal(_ plaintext: [UInt8]) {
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

    mutating func perform(_ actions: [NodeAction]) {
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
            case .findKeys(let lookup, let keys): lookups.append((lookup, keys))
            case .probe(let probe, _): probes.append(probe)
            case .file(let task): fileTasks.append(task)
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
        do { try disk.commit(commit) } catch { fatalError("broken promise: a commit is written: \(error)") }
        for log in commit.logs
        where log.description.deviceID == Cast.alice.deviceID && !log.isLimbo && log.conversation.kind == .direct {
            ownLog = log.description
        }
        for log in commit.logs { checkChain(of: log) }
        // What gives way to entries that come back was never delivered.
        for tail in commit.unsentTails {
            let offered = deliveries.filter { $0.key.logID == tail.logID }.map(\.value.offered).max() ?? 0
            require(offered <= tail.after, "nobody has it")
        }
        for run in commit.entries { noteStored(run) }
        for run in commit.bodies { checkBodies(run) }
        for delivery in commit.deliveries { store(delivery) }
        perform(machine.committed(now: now))
    }

    /// A log has no hole, and each of its entries follows the one before.
    private func checkChain(of log: LogRecord) {
        let entries = disk.entries(of: log.logID, from: 1, countLimit: .max / 2, byteLimit: .max / 2)
        require(entries.map(\.sequence) == Array(0..<log.head.sequence).map { $0 + 1 }, "a log never has a hole")
        var chain = ChainHash.origin(of: log.description.logID)
        for entry in entries {
            chain = chain.appending(entry.content.hash)
            require(entry.chain == chain, "each entry of a branch follows the one before")
        }
        require(chain == log.head.chain, "a log ends with its last entry")
    }

    /// What comes later is what the hash says.
    private func checkBodies(_ run: LogEntries) {
        let entries = disk.entries(of: run.logID, from: 1, countLimit: .max / 2, byteLimit: .max / 2)
        for entry in run.entries {
            let before = entries.first { $0.sequence + 1 == entry.sequence }?.chain ?? .origin(of: run.logID)
            require(before.appending(entry.content.hash) == entry.chain, "a body fits its place")
        }
    }

    private mutating func noteStored(_ run: LogEntries) {
        guard let index = logs.firstIndex(where: { $0.description.logID == run.logID }) else { return }
        for entry in run.entries { logs[index].stored(entry) }
    }

    private mutating func store(_ delivery: DeliveryRecord) {
        let key = Delivery(logID: delivery.logID, recipientID: delivery.recipientID)
        let (new, old) = (delivery.progress, deliveries[key] ?? DeliveryProgress())
        require(new.delivered >= old.delivered && new.read >= old.read, "what is delivered stays so")
        require(new.read <= new.delivered, "what is read is delivered")
        require(
            new.handled >= old.handled && new.handled <= new.delivered, "what is handled is delivered, and stays so")
        require(
            new.missing.subtracting(old.missing).ranges.allSatisfy { $0.lowerBound > old.delivered },
            "what is delivered stays so, body by body")
        require(new.sent >= new.delivered && new.offered >= new.sent, "what is delivered was sent")
        let head = disk.snapshot().logs.first { $0.logID == delivery.logID }?.head.sequence ?? 0
        require(new.delivered <= head, "what is delivered exists")
        deliveries[key] = new
    }

    private mutating func failCommit() {
        isCommitting = false
        perform(machine.commitFailed("no space", now: now))
    }

    private mutating func answerRead() {
        let read = reads.removeFirst()
        let entries = disk.entries(
            of: read.logID, from: read.from, countLimit: read.countLimit, byteLimit: read.byteLimit)
        perform(machine.entriesRead(read, entries: entries, now: now))
    }

    private mutating func failRead() { perform(machine.readFailed(reads.removeFirst(), "no disk", now: now)) }

    private mutating func answerChains() {
        let read = chainReads.removeFirst()
        var chains: [LogID: [UInt64: ChainHash]] = [:]
        for logID in read.logIDs { chains[logID] = disk.chains(of: logID, at: read.sequences) }
        perform(machine.chainsRead(read, chains: chains, now: now))
    }

    private mutating func failChains() {
        perform(machine.chainsReadFailed(chainReads.removeFirst(), "no disk", now: now))
    }

    private mutating func answerLookup() {
        let (lookup, keys) = lookups.removeFirst()
        perform(machine.keysFound(lookup, disk.entries(with: keys), now: now))
    }

    private mutating func failLookup() {
        perform(machine.findKeysFailed(lookups.removeFirst().lookup, "no disk", now: now))
    }

    func check() {
        _ = machine.undelivered
        let trust = machine.user(Cast.mallory.userID)?.trust
        require(hasVerified || trust != .verified, "only Alice and her identity's key verify somebody")
        require(reads.count <= 16, "a peer makes this node read a few things at a time")
        require(chainReads.count <= Limits.peerRequests, "what a peer makes this node compare is bounded")
        let load = machine.load
        require(load.deviceBytes <= Limits.windowBytes + Limits.frameBytes, "what waits of a device is bounded")
        require(load.windowBytes >= 0, "a window is not less than empty")
        require(load.windowBytes <= 2 * Limits.windowBytes, "a window is bounded")
        require(machine.replication.changes.count < 8, "what waits for the disk is bounded")
    }
}

/// What is there by construction of the fuzzer.
private func certainly<T>(_ value: T?) -> T {
    guard let value else { fatalError("the fuzzer itself is wrong: a value is missing") }
    return value
}

extension HostileLog {
    /// Which of the logs is Alice's.
    fileprivate static let alices = 3
    /// Mallory's and Carol's in the open conversation.
    fileprivate static let open = 4
    fileprivate static let carols = 5
    /// Mallory's control log of the private conversation, and Mallory's and Carol's messages there.
    fileprivate static let control = 6
    fileprivate static let mallorysPrivate = 7
    fileprivate static let carolsPrivate = 8

    /// The reader has it on the disk.
    mutating func stored(_ entry: EntryRecord) {
        guard entry.sequence == head.sequence + 1 else { return }
        let head = LogHead(sequence: entry.sequence, chain: entry.chain, timestamp: entry.timestamp)
        append(entry.content, head: head)
    }
}

extension EntriesFrame {
    /// The same entries without bodies.
    fileprivate var stripped: EntriesFrame {
        var frame = EntriesFrame(
            log: log, firstSequence: firstSequence, previousChain: previousChain,
            contents: contents.map { .withheld($0.hash) }, checkpoint: checkpoint, marks: marks)
        frame.credential = credential
        return frame
    }
}
