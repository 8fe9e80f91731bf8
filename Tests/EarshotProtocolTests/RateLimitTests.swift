import EarshotCrypto
import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

/// What one peer, or many strangers, can make a node do.
@Suite("A node of which too much is asked")
struct RateLimitTests {
    private var pair = MachinePair.linked()

    /// Bob says something, by hand.
    private mutating func say(_ frames: [Frame]) {
        for frame in frames { pair.bob.machine.send(frame, on: pair.bob.connectionID) }
        let output = pair.bob.machine.peers.flush(pair.bob.connectionID, now: pair.now)
        for bytes in output.written {
            pair.alice.perform(pair.alice.machine.received(bytes, on: pair.alice.connectionID, now: pair.now))
        }
    }

    private var failure: LinkFailure? {
        pair.alice.events.compactMap { if case .linkFailed(let failure) = $0 { failure } else { nil } }.last
    }

    @Test("takes so many pings at once, and ends the link with a reason when there are more")
    mutating func pings() {
        say(Array(repeating: .ping, count: Limits.peerRequests / 2))
        #expect(!pair.alice.isDisconnected)
        say(Array(repeating: .ping, count: Limits.peerRequests))
        #expect(pair.alice.isDisconnected)
        #expect(failure?.code == "tooManyRequests")
        #expect(failure?.closeReason == "tooManyRequests")
        #expect(failure?.userID == pair.bob.local.userID)
        let output = pair.alice.output
        pair.alice.output = []
        pair.bob.perform(pair.bob.machine.received(output, on: pair.bob.connectionID, now: pair.now))
        #expect(pair.bob.events.contains { $0.closeReason == "tooManyRequests" })
    }

    @Test("takes for ever what a peer asks within the rate")
    mutating func withinTheRate() {
        for _ in 0..<100 {
            say(Array(repeating: .ping, count: Limits.peerRequestsPerSecond - 10))
            pair.now.uptime += 1_000
        }
        #expect(!pair.alice.isDisconnected)
    }

    @Test("counts a frame by its size, so that a few large ones are as many requests as many small ones")
    mutating func largeFrames() throws {
        let conversationID = ConversationID.direct(pair.alice.local.userID, pair.bob.local.userID)
        let heads = (0..<UInt64(Limits.logsPerHeads)).map { epoch in
            let log = LogDescription(
                conversationID: conversationID, deviceID: pair.alice.local.deviceID, epoch: epoch)
            return BranchHead(log: log, place: Place(sequence: 1, chain: ChainHash(log.logID.bytes32)))
        }
        let frame = HeadsFrame(conversationID: conversationID, heads: heads, isComplete: false)
        var peer = try HandDrivenPeer(pair.bob.local, to: &pair.alice, now: pair.now)
        var count = 0
        while !pair.alice.isDisconnected, count < Limits.peerRequests {
            peer.say([.heads(frame)], to: &pair.alice, now: pair.now)
            count += 1
        }
        #expect(failure?.code == "tooManyRequests")
        #expect(count < Limits.peerRequests / 30)
    }

    @Test("refuses a peer that asked for too much, whatever device it has, until it has waited")
    mutating func lockedOut() {
        say(Array(repeating: .ping, count: 3 * Limits.peerRequests))
        let peer = LinkPeer(credential: pair.bob.local.link.credential, run: 9)
        let elsewhere = PeerAddress(host: "10.0.0.3", port: 7)
        #expect(pair.alice.machine.excess(of: peer, at: elsewhere, now: pair.now)?.0 == .tooManyRequests)
        let other = LinkPeer(credential: device("carol").link.credential, run: 9)
        #expect(pair.alice.machine.excess(of: other, at: elsewhere, now: pair.now) == nil)
        pair.now.uptime += Int64(Limits.peerRequests / Limits.peerRequestsPerSecond) * 1000
        #expect(pair.alice.machine.excess(of: peer, at: elsewhere, now: pair.now) == nil)
    }

    @Test("holds what strangers did against all strangers of their address, whatever identities they have")
    mutating func identities() {
        say(Array(repeating: .ping, count: 3 * Limits.peerRequests))
        let address = PeerAddress(host: "10.0.0.2", port: 9)
        let other = LinkPeer(credential: device("carol").link.credential, run: 9)
        #expect(pair.alice.machine.excess(of: other, at: address, now: pair.now)?.0 == .tooManyRequests)
        pair.now.uptime += Int64(Limits.strangerRequests / Limits.strangerRequestsPerSecond) * 1000
        #expect(pair.alice.machine.excess(of: other, at: address, now: pair.now) == nil)
    }

    @Test("takes nobody for a stranger to whom it has written, wherever they are")
    mutating func known() {
        let carol = device("carol")
        pair = .linked(alice: .met(carol, by: device("alice"), hasWritten: true))
        say(Array(repeating: .ping, count: 3 * Limits.peerRequests))
        let address = PeerAddress(host: "10.0.0.2", port: 9)
        let other = LinkPeer(credential: carol.link.credential, run: 9)
        #expect(pair.alice.machine.excess(of: other, at: address, now: pair.now) == nil)
        let stranger = LinkPeer(credential: device("dora").link.credential, run: 9)
        #expect(pair.alice.machine.excess(of: stranger, at: address, now: pair.now)?.0 == .tooManyRequests)
    }

