import EarshotCrypto
import EarshotModel
import EarshotStore
import Testing

@testable import EarshotProtocol

@Suite("A node whose database was restored from an older copy")
struct RestoredDatabaseTests {
    /// Both have written once, Alice's disk is copied, and both write on.
    private func pairAndCopy(_ later: [String] = ["two", "three"]) throws -> (StoredPair, Store) {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        let copy = try pair.copy(.alice)
        try pair.send(later, from: .alice)
        try pair.send("answer", from: .bob)
        return (pair, copy)
    }

    private func expectAlike(_ pair: StoredPair, _ texts: [String]) throws {
        let (own, others) = (try pair.texts(.alice), try pair.texts(.bob))
        #expect(own == texts)
        #expect(others == texts)
        #expect(try pair.rows(.alice).map(\.entry.chain) == pair.rows(.bob).map(\.entry.chain))
        #expect(pair.alice.machine.undeliveredCount == 0 && pair.bob.machine.undeliveredCount == 0)
        try expectSound(pair)
    }

    /// Nobody has changed anything but by the protocol.
    private func expectSound(_ pair: StoredPair) throws {
        #expect(try pair.mismatches(.alice) == [])
        #expect(try pair.mismatches(.bob) == [])
    }

    @Test("takes its own entries back, tells it once, and goes on in the next epoch")
    func takesBack() throws {
        var (pair, copy) = try pairAndCopy()
        try pair.restart(.alice, from: copy)
        #expect(try pair.texts(.alice) == ["one"])
        try pair.link()
        #expect(
            pair.alice.recoveries == [HistoryRecovery(userID: pair.bob.local.userID, count: 2, renamed: [])])
        try expectAlike(pair, ["one", "two", "three", "answer"])
        #expect(try pair.state(of: "three", by: .alice) == .delivered)
        // Nothing is told anew of messages that were delivered long ago.
        #expect(!pair.alice.events.names.contains(.messageDelivered))

