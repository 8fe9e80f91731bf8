import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Entries go out when the disk says that they may")
struct OfferTests {
    @Test("none before that, where a link begins while the disk says it of the first of them only")
    func offerOfAnotherLink() throws {
        var pair = MachinePair.linked()
        pair.breakLink()
        pair.settle()
        let first = try pair.committedEntry("one")
        pair.relink()
        pair.settle()
        let second = try pair.committedEntry("two")
        // The first link offers the first entry, and breaks while the disk takes note of that.
        let read = pair.alice.reads.removeLast()
        pair.alice.perform(pair.alice.machine.entriesRead(read, entries: [first], now: pair.now))
        #expect(pair.alice.commits.count == 1)
        pair.breakLink()
        // The next link offers both.
        pair.relink()
        pair.exchange()
        let next = pair.alice.reads.removeLast()
        #expect(next.from == 1)
        pair.alice.perform(pair.alice.machine.entriesRead(next, entries: [first, second], now: pair.now))
        pair.exchange()

        pair.commitAlice()
        #expect(pair.alice.output.isEmpty)
        pair.commitAlice()
        #expect(!pair.alice.output.isEmpty)
        pair.settle()
        #expect(pair.alice.events.names.filter { $0 == .messageDelivered }.count == 2)
    }

    @Test("and not while a failure waits that says that one of them may not")
    func failureThatWaits() throws {
        let carol = device("carol")
        var pair = MachinePair.linked(alice: .met(carol, by: device("alice"), hasWritten: false))
        pair.breakLink()
        pair.settle()
        let entry = try pair.committedEntry("one")
        let logID = pair.alice.log(to: pair.bob.local.userID).record.logID
        // More failures than one commit takes, of another log, wait already.
        let drafts = Array(repeating: MessageDraft("never"), count: Limits.messagesPerSend)
        for request in 0..<UInt64(3 * Limits.commitEntries / drafts.count + 1) {
            pair.alice.perform(
                pair.alice.machine.send(drafts, to: carol.userID, requestID: RequestID(100 + request), now: pair.now))
            while !pair.alice.commits.isEmpty { pair.commitAlice() }
        }
        pair.alice.perform(
            pair.alice.machine.decide(.block, about: carol.userID, requestID: RequestID(6), now: pair.now))
        let messageID = MessageID(log: logID, sequence: entry.sequence)
        pair.alice.perform(pair.alice.machine.cancel(messageID, requestID: RequestID(5), now: pair.now))
        pair.relink()

        var (isFailed, isOffered) = (false, false)
        for _ in 0..<20 {
            if let read = pair.alice.reads.popLast() {
                pair.alice.perform(pair.alice.machine.entriesRead(read, entries: [entry], now: pair.now))
            }
            if let commit = pair.alice.commits.first {
                isFailed = isFailed || commit.failures.contains { $0.messageID == messageID }
                isOffered = commit.deliveries.contains { $0.logID == logID && $0.progress.offered > 0 }
                #expect(isFailed || !isOffered)
                pair.commitAlice()
            }
            pair.exchange()
            pair.now.uptime += Timing.lazyCommit
            pair.alice.perform(pair.alice.machine.tick(now: pair.now))
        }
        #expect(isFailed)
        pair.settle()
        #expect(pair.bob.machine.replication.logs.incoming(logID)?.proved.sequence == 1)
        #expect(!pair.alice.events.names.contains(.messageDelivered))
        #expect(!pair.bob.events.names.contains(.messageReceived))
    }
}

extension MachinePair {
    fileprivate mutating func breakLink() {
        alice.perform(alice.machine.disconnected(alice.connectionID, now: now))
        bob.perform(bob.machine.disconnected(bob.connectionID, now: now))
    }

    /// Alice dials again.
    fileprivate mutating func relink() {
        alice.output = []
        bob.output = []
        now.uptime += Timing.redialCeiling
        alice.perform(alice.machine.tick(now: now))
        let address = PeerAddress(host: "10.0.0.2", port: 7)
        let (accepted, actions) = bob.machine.accepted(from: address, now: now)
        bob.connectionID = accepted
        bob.perform(actions)
        alice.perform(alice.machine.connected(alice.connectionID, to: address, now: now))
        exchange()
    }

    /// Sends a message that Alice's disk takes.
    fileprivate mutating func committedEntry(_ text: String) throws -> EntryRecord {
        send(text)
        let entry = try #require(alice.commits.last?.entries.first?.entries.first)
        while !alice.commits.isEmpty { commitAlice() }
        return entry
    }
}