    @Test("looks at no receipt more once there were too many, and holds them against the peer")
    mutating func inTheMiddle() {
        pair.send("hello", request: 1)
        pair.settle()
        guard let receipt = pair.bob.receipts.first
        else { return }
        let before = pair.alice.machine.notes.receiptsReceived
        say(Array(repeating: .receipts(Array(repeating: receipt, count: Limits.receiptsPerFrame)), count: 8))
        #expect(failure?.code == "tooManyRequests")
        #expect(pair.alice.machine.notes.receiptsReceived - before <= Limits.peerRequests)
        let peer = LinkPeer(credential: pair.bob.local.link.credential, run: 9)
        #expect(pair.alice.machine.excess(of: peer, at: nil, now: pair.now)?.0 == .tooManyRequests)
    }

    @Test("never limits messages and the receipts for them, however many there are")
    mutating func messages() {
        for number in 0..<UInt64(Limits.peerRequests / 4) {
            pair.send("message \(number)", request: number + 1)
            while !pair.alice.commits.isEmpty { pair.commitAlice() }
            pair.exchange()
            while !pair.bob.commits.isEmpty { pair.commitBob() }
            pair.exchange()
            while !pair.alice.commits.isEmpty { pair.commitAlice() }
        }
        #expect(!pair.alice.isDisconnected && !pair.bob.isDisconnected)
        for (side, other) in [(pair.alice, pair.bob), (pair.bob, pair.alice)] {
            var budgets = side.machine.peers.limits.budgets
            // Next to nothing was taken: the link itself, and what settled it.
            let first = budgets.charge(Limits.peerRequests - 200, to: [.user(other.local.userID)], now: pair.now.uptime)
            #expect(first)
        }
    }

    @Test("never limits a user with two devices, each of which acknowledges what the other has acknowledged")
    func devices() {
        var generator = SeededGenerator(seed: 5)
        let identity = generator.signingKey()
        var group = MachineGroup()
        let alice = group.add("alice")
        let bobs = (0..<2).map { _ in
            group.add(.generated(name: "bob", identityKey: identity, using: &generator))
        }
        for bob in bobs { group.dial(alice, bob) }
        let moment = group.now
        for number in 0..<Limits.peerRequests / 8 {
            guard case .success(.accepted(let messages)) = group.send("message \(number)", from: alice, to: bobs[0])
            else { return }
            for bob in bobs { group.markRead(messages[0].messageID, by: bob) }
            // As if all of it took no time, in which a budget would fill up again.
            group.now = moment
        }
        #expect(bobs.allSatisfy { group.isLinked(alice, $0) })
        var budgets = group.members[alice].machine.peers.limits.budgets
        let isLeft = budgets.charge(Limits.peerRequests - 200, to: [.user(group.userID(bobs[0]))], now: moment.uptime)
        #expect(isLeft)
    }

    @Test("takes no old receipt for news on a link over which its entries did not go")
    func oldReceipts() {
        var known = DeliveryProgress()
        (known.delivered, known.read) = (100, 100)
        let receipt = { (sequence: UInt64, read: UInt64) in
            Receipt.sign(
                logID: LogID(Bytes32()), sequence: sequence, chain: ChainHash(Bytes32()), readSequence: read,
                deviceID: pair.bob.local.deviceID, with: pair.bob.local.signingKey)
        }
        let chain = ChainHash(Bytes32())
        var outgoing = OutgoingLog(after: Place(sequence: 0, chain: chain))
        for sequence in 1...UInt64(50) {
            let isNews = outgoing.hear(receipt(sequence, sequence), known: known)
            #expect(!isNews)
            _ = outgoing.acknowledged(through: Place(sequence: sequence, chain: chain))
        }
        for sequence in 51...UInt64(60) {
            outgoing.sent(through: sequence, chain: chain, bytes: 1)
            let (isNews, isRepeated) = (
                outgoing.hear(receipt(sequence, 50), known: known), outgoing.hear(receipt(sequence, 50), known: known)
            )
            #expect(isNews && !isRepeated)
        }
        let (isRead, isDelivered) = (
            outgoing.hear(receipt(60, 60), known: known), outgoing.hear(receipt(101, 60), known: known)
        )
        #expect(isRead && isDelivered)
    }

    @Test("limits receipts that one link has brought before")
    mutating func repeatedReceipts() {
        for number in 0..<UInt64(3) { pair.send("message \(number)", request: number + 1) }
        pair.settle()
        let receipts = pair.bob.receipts
        #expect(receipts.first?.sequence == 3)
        var count = 0
        while !pair.alice.isDisconnected, count < Limits.peerRequests {
            say([.receipts(receipts)])
            count += 1
        }
        #expect(failure?.code == "tooManyRequests")
        #expect(count > Limits.peerRequests / 3)
    }

