import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

/// What a peer may send whom the handshake has proved to be who they are.
@Suite("A node with a hostile peer")
struct HostilePeerTests {
    /// Alice's node has written two messages, which Bob has not acknowledged; Bob's frames are made by hand.
    private var pair: MachinePair
    /// Bob's end of a link that was made anew, over which he has not said yet what he holds.
    private var peer: HandDrivenPeer?

    init() {
        pair = .linked()
        pair.send("one", request: 1)
        pair.commitAlice()
        pair.send("two", request: 2)
        pair.commitAlice()
        pair.alice.output = []
    }

    private var log: LogDescription {
        pair.alice.log(to: pair.bob.local.userID).description
    }

    private mutating func relink() throws { peer = try HandDrivenPeer(pair.bob.local, to: &pair.alice, now: pair.now) }

    private mutating func say(_ frames: Frame...) {
        guard peer == nil else {
            peer?.say(frames, to: &pair.alice, now: pair.now)
            return
        }
        for frame in frames { pair.bob.machine.send(frame, on: pair.bob.connectionID) }
        let output = pair.bob.machine.peers.flush(pair.bob.connectionID, now: pair.now)
        for bytes in output.written {
            pair.alice.perform(pair.alice.machine.received(bytes, on: pair.alice.connectionID, now: pair.now))
        }
    }

    private func receipt(_ sequence: UInt64, read: UInt64 = 0, chain: ChainHash? = nil, log other: LogID? = nil)
        -> Receipt
    {
        Receipt.sign(
            logID: other ?? log.logID, sequence: sequence,
            chain: chain ?? pair.alice.log(to: pair.bob.local.userID).head.chain,
            readSequence: read, deviceID: pair.bob.local.deviceID, with: pair.bob.local.signingKey)
    }

    /// What is delivered of Alice's log, on her disk or about to be.
    private var delivered: UInt64 {
        let key = DeliveryKey(logID: log.logID, recipientID: pair.bob.local.userID)
        return pair.alice.machine.replication.deliveries.target(key)?.delivered ?? 0
    }

    @Test("ends the link with a receipt that the peer has not signed, whether it is news or not")
    mutating func forgedReceipts() {
        let other = LogDescription(conversationID: log.conversationID, deviceID: log.deviceID, epoch: 9).logID
        for logID in [log.logID, other] {
            var copy = self
            let genuine = copy.receipt(2, log: logID)
            let forged = Receipt.sign(
                logID: logID, sequence: 2, chain: genuine.chain, readSequence: 0,
                deviceID: copy.pair.bob.local.deviceID, with: copy.pair.alice.local.signingKey)
            copy.say(.receipts([genuine]))
            #expect(!copy.pair.alice.isDisconnected)
            copy.say(.receipts([forged]))
            #expect(copy.pair.alice.isDisconnected)
        }
    }

    @Test("says why it closes a link on which the peer names an end twice, or wants what is not its to have")
    mutating func violationsAreNamed() {
        let end = BranchHead(log: log, place: pair.alice.log(to: pair.bob.local.userID).head.place)
        let wrong: [Frame] = [
            .heads(HeadsFrame(conversationID: log.conversationID, heads: [end, end], isComplete: true)),
            .wanted(WantedFrame(log: log, end: end.place, known: [])),
        ]
        for frame in wrong {
            pair = .linked()
            say(frame)
            #expect(pair.alice.isDisconnected)
            pair.exchange()
            let reasons = pair.bob.events.compactMap {
                if case .linkFailed(let failure) = $0 { failure.closeReason } else { nil }
            }
            #expect(reasons == [CloseReason.violation.name])
        }
    }

    @Test(
        "takes nothing for delivered by a receipt beyond what it has written",
        arguments: [3, 1000, UInt64(Int64.max), UInt64(Int64.max) + 1, UInt64.max])
    mutating func receiptBeyond(sequence: UInt64) {
        say(.receipts([receipt(sequence)]))
        #expect(delivered == 0 && pair.alice.chainReads.isEmpty)
        #expect(pair.alice.machine.undeliveredCount == 2)
    }

    @Test("takes nothing for delivered by a receipt for a chain that is not its own, on the disk or in memory")
    mutating func receiptOfAFork() {
        say(.receipts([receipt(2, chain: ChainHash(Bytes32()))]))
        #expect(delivered == 0)
        say(.receipts([receipt(1, chain: ChainHash(Bytes32()))]))
        for read in pair.alice.chainReads {
            pair.alice.perform(
                pair.alice.machine.chainsRead(read, chains: [log.logID: [1: .origin(of: log.logID)]], now: pair.now))
        }
        #expect(delivered == 0 && pair.alice.machine.undeliveredCount == 2)
    }