        try pair.send("four", from: .alice)
        try expectAlike(pair, ["one", "two", "three", "answer", "four"])
        let own = try pair.rows(.alice).filter { $0.log.authorID == pair.alice.local.userID }.map(
            \.log.description.epoch)
        #expect(own.prefix(3) == [own[0], own[0], own[0]] && own[3] > own[0])
        #expect(pair.alice.failedLinks == [] && pair.bob.failedLinks == [])
        try pair.restart(.alice)
        try pair.link()
        #expect(pair.alice.recoveries == [])
    }

    @Test("gets logs back that had not begun when the copy was taken")
    func unknownLog() throws {
        var (pair, _) = try pairAndCopy()
        try pair.restart(.alice, from: try .inMemory())
        try pair.link()
        #expect(pair.alice.recoveries.map(\.count) == [3])
        try expectAlike(pair, ["one", "two", "three", "answer"])
        try pair.send("four", from: .alice)
        // The log that came back has ended; the next begins with what it follows.
        #expect(try pair.rows(.alice).last?.entry.sequence == 2)
    }

    @Test("writes what nobody has into a new epoch: nothing is lost, doubled or forked")
    func newEpoch() throws {
        var (pair, copy) = try pairAndCopy()
        let old = try #require(try pair.rows(.alice).first?.log.logID)
        try pair.restart(.alice, from: copy)
        try pair.send(["offline 1", "offline 2"], from: .alice)
        try pair.link()
        try expectAlike(pair, ["one", "two", "three", "answer", "offline 1", "offline 2"])
        let recovery = try #require(pair.alice.recoveries.first)
        let renamed = try #require(recovery.renamed.first)
        #expect(recovery.count == 2 && recovery.renamed.count == 1 && renamed.count == 2)
        // The first entry of the epoch names the log that it follows.
        #expect(renamed.from == MessageID(log: old, sequence: 2) && renamed.to.sequence == 2)
        #expect(try pair.rows(.alice).last?.log.logID == renamed.to.log)
        #expect(try pair.state(of: "offline 2", by: .alice) == .delivered)
        #expect(pair.bob.failedLinks == [] && pair.alice.failedLinks == [])

        try pair.send("later", from: .alice)
        #expect(try pair.rows(.bob).last?.log.logID == renamed.to.log)
        try pair.restart(.alice)
        try pair.link()
        try expectAlike(pair, ["one", "two", "three", "answer", "offline 1", "offline 2", "later"])
    }

    @Test("finds out that it has written other entries when the peer holds no more than it")
    func shorterFork() throws {
        var (pair, copy) = try pairAndCopy(["two"])
        try pair.restart(.alice, from: copy)
        try pair.send(["a", "b", "c"], from: .alice)
        try pair.link()
        try expectAlike(pair, ["one", "two", "answer", "a", "b", "c"])
        #expect(pair.alice.recoveries.map(\.count) == [1])
    }

    @Test("doubles nothing when a copy with entries of both branches' time is restored again")
    func sameForkTwice() throws {
        var (pair, first) = try pairAndCopy()
        try pair.restart(.alice, from: first)
        try pair.send("offline", from: .alice)
        let second = try pair.copy(.alice)
        try pair.link()
        try pair.restart(.alice, from: second)
        try pair.send("again", from: .alice)
        try pair.link()
        try expectAlike(pair, ["one", "two", "three", "answer", "offline", "again"])
        // Of the two that wait, one is in the log that came back under its second name.
        #expect(pair.alice.recoveries.first?.renamed.map(\.count) == [1, 1])
        #expect(pair.bob.receivedTexts.filter { $0 == "offline" }.count == 1)
    }

    @Test("takes a long log back in many runs, and goes on after a crash in the middle")
    func crashInTheMiddle() throws {
        let texts = (1...3_000).map { "message \($0)" }
        var (pair, copy) = try pairAndCopy(texts)
        try pair.restart(.alice, from: copy)
        try pair.send("offline", from: .alice)
        pair.alice.commitsLeft = 3
        pair.alice.diesOfFullDisk = true
        try pair.link()
        #expect(pair.alice.isDead)
        try pair.restart(.alice)
        try pair.link()
        #expect(Set(try pair.texts(.alice)) == Set(["one", "answer", "offline"] + texts))
        try expectAlike(pair, try pair.texts(.bob))
    }

    @Test("begins anew after its disk has refused what came back")
    func commitFails() throws {
        var (pair, copy) = try pairAndCopy()
        try pair.restart(.alice, from: copy)
        try pair.send("offline", from: .alice)
        pair.alice.commitsLeft = 0
        try pair.link()
        #expect(!pair.isLinked)
        #expect(pair.alice.recoveries == [])
        pair.alice.commitsLeft = .max
        try pair.link()
        try expectAlike(pair, ["one", "two", "three", "answer", "offline"])
    }

    @Test("takes what was withheld from the recipient for withheld, not for delivered")
    func withheld() throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        try pair.unlink()
        try pair.send("cancelled", from: .alice)
        let copy = try pair.copy(.alice)
        let log = try #require(try pair.rows(.alice).first?.log.logID)
        try pair.cancel(MessageID(log: log, sequence: 2), by: .alice)
        try pair.link()
        #expect(try pair.texts(.bob) == ["one"])
        try pair.restart(.alice, from: copy)
        #expect(try pair.state(of: "cancelled", by: .alice) == .queued)
        try pair.link()
        #expect(try pair.state(of: "cancelled", by: .alice) == .failed(.cancelled))
        #expect(!pair.alice.events.names.contains(.messageDelivered))
        #expect(try pair.texts(.bob) == ["one"])
    }

    // MARK: - With a clock that is behind

    /// Alice's database is the copy, and from now on her clock shows a time long before it was made.
    private func restore(_ copy: Store, of pair: inout StoredPair) throws {
        try pair.restart(.alice, from: copy)
        pair.now.wallClock -= 3_600_000
    }

    @Test("orders what it has written since after what comes back, on both sides, though its clock is behind")
    func clockBehind() throws {
        var (pair, copy) = try pairAndCopy()
        try restore(copy, of: &pair)
        try pair.send(["offline 1", "offline 2"], from: .alice)
        try pair.link()
        try pair.send("later", from: .alice)
        try expectOwn(pair, ["one", "two", "three", "offline 1", "offline 2", "later"])
        try pair.restart(.alice)
        try pair.link()
        try expectOwn(pair, ["one", "two", "three", "offline 1", "offline 2", "later"])
    }

    /// Both sides have Alice's messages in this order, and nothing else of hers.
    private func expectOwn(_ pair: StoredPair, _ texts: [String]) throws {
        #expect(try pair.texts(.alice).filter { $0 != "answer" } == texts)
        #expect(try pair.texts(.bob).filter { $0 != "answer" } == texts)
        #expect(pair.alice.machine.undeliveredCount == 0)
        #expect(pair.bob.failedLinks == [] && pair.alice.failedLinks == [])
        try expectSound(pair)
    }

    @Test("orders it so where the log had not begun when the copy was made")
    func clockBehindUnknownLog() throws {
        var (pair, _) = try pairAndCopy()
        // She knows Bob, and none of her own messages.
        let early = try Store.inMemory()
        var commit = Commit()
        let snapshot = try pair.alice.store.snapshot()
        (commit.users, commit.devices) = (snapshot.users, snapshot.devices)
        try early.commit(commit)
        try restore(early, of: &pair)
        try pair.send(["offline 1", "offline 2"], from: .alice)
        try pair.link()
        try expectOwn(pair, ["one", "two", "three", "offline 1", "offline 2"])
        #expect(pair.alice.recoveries.map { $0.renamed.map(\.count) } == [[2]])
    }

    @Test("orders it so where the log comes back in many runs, with a crash in the middle", arguments: [1, 2, 3, 4])
    func clockBehindManyRuns(commits: Int) throws {
        let texts = (1...2_100).map { "message \($0)" }
        var (pair, copy) = try pairAndCopy(texts)
        try restore(copy, of: &pair)
        try pair.send(["offline 1", "offline 2"], from: .alice)
        pair.alice.commitsLeft = commits
        pair.alice.diesOfFullDisk = true
        try pair.link()
        try pair.restart(.alice)
        try pair.link()
        try expectOwn(pair, ["one"] + texts + ["offline 1", "offline 2"])
    }

    @Test("leaves the times of what was offered, which somebody may have seen")
    func clockBehindOffered() throws {
        var (pair, copy) = try pairAndCopy()
        try restore(copy, of: &pair)
        try pair.send("offline", from: .alice)
        try pair.link()
        let before = try pair.rows(.bob).map(\.entry.timestamp)
        try pair.restart(.alice)
        try pair.link()
        #expect(try pair.rows(.bob).map(\.entry.timestamp) == before)
        #expect(try pair.rows(.alice).map(\.entry.timestamp) == before)
    }

    @Test("doubles nothing that got a new time, when a copy from before that is restored")
    func clockBehindTwice() throws {
        var (pair, first) = try pairAndCopy()
        try restore(first, of: &pair)
        try pair.send(["offline 1", "offline 2"], from: .alice)
        let second = try pair.copy(.alice)
        try pair.link()
        try pair.restart(.alice, from: second)
        try pair.send("again", from: .alice)
        try pair.link()
        try expectOwn(pair, ["one", "two", "three", "offline 1", "offline 2", "again"])
    }

    @Test(
        "sends what was taken back and written anew, when a copy from before that is restored: only its hash is known")
    func clockBehindTakenBack() throws {
        var (pair, first) = try pairAndCopy()
        try restore(first, of: &pair)
        try pair.send(["offline 1", "offline 2"], from: .alice)
        let second = try pair.copy(.alice)
        let log = try #require(try pair.rows(.alice).first?.log.logID)
        try pair.cancel(MessageID(log: log, sequence: 2), by: .alice)
        try pair.link()
        #expect(try pair.texts(.bob) == ["one", "two", "three", "offline 2", "answer"])
        try expectSound(pair)
        try pair.restart(.alice, from: second)
        try pair.link()
        #expect(try pair.texts(.bob).filter { $0 != "answer" } == ["one", "two", "three", "offline 2", "offline 1"])
        #expect(try pair.state(of: "offline 1", by: .alice) == .delivered)
        try expectSound(pair)
    }

    // MARK: - What was taken back

    /// Written since an older copy was restored, taken back before anybody saw them, and lost with a copy that is restored
    /// from the time of the first.
    private func takenBackAndRestored(_ texts: [String]) throws -> StoredPair {
        var (pair, first) = try pairAndCopy(["two"])
        try pair.restart(.alice, from: first)
        try pair.send(texts[0], from: .alice)
        let second = try pair.copy(.alice)
        if texts.count > 1 { try pair.send(Array(texts[1...]), from: .alice) }
        let log = try #require(try pair.rows(.alice).first?.log.logID)
        for index in texts.indices { try pair.cancel(MessageID(log: log, sequence: UInt64(2 + index)), by: .alice) }
        try pair.link()
        try expectSound(pair)
        try pair.restart(.alice, from: second)
        try pair.link()
        return pair
    }

    @Test(
        "has the times of what it took back as they were written, so that an audit finds nothing", arguments: [1, 2, 4])
    func timesOfTakenBack(count: Int) throws {
        var pair = try takenBackAndRestored((1...count).map { "offline \($0)" })
        #expect(try pair.texts(.alice) == ["one", "two", "answer", "offline 1"])
        try expectSound(pair)
        try pair.send("later", from: .alice)
        #expect(try pair.state(of: "later", by: .alice) == .delivered)
        try expectSound(pair)
        try pair.restart(.alice)
        try pair.link()
        try expectSound(pair)
    }

    @Test("has times that rise where only the peer knows that a message was taken back", arguments: [1, 3])
    func timesAfterTakenBack(count: UInt64) throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        try pair.unlink()
        try pair.send("in the copy", from: .alice)
        let copy = try pair.copy(.alice)
        for number in 1...count { try pair.send("lost \(number)", from: .alice) }
        let log = try #require(try pair.rows(.alice).first?.log.logID)
        for number in 0...count { try pair.cancel(MessageID(log: log, sequence: 2 + number), by: .alice) }
        try pair.link()
        try pair.restart(.alice, from: copy)
        try pair.link()
        #expect(try pair.state(of: "in the copy", by: .alice) == .failed(.cancelled))
        try expectSound(pair)
        try pair.send("later", from: .alice)
        #expect(try pair.state(of: "later", by: .alice) == .delivered)
        try expectSound(pair)
    }

    /// Bob deletes the content of a message that Alice has written.
    private func delete(_ text: String, of pair: StoredPair) throws {
        let index = try #require(try pair.texts(.bob).firstIndex(of: text))
        let row = try pair.rows(.bob)[index]
        let outcome = try pair.bob.store.deleteContents(
            of: [MessageID(log: row.log.logID, sequence: row.entry.sequence)], deviceID: pair.bob.local.deviceID)
        #expect(outcome.deletedCount == 1)
    }

    @Test("takes what the recipient has deleted for delivered, not for withheld")
    func deletedByRecipient() throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        try pair.unlink()
        try pair.send("two", from: .alice)
        let copy = try pair.copy(.alice)
        try pair.link()
        try delete("two", of: pair)
        try pair.restart(.alice, from: copy)
        #expect(try pair.state(of: "two", by: .alice) == .queued)
        try pair.link()
        #expect(try pair.texts(.alice) == ["one", "two"])
        #expect(try pair.state(of: "two", by: .alice) == .delivered)
        try pair.restart(.alice)
        #expect(try pair.state(of: "two", by: .alice) == .delivered)
    }

    @Test("gets back that a message was deleted by its recipient, where it does not have it")
    func deletedByRecipientAndForgotten() throws {
        var (pair, copy) = try pairAndCopy()
        try delete("two", of: pair)
        try pair.restart(.alice, from: copy)
        try pair.send("offline", from: .alice)
        try pair.link()
        #expect(pair.alice.recoveries.map(\.count) == [1])
        try expectAlike(pair, ["one", "", "three", "answer", "offline"])
        let row = try #require(try pair.rows(.alice).first { $0.entry.isDeleted })
        #expect(row.state(for: row.log.recipientID) == .delivered)
        // The same copy once more: the entries are in the other log already, and one of them is deleted now.
        try delete("offline", of: pair)
        try pair.restart(.alice, from: copy)
        try pair.link()
        try expectAlike(pair, ["one", "", "three", "answer", ""])
    }

    @Test("believes no peer that says it has deleted what was withheld from it")
    func deletedThoughWithheld() throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        try pair.unlink()
        try pair.send("two", from: .alice)
        let copy = try pair.copy(.alice)
        let log = try #require(try pair.rows(.alice).first?.log.logID)
        try pair.link()
        try delete("two", of: pair)
        try pair.restart(.alice, from: copy)
        try pair.cancel(MessageID(log: log, sequence: 2), by: .alice)
        try pair.link()
        #expect(try pair.state(of: "two", by: .alice) == .failed(.cancelled))
    }

    @Test("learns that a message was delivered that it has taken back since")
    func withdrawn() throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        try pair.unlink()
        try pair.send("two", from: .alice)
        let copy = try pair.copy(.alice)
        let log = try #require(try pair.rows(.alice).first?.log.logID)
        try pair.link()
        try pair.restart(.alice, from: copy)
        try pair.cancel(MessageID(log: log, sequence: 2), by: .alice)
        #expect(try pair.state(of: "two", by: .alice) == .failed(.cancelled))
        try pair.link()
        #expect(try pair.state(of: "two", by: .alice) == .delivered)
        // Whoever was told that it is cancelled is told what is true.
        #expect(pair.alice.events.names.last { $0 == .messageFailed || $0 == .messageDelivered } == .messageDelivered)
        try pair.restart(.alice)
        #expect(try pair.state(of: "two", by: .alice) == .delivered)
    }

    /// Alice's copy says that "two" waits, and Bob has it. He is slow to give her log back when she cancels a message.
    /// - Parameter sequence: of the message, where 2 is "two" and 3 is "offline".
    private func cancelledWhileTakenBack(_ sequence: UInt64) throws -> (pair: StoredPair, requestID: RequestID) {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        try pair.unlink()
        try pair.send("two", from: .alice)
        let copy = try pair.copy(.alice)
        try pair.link()
        try pair.send("three", from: .alice)
        try pair.restart(.alice, from: copy)
        try pair.send("offline", from: .alice)
        let log = try #require(try pair.rows(.alice).first?.log.logID)
        pair.bob.isSlowToRead = true
        try pair.link()
        let request = try pair.cancel(MessageID(log: log, sequence: sequence), by: .alice)
        #expect(pair.alice.completions[request] == nil)
        return (pair, request)
    }

    @Test("answers whoever takes a message back once it knows that the message was delivered")
    func cancelWaits() throws {
        var (pair, request) = try cancelledWhileTakenBack(2)
        try pair.readNow(.bob)
        let error = #expect(throws: ProtocolError.self) { try pair.alice.completions[request]?.get() }
        #expect(error?.code == .alreadySent)
        #expect(try pair.state(of: "two", by: .alice) == .delivered)
        #expect(!pair.alice.events.names.contains(.messageFailed))
        #expect(try pair.texts(.bob) == ["one", "two", "three", "offline"])
    }

    @Test("takes a message back that nobody has, under the name that it got meanwhile")
    func cancelWaitsForName() throws {
        var (pair, request) = try cancelledWhileTakenBack(3)
        try pair.readNow(.bob)
        let renamed = try #require(pair.alice.recoveries.first?.renamed.first)
        guard case .cancelled(renamed.to) = try pair.alice.completions[request]?.get() else {
            Issue.record("the message is not taken back: \(String(describing: pair.alice.completions[request]))")
            return
        }
        #expect(try pair.state(of: "offline", by: .alice) == .failed(.cancelled))
        #expect(try pair.texts(.bob) == ["one", "two", "three"])
        try expectSound(pair)
    }

    @Test("does not wait longer with that than for the log")
    func cancelWaitsInVain() throws {
        var (pair, request) = try cancelledWhileTakenBack(2)
        pair.pass(Timing.recovery)
        try pair.tick()
        try pair.settle()
        #expect(throws: Never.self) { try pair.alice.completions[request]?.get() }
        #expect(pair.alice.completions[request] != nil)
        #expect(try pair.state(of: "two", by: .alice) == .failed(.cancelled))
        // What is not true is taken back when the log comes.
        pair.bob.isSlowToRead = false
        try pair.link(after: Timing.recoveryPause + 2 * Timing.redialFloor)
        #expect(try pair.state(of: "two", by: .alice) == .delivered)
        #expect(pair.alice.events.names.last { $0 == .messageFailed || $0 == .messageDelivered } == .messageDelivered)
    }

    // MARK: - A recipient with two devices

    /// Alice was restored, and has written three messages since, which another device of Bob's was given.
    /// - Returns: with its receipt for them, which it has not sent.
    private func givenToAnotherDevice() throws -> (StoredPair, HandDrivenPeer, Receipt) {
        var (pair, copy) = try pairAndCopy()
        try pair.restart(.alice, from: copy)
        try pair.send(["a", "b", "c"], from: .alice)
        let local = otherDevice("bob")
        #expect(local.userID == pair.bob.local.userID && local.deviceID != pair.bob.local.deviceID)
        var other = try HandDrivenPeer(local, beside: &pair, now: pair.now)
        try other.say([.nothingHeld], to: &pair, now: pair.now)
        try pair.settle()
        let last = try #require(try pair.rows(.alice).last)
        let receipt = Receipt.sign(
            logID: last.log.logID, sequence: last.entry.sequence, chain: last.entry.chain, readSequence: 0,
            deviceID: local.deviceID, with: local.signingKey)
        return (pair, other, receipt)
    }

    @Test("keeps what one device was given, and what another one gives back, as branches of one log")
    func branches() throws {
        var (pair, other, receipt) = try givenToAnotherDevice()
        #expect(pair.alice.machine.undeliveredCount == 3)
        try pair.link()
        #expect(pair.isLinked && pair.alice.failedLinks == [] && pair.bob.failedLinks == [])
        #expect(Set(try pair.texts(.alice)) == ["one", "two", "three", "answer", "a", "b", "c"])
        #expect(try pair.texts(.bob).sorted() == pair.texts(.alice).sorted())
        let logs = try pair.alice.store.snapshot().logs.filter { $0.authorID == pair.alice.local.userID }
        #expect(logs.map { $0.base?.sequence }.sorted { ($0 ?? 0) < ($1 ?? 0) } == [nil, nil, 1])
        #expect(pair.alice.recoveries == [HistoryRecovery(userID: pair.bob.local.userID, count: 2, renamed: [])])
        try expectSound(pair)
        // Its receipt is for the branch that it was given, and for nothing of the other one.
        try other.say([.receipts([receipt])], to: &pair, now: pair.now)
        try pair.settle()
        #expect(pair.alice.failedLinks == [])
        for text in ["a", "b", "c", "two", "three"] {
            #expect(try pair.state(of: text, by: .alice) == .delivered, "\(text)")
        }
        #expect(pair.alice.machine.undeliveredCount == 0)

        try pair.send("later", from: .alice)
        #expect(try pair.texts(.bob).contains("later"))
        let before = try pair.texts(.alice)
        try pair.restart(.alice)
        try pair.restart(.bob)
        try pair.link()
        #expect(try pair.texts(.alice) == before && pair.texts(.bob).sorted() == before.sorted())
        #expect(pair.alice.recoveries == [] && pair.alice.machine.undeliveredCount == 0)
        try expectSound(pair)
    }

    @Test("counts a receipt for a branch that comes back only afterwards")
    func earlyReceipt() throws {
        var (pair, copy) = try pairAndCopy()
        let last = try #require(try pair.rows(.bob).last { $0.log.authorID == pair.alice.local.userID })
        try pair.restart(.alice, from: copy)
        // Two messages in the places of those that Bob has: his receipt is for places that this node has, too.
        try pair.send(["a", "b", "c"], from: .alice)
        let local = otherDevice("bob")
        var other = try HandDrivenPeer(local, beside: &pair, now: pair.now)
        try other.say([.nothingHeld], to: &pair, now: pair.now)
        try pair.settle()
        let receipt = Receipt.sign(
            logID: last.log.logID, sequence: 3, chain: last.entry.chain, readSequence: 2, deviceID: local.deviceID,
            with: local.signingKey)
        let head = BranchHead(
            log: last.log.description, place: Place(sequence: 3, chain: last.entry.chain))
        let heads = HeadsFrame(conversationID: head.log.conversationID, heads: [head], isComplete: false)
        try other.say([.receipts([receipt])], to: &pair, now: pair.now)
        try pair.settle()
        try other.say([.heads(heads)], to: &pair, now: pair.now)
        try pair.settle()
        #expect(try pair.state(of: "two", by: .alice) == nil)
        // It gives nothing, so after a while Bob's other device is asked.
        try pair.link(after: 1)
        pair.pass(Timing.fetchPatience)
        try pair.tick()
        try pair.settle()
        #expect(try pair.state(of: "two", by: .alice) == .read)
        #expect(try pair.state(of: "three", by: .alice) == .delivered)
    }

    @Test("counts a receipt for what comes back while the disk is asked about it")
    func receiptWhileAsked() throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        let copy = try pair.copy(.alice)
        for text in ["two", "three"] { try pair.send(text, from: .alice) }
        let rows = try pair.rows(.bob).filter { $0.log.authorID == pair.alice.local.userID }
        let last = try #require(rows.last)
        try pair.restart(.alice, from: copy)
        let local = otherDevice("bob")
        var other = try HandDrivenPeer(local, beside: &pair, now: pair.now)
        let place = Place(sequence: 3, chain: last.entry.chain)
        let heads = HeadsFrame(
            conversationID: last.log.description.conversationID,
            heads: [BranchHead(log: last.log.description, place: place)], isComplete: true)
        let receipt = Receipt.sign(
            logID: last.log.logID, sequence: 3, chain: last.entry.chain, readSequence: 2, deviceID: local.deviceID,
            with: local.signingKey)
        try other.say([.heads(heads), .receipts([receipt])], to: &pair, now: pair.now)
        try pair.settle()
        // The disk is asked when the first comes back, and has not answered when the second does.
        pair.alice.isSlowToRead = true
        for row in rows.dropFirst() {
            let frame = EntriesFrame(
                log: row.log.description, firstSequence: row.entry.sequence,
                previousChain: rows[Int(row.entry.sequence) - 2].entry.chain, contents: [row.entry.content],
                checkpoint: Checkpoint.sign(
                    logID: row.log.logID, sequence: row.entry.sequence, chain: row.entry.chain,
                    with: pair.alice.local.signingKey))
            try other.say([.entries(frame)], to: &pair, now: pair.now)
            try pair.settle()
        }
        try pair.readNow(.alice)
        #expect(try pair.state(of: "two", by: .alice) == .read)
        #expect(try pair.state(of: "three", by: .alice) == .delivered)
        #expect(pair.alice.failedLinks == [])
    }

    // MARK: - As a recipient

    @Test("gets again what it had acknowledged, and no state of the sender's goes back")
    func recipient() throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        let copy = try pair.copy(.bob)
        try pair.send("two", from: .alice)
        try pair.markRead(
            try #require(try pair.rows(.bob).last.map { MessageID(log: $0.log.logID, sequence: 2) }), by: .bob)
        #expect(try pair.state(of: "two", by: .alice) == .read)
        pair.alice.events = []
        try pair.restart(.bob, from: copy)
        try pair.link()
        #expect(pair.bob.receivedTexts == ["two"])
        #expect(try pair.state(of: "two", by: .alice) == .read)
        #expect(pair.alice.events.names.allSatisfy { $0 == .userUpdated })

        // Its receipts say less of what was read than the earlier ones did.
        try pair.send("three", from: .alice)
        try expectAlike(pair, ["one", "two", "three"])
        #expect(try pair.state(of: "three", by: .alice) == .delivered)
        #expect(try pair.state(of: "two", by: .alice) == .read)
        try pair.restart(.alice)
        #expect(try pair.state(of: "two", by: .alice) == .read)
    }

    @Test("agrees with a peer that was restored, too, about all that one of them holds")
    func both() throws {
        var (pair, alicesCopy) = try pairAndCopy(["two"])
        let bobsCopy = try pair.copy(.bob)
        try pair.send("three", from: .alice)
        try pair.send("more", from: .bob)
        try pair.restart(.alice, from: alicesCopy)
        try pair.restart(.bob, from: bobsCopy)
        try pair.send("offline alice", from: .alice)
        try pair.send("offline bob", from: .bob)
        try pair.link()
        // "three" and "more" were on the two lost disks alone.
        // What nobody had is written anew, one after the other.
        try expectAlike(pair, ["one", "two", "answer", "offline bob", "offline alice"])
        #expect(pair.alice.failedLinks == [] && pair.bob.failedLinks == [])
    }

    // MARK: - Peers that claim what they do not hold

    /// Bob's disk holds one entry more of Alice's log, which Alice has not signed.
    private func forgeEntry(_ pair: inout StoredPair) throws {
        let row = try #require(try pair.rows(.bob).last)
        let body = EntryBody(
            timestamp: row.entry.timestamp.next, expiry: .max, content: .text("forged", headers: [:])
        ).encoded()
        let chain = row.entry.chain.appending(.of(body: body))
        let (logID, sequence, bob) = (row.log.logID, row.entry.sequence + 1, pair.bob.local)
        var entry = EntryRecord(
            sequence: sequence, timestamp: row.entry.timestamp.next, expiry: .max, kind: .text,
            content: .body(body), chain: chain)
        entry.checkpoint = Checkpoint.sign(logID: logID, sequence: sequence, chain: chain, with: bob.signingKey)
        var record = row.log
        record.head = LogHead(sequence: sequence, chain: chain, timestamp: entry.timestamp)
        var commit = Commit()
        commit.logs = [record]
        commit.entries = [LogEntries(logID: logID, entries: [entry])]
        var progress = DeliveryProgress()
        _ = progress.acknowledge(
            Receipt.sign(
                logID: logID, sequence: sequence, chain: chain, readSequence: 0, deviceID: bob.deviceID,
                with: bob.signingKey))
        commit.deliveries = [DeliveryRecord(logID: logID, recipientID: bob.userID, progress: progress)]
        try pair.bob.store.commit(commit)
        try pair.restart(.bob)
    }

    @Test("takes nothing that it has not signed: the link ends, and nothing has changed")
    func forged() throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        try forgeEntry(&pair)
        try pair.link()
        #expect(!pair.isLinked)
        #expect(pair.alice.failedLinks.last == ProtocolError.Code.unauthentic.description)
        #expect(try pair.texts(.alice) == ["one"])
        #expect(try pair.state(of: "one", by: .alice) == .delivered)
        #expect(pair.alice.recoveries == [])
        let request = try pair.send("two", from: .alice)
        #expect(throws: Never.self) { try pair.alice.completions[request]?.get() }
    }

    @Test("moves nothing for entries that it has not signed: what it has written keeps its name and its place")
    func forgedPart() throws {
        var pair = try StoredPair.linked()
        try pair.send("one", from: .alice)
        try forgeEntry(&pair)
        try pair.send("mine", from: .alice)
        let before = try pair.alice.store.snapshot().logs
        try pair.link()
        #expect(pair.alice.failedLinks.last == ProtocolError.Code.unauthentic.description)
        #expect(try pair.texts(.alice) == ["one", "mine"])
        #expect(try pair.alice.store.snapshot().logs == before)
        #expect(pair.alice.recoveries == [])
    }

    @Test("keeps messages back until it has its log again, and no longer than the peer may take")
    func silent() throws {
        var (pair, copy) = try pairAndCopy()
        try pair.restart(.alice, from: copy)
        // Bob's heads arrive, and nothing that is asked of him.
        pair.bob.isDeafAfterHandshake = true
        try pair.link()
        let request = try pair.send("waits", from: .alice)
        #expect(pair.alice.completions[request] == nil)
        pair.pass(Timing.recovery)
        try pair.tick()
        try pair.settle()
        #expect(!pair.isLinked)
        #expect(pair.alice.failedLinks.last == ProtocolError.Code.timeout.description)
        #expect(throws: Never.self) { try pair.alice.completions[request]?.get() }
        pair.bob.isDeafAfterHandshake = false
        try pair.link()
        try expectAlike(pair, ["one", "two", "three", "answer", "waits"])
    }

    @Test("keeps no message back for a peer that has just given nothing back, and asks it again a while later")
    func silentAgain() throws {
        var (pair, copy) = try pairAndCopy()
        try pair.restart(.alice, from: copy)
        pair.bob.isDeafAfterHandshake = true
        try pair.link()
        pair.pass(Timing.recovery)
        try pair.tick()
        try pair.settle()
        #expect(!pair.isLinked)
        try pair.link(after: 2 * Timing.redialFloor)
        let request = try pair.send("goes its way", from: .alice)
        #expect(throws: Never.self) { try pair.alice.completions[request]?.get() }
        #expect(pair.isLinked && pair.alice.completions[request] != nil)
        pair.bob.isDeafAfterHandshake = false
        try pair.link(after: Timing.recoveryPause)
        try expectAlike(pair, ["one", "two", "three", "answer", "goes its way"])
    }

    @Test("is given nothing but what was sent to its user")
    func strangersLog() throws {
        var (pair, _) = try pairAndCopy()
        let connectionID = try #require(pair.bob.connectionID)
        // What a node wrote itself it sends anyway, as far as it may leave.
        for row in [try #require(try pair.rows(.bob).last)] {
            let place = Place(sequence: row.entry.sequence, chain: row.entry.chain)
            let wanted = WantedFrame(log: row.log.description, end: place, known: [])
            #expect(throws: ProtocolError.self) {
                try pair.bob.machine.received(.wanted(wanted), on: connectionID, now: pair.now)
            }
        }
        let others = HandWrittenLog(by: device("carol"), to: pair.bob.local.userID)
        let wanted = WantedFrame(log: others.record.description, end: others.head.place, known: [])
        #expect(throws: ProtocolError.self) {
            try pair.bob.machine.received(.wanted(wanted), on: connectionID, now: pair.now)
        }
    }

    @Test("is given its own as fast as one user may have it, and waits for more")
    func givenBackInTime() throws {
        let text = String(repeating: "long ", count: 12_000)
        var (pair, _) = try pairAndCopy(Array(repeating: text, count: 8))
        let last = try #require(try pair.rows(.bob).last { $0.log.authorID == pair.alice.local.userID })
        let connectionID = try #require(pair.bob.connectionID)
        let end = Place(sequence: last.entry.sequence, chain: last.entry.chain)
        let wanted = WantedFrame(
            log: last.log.description, end: end, known: [LogHead.origin(of: last.log.logID).place])
        func entriesRead(_ actions: [NodeAction]) -> EntriesRead? {
            for case .read(let read) in actions { return read }
            return nil
        }
        /// Alice's device asks for all of it once more, and Bob's node looks it up.
        func ask() throws -> EntriesRead? {
            try pair.bob.machine.received(.wanted(wanted), on: connectionID, now: pair.now)
            for case .readChains(let read) in pair.bob.machine.tick(now: pair.now) {
                let chains = try pair.chains(of: read, by: .bob)
                return entriesRead(pair.bob.machine.chainsRead(read, chains: chains, now: pair.now))
            }
            return nil
        }
        var given = 0
        while given < 2 * Limits.returnedBytes {
            guard let next = try ask() else { break }
            let entries = try pair.bob.store.entries(
                of: next.logID, from: next.from, countLimit: next.countLimit, byteLimit: next.byteLimit)
            let actions = pair.bob.machine.entriesRead(next, entries: entries, now: pair.now)
            for case .write(_, let bytes) in actions { given += bytes.count }
        }
        #expect(given > Limits.returnedBytes / 2)
        #expect(given < Limits.returnedBytes + 2 * Limits.frameBytes)
        #expect(pair.bob.machine.deadline(now: pair.now) <= pair.now.uptime + Timing.returnPause)
        #expect(entriesRead(pair.bob.machine.tick(now: pair.now)) == nil)
        pair.pass(1_000)
        #expect(entriesRead(pair.bob.machine.tick(now: pair.now))?.from == 1)
        #expect(entriesRead(pair.bob.machine.tick(now: pair.now)) == nil)
    }
}