    // MARK: - Strangers

    private func accepted(_ actions: [NodeAction], _ connectionID: ConnectionID) -> Bool {
        !actions.contains { if case .disconnect(connectionID) = $0 { true } else { false } }
    }

    @Test("begins so many handshakes a second from one address, and from another all the same")
    mutating func connections() {
        var begun = 0
        for number in 0..<1_000 {
            let address = PeerAddress(host: "10.0.0.9", port: UInt16(1000 + number))
            let (connectionID, actions) = pair.bob.machine.accepted(from: address, now: pair.now)
            if accepted(actions, connectionID) { begun += 1 }
        }
        #expect(begun == Limits.connectionsPerAddress)
        let (connectionID, actions) = pair.bob.machine.accepted(
            from: PeerAddress(host: "10.0.0.8", port: 1), now: pair.now)
        #expect(accepted(actions, connectionID))
    }

    @Test("gives up the oldest handshake of whoever has the most of them, for one that has just begun")
    mutating func halfOpen() {
        var first: ConnectionID?
        for number in 0..<Limits.pendingHandshakes {
            let host = "10.0.0.\(number / Limits.pendingHandshakesPerAddress)"
            let (connectionID, actions) = pair.bob.machine.accepted(
                from: PeerAddress(host: host, port: UInt16(1 + number)), now: pair.now)
            #expect(accepted(actions, connectionID))
            first = first ?? connectionID
        }
        let (newcomer, actions) = pair.bob.machine.accepted(
            from: PeerAddress(host: "10.0.9.9", port: 1), now: pair.now)
        let given = actions.compactMap { if case .disconnect(let connectionID) = $0 { connectionID } else { nil } }
        #expect(given == [first])
        #expect(pair.bob.machine.isOpen(newcomer))
    }

    /// Alice has a link to a stranger, who has written to her or not.
    private mutating func meet(_ name: String, hasWritten: Bool) -> ConnectionID {
        pair.now.uptime += 10
        let address = PeerAddress(host: name, port: 1)
        let connectionID = pair.alice.machine.accepted(from: address, now: pair.now).0
        let stranger = LinkPeer(credential: device(name).link.credential, run: 1)
        pair.alice.machine.establish(stranger, on: connectionID, now: pair.now)
        if hasWritten { pair.alice.machine.use(stranger.userID, now: pair.now) }
        #expect(pair.alice.machine.user(stranger.userID)?.isPinned == hasWritten)
        return connectionID
    }

    @Test(
        "closes a stranger's link before that of somebody it has written to, when there are too many",
        arguments: [false, true])
    mutating func strangersFirst(haveWritten: Bool) {
        pair.send("hello bob")
        pair.settle()
        // Alice's link to Bob is the least recently used of all.
        let known = pair.alice.connectionID
        let strangers = (1..<Limits.links).map { meet("stranger \($0)", hasWritten: haveWritten) }
        #expect(pair.alice.machine.establishedLinks.count == Limits.links)
        let newcomer = meet("newcomer", hasWritten: false)
        #expect(pair.alice.machine.isOpen(known) && pair.alice.machine.isOpen(newcomer))
        #expect(!pair.alice.machine.isOpen(strangers[0]))
        #expect(pair.alice.machine.establishedLinks.count == Limits.links)
    }

    @Test("closes the link of a stranger who never wrote before that of one who did")
    mutating func silentFirst() {
        let writer = meet("writer", hasWritten: true)
        // Bob's is a stranger's link, too: Alice has accepted him, and written nothing.
        let silent = (2..<Limits.links).map { meet("stranger \($0)", hasWritten: false) }
        let newcomer = meet("newcomer", hasWritten: false)
        #expect(pair.alice.machine.isOpen(pair.alice.connectionID) && pair.alice.machine.isOpen(writer))
        #expect(pair.alice.machine.isOpen(newcomer) && !pair.alice.machine.isOpen(silent[0]))
    }

    @Test("tells of a flood of strangers a few times, and how many there were")
    mutating func notices() {
        for number in 0..<1_000 {
            let address = PeerAddress(host: "10.0.0.9", port: UInt16(1000 + number))
            let (connectionID, actions) = pair.bob.machine.accepted(from: address, now: pair.now)
            pair.bob.perform(actions)
            pair.bob.perform(pair.bob.machine.received([0xff, 0xff], on: connectionID, now: pair.now))
            pair.now.uptime += 100
        }
        let failures = pair.bob.events.compactMap { if case .linkFailed(let failure) = $0 { failure } else { nil } }
        #expect(failures.count < 150)
        #expect(failures.contains { $0.code == "malformed" && $0.message.contains("more such connections") })
    }
}

extension Event {
    fileprivate var closeReason: String? {
        if case .linkFailed(let failure) = self { failure.closeReason } else { nil }
    }
}