    @Test("ends the link when the peer does not give what it says that it holds of its log", arguments: [3, 1000])
    mutating func headBeyond(sequence: UInt64) {
        say(.heads(heads([BranchHead(log: log, place: Place(sequence: sequence, chain: ChainHash(Bytes32())))])))
        pass(Timing.recovery - 1)
        #expect(!pair.alice.isDisconnected)
        pass(1)
        #expect(pair.alice.isDisconnected)
        #expect(delivered == 0 && pair.alice.machine.undeliveredCount == 2)
    }

    private func heads(_ heads: [BranchHead], isComplete: Bool = true) -> HeadsFrame {
        HeadsFrame(conversationID: log.conversationID, heads: heads, isComplete: isComplete)
    }

    @Test("ends the link with a run of entries that has no place in a log", arguments: [0, UInt64(Int64.max), .max])
    mutating func edges(_ sequence: UInt64) throws {
        try relink()
        say(.nothingHeld)
        var theirs = HandWrittenLog(by: pair.bob.local, to: pair.alice.local.userID)
        let good = theirs.append(["one", "two"])
        say(
            .entries(
                EntriesFrame(
                    log: good.log, firstSequence: sequence, previousChain: good.previousChain, contents: good.contents,
                    checkpoint: good.checkpoint)))
        #expect(pair.alice.isDisconnected)
        #expect(pair.alice.machine.replication.logs.incoming(good.log.logID) == nil)
    }

    @Test("ends the link with a run without entries, or one that leaves a hole before it", arguments: [true, false])
    mutating func holes(isEmpty: Bool) throws {
        try relink()
        say(.nothingHeld)
        var theirs = HandWrittenLog(by: pair.bob.local, to: pair.alice.local.userID)
        let (first, second) = (theirs.append("one"), theirs.append("two"))
        let nothing = EntriesFrame(
            log: first.log, firstSequence: 1, previousChain: first.previousChain, contents: [],
            checkpoint: first.checkpoint)
        say(.entries(isEmpty ? nothing : second))
        #expect(pair.alice.isDisconnected)
        #expect(pair.alice.machine.replication.logs.incoming(first.log.logID) == nil)
    }

    @Test("ends the link with a receipt that acknowledges more as read than as received")
    mutating func readBeyond() {
        say(.receipts([receipt(2, read: 3)]))
        #expect(delivered == 0)
        #expect(pair.alice.isDisconnected)
    }

    @Test("ends the link with a checkpoint for a log that is not the peer's")
    mutating func othersLog() {
        let body = EntryBody(
            timestamp: HybridTimestamp(rawValue: 1 << 16), expiry: .max, content: .text("forged", headers: [:])
        ).encoded()
        let logs = [
            LogDescription(conversationID: log.conversationID, deviceID: pair.alice.local.deviceID, epoch: 1),
            LogDescription(
                conversationID: .direct(pair.bob.local.userID, pair.bob.local.userID),
                deviceID: pair.bob.local.deviceID, epoch: 1),
        ]
        for log in logs {
            var copy = self
            let chain = ChainHash.origin(of: log.logID).appending(.of(body: body))
            let checkpoint = Checkpoint.sign(
                logID: log.logID, sequence: 1, chain: chain, with: pair.bob.local.signingKey)
            copy.say(
                .entries(
                    EntriesFrame(
                        log: log, firstSequence: 1, previousChain: .origin(of: log.logID), contents: [.body(body)],
                        checkpoint: checkpoint)))
            #expect(copy.pair.alice.isDisconnected)
            #expect(copy.pair.alice.machine.replication.logs.incoming(log.logID) == nil)
        }
    }

    @Test("takes nobody's word, in the conversation of two, about a third user, and notes none")
    mutating func thirdUsers() {
        let mallory = device("mallory")
        let credential = mallory.link.credential
        let head = pair.alice.log(to: pair.bob.local.userID).head
        let forged = Receipt.sign(
            logID: log.logID, sequence: head.sequence, chain: head.chain, readSequence: 0, deviceID: mallory.deviceID,
            with: mallory.signingKey)
        say(.carried([forged], [FrameCredential(credential)]))
        var written = HandWrittenLog(by: pair.bob.local, to: pair.alice.local.userID)
        var frame = written.append("with somebody else's credential")
        frame.credential = FrameCredential(credential)
        say(.entries(frame))
        pair.commitAlice()
        let key = DeliveryKey(logID: log.logID, recipientID: mallory.userID)
        #expect(pair.alice.machine.replication.deliveries.target(key) == nil && delivered == 0)
        #expect(pair.alice.machine.users.map(\.userID) == [pair.bob.local.userID])
        #expect(!pair.alice.isDisconnected)
    }

    @Test("ends the link with more credentials than receipts")
    mutating func credentialsAlone() {
        say(.carried([], [FrameCredential(device("mallory").link.credential)]))
        #expect(pair.alice.isDisconnected)
    }

    // MARK: - Claims of logs that were never written

    private let neverWritten = LogDescription(
        conversationID: .direct(device("alice").userID, device("bob").userID), deviceID: device("alice").deviceID,
        epoch: 7)

    private func end(of log: LogDescription) -> BranchHead {
        BranchHead(log: log, place: Place(sequence: 1, chain: ChainHash(log.logID.bytes32)))
    }

    private mutating func claim() throws {
        try relink()
        say(.heads(heads([end(of: neverWritten)], isComplete: false)))
    }

    private mutating func pass(_ milliseconds: Int64) {
        pair.now.uptime += milliseconds
        pair.now.wallClock += milliseconds
        pair.alice.perform(pair.alice.machine.tick(now: pair.now))
        while !pair.alice.commits.isEmpty { pair.commitAlice() }
    }

    @Test("keeps messages back no longer than the first claim may take, though others follow and the heads never end")
    mutating func endlessHeads() throws {
        try claim()
        pair.send("three", request: 3)
        pass(Timing.recovery - 1)
        let other = LogDescription(
            conversationID: neverWritten.conversationID, deviceID: neverWritten.deviceID, epoch: 8)
        say(.heads(heads([end(of: other)], isComplete: false)))
        #expect(pair.alice.completions[RequestID(3)] == nil)
        #expect(pair.alice.machine.deadline(now: pair.now) == pair.now.uptime + 1)
        pass(1)
        #expect(try pair.alice.completions[RequestID(3)]?.get().messages.count == 1)
        #expect(pair.alice.isDisconnected)
    }

    @Test("does not count messages that a claim keeps back as waiting for the disk, and has a limit for them")
    mutating func heldSends() throws {
        try claim()
        let (bob, drafts) = (pair.bob.local.userID, Array(repeating: MessageDraft("held"), count: Limits.heldSends))
        for request in [UInt64(3), 4] {
            pair.alice.perform(
                pair.alice.machine.send(drafts, to: bob, requestID: RequestID(request), now: pair.now))
        }
        #expect(pair.alice.machine.load.sends == 0 && pair.alice.machine.load.held == Limits.heldSends)
        let error = #expect(throws: ProtocolError.self) { try pair.alice.completions[RequestID(4)]?.get() }
        #expect(error?.code == .overloaded && error?.message.contains("given back") == true)
        pass(Timing.recovery)
        #expect(try pair.alice.completions[RequestID(3)]?.get().messages.count == Limits.heldSends)
        #expect(pair.alice.machine.load.held == 0)
    }

    @Test("gives who gives back entries slowly no more time for it than they take at the rate that is wanted")
    func slowHold() {
        var hold = SendHold(now: 0)
        for sequence in 1...UInt64(1_000) { hold.prolong(by: [entry(sequence, bytes: 100)], of: neverWritten.logID) }
        #expect(hold.deadline < Timing.recovery + 1_000)
        hold.prolong(by: [entry(1_001, bytes: 60 * Limits.recoveryBytesPerSecond)], of: neverWritten.logID)
        #expect(hold.deadline >= Timing.recovery + 60_000)
    }

    private func entry(_ sequence: UInt64, bytes: Int) -> EntryRecord {
        EntryRecord(
            sequence: sequence, timestamp: HybridTimestamp(rawValue: sequence), expiry: .max,
            kind: .unknown, content: .body(Array(repeating: 0, count: bytes)), chain: ChainHash(Bytes32()))
    }

    @Test("gives who gives back the same entries again, or only some of them, no more time for it")
    func repeatedHold() {
        var hold = SendHold(now: 0)
        let entries = (1...UInt64(4)).map { entry($0, bytes: Limits.recoveryBytesPerSecond) }
        hold.prolong(by: Array(entries[..<3]), of: neverWritten.logID)
        let earned = hold.deadline
        #expect(earned >= Timing.recovery + 3_000)
        hold.prolong(by: Array(entries[..<3]), of: neverWritten.logID)
        hold.prolong(by: [entries[1]], of: neverWritten.logID)
        #expect(hold.deadline == earned)
        // What is new in the run counts, and what another log says in the same places.
        hold.prolong(by: entries, of: neverWritten.logID)
        #expect(hold.deadline >= earned + 1_000 && hold.deadline < earned + 2_000)
        hold.prolong(by: entries, of: log.logID)
        #expect(hold.deadline >= earned + 5_000)
    }

    @Test("is made to look at the disk once for each end and each receipt, however often they are named")
    mutating func manyHeads() throws {
        try relink()
        let first = receipt(1, chain: ChainHash(Bytes32()))
        let end = BranchHead(log: log, place: first.place)
        say(.heads(heads([end])), .receipts(Array(repeating: first, count: 1000)))
        #expect(pair.alice.chainReads.map(\.purpose) == [.comparing(end)])
        pair.alice.perform(
            pair.alice.machine.chainsRead(
                pair.alice.chainReads[0], chains: [log.logID: [1: first.chain]], now: pair.now))
        say(.receipts(Array(repeating: first, count: 100)))
        #expect(pair.alice.chainReads.count <= 2)
    }
}
