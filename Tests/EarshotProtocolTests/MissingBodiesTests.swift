import EarshotCrypto
import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Bodies that are missing")
struct MissingBodiesTests {
    private let alice = device("alice")
    private let first = ConnectionID(1)
    private let second = ConnectionID(2)
    /// Five entries of Alice's.
    private let entries: [EntryRecord]
    private let log: BranchHead
    private var bodies = MissingBodies()

    init() {
        var written = HandWrittenLog(by: alice, to: device("bob").userID)
        entries = (1...5).map { written.entry("message \($0)") }
        log = written.end
        bodies.lacks(SequenceSet(2...3), of: log.log, in: log.log.logID, from: nil)
    }

    private func now(_ uptime: Int64) -> Moment { Moment(wallClock: 0, uptime: uptime) }

    private mutating func advance(_ uptime: Int64, holders: [ConnectionID]? = nil) -> [EntriesRead] {
        let holders = holders ?? [first, second]
        return bodies.advance(now: now(uptime)) { _ in holders }
    }

    /// What the disk has: the second and the third entry have no bodies.
    private func held(_ read: EntriesRead) -> [EntryRecord] {
        entries.filter { $0.sequence >= read.from }.prefix(read.countLimit).map { entry in
            guard (2...3).contains(entry.sequence) else { return entry }
            return EntryRecord(
                sequence: entry.sequence, timestamp: entries[0].timestamp, expiry: .max, kind: .unknown,
                content: .withheld(entry.content.hash), chain: entry.chain, checkpoint: entry.checkpoint)
        }
    }

    /// Asks, and answers.
    private mutating func answer(
        _ contents: [EntryContent], marks: [UInt64: Signature] = [:], on link: ConnectionID? = nil
    ) -> ProvedEntries? {
        for read in advance(0) { _ = bodies.read(read, held(read)) }
        let frame = BodiesFrame(
            logID: log.log.logID, first: Place(sequence: 2, chain: entries[1].chain), contents: contents, marks: marks)
        return bodies.take(frame, on: link ?? first)?.entries
    }

    @Test("are asked for from one holder, and from the next one if nothing comes")
    mutating func oneHolder() throws {
        let read = try #require(advance(0).first)
        #expect(read.connectionID == first && read.from == 1)
        let wanted = bodies.read(read, held(read))
        #expect(wanted == WantedBodiesFrame(log: log.log, first: Place(sequence: 2, chain: entries[1].chain), last: 3))
        #expect(bodies.deadline == Timing.fetchPatience)
        let early = advance(Timing.fetchPatience - 1)
        let late = advance(Timing.fetchPatience)
        #expect(early == [] && late.map(\.connectionID) == [second])
        // Nobody is asked twice for what they did not give.
        let later = advance(Timing.fetchPatience * 2)
        #expect(later == [])
    }

    @Test("are not asked of whoever has just passed the entries on without them")
    mutating func carrier() {
        bodies.lacks(SequenceSet(2...3), of: log.log, in: log.log.logID, from: first)
        let links = advance(0).map(\.connectionID)
        #expect(links == [second])
    }

    @Test("are asked of devices of the same user alone where their author gives them to nobody else, and stay so")
    mutating func withheld() throws {
        bodies = MissingBodies()
        bodies.lacks(withheld: SequenceSet(2...3), of: log.log, in: log.log.logID)
        #expect(bodies.lacking(log.log.logID).isEmpty)
        let others = advance(0)
        #expect(others == [])
        let holders = [first, second]
        let read = try #require(bodies.advance(now: now(0), ownLinks: [second]) { _ in holders }.first)
        #expect(read.connectionID == second)
        let hash = entries[1].content.hash
        let mark = WithheldMark.sign(logID: log.log.logID, sequence: 2, hash: hash, with: alice.signingKey)
        let marked = held(read).map { entry in
            var entry = entry
            if entry.sequence == 2 { entry.mark = mark }
            return entry
        }
        #expect(bodies.read(read, marked)?.withWithheld == true)
        let frame = BodiesFrame(
            logID: log.log.logID, first: Place(sequence: 2, chain: entries[1].chain), contents: [entries[1].content],
            marks: [2: mark])
        let taken = bodies.take(frame, on: second)?.entries.records
        #expect(taken?.map(\.content) == [entries[1].content] && taken?.first?.mark == mark)
    }

    @Test("are asked again of a peer who may have got them since")
    mutating func renewed() {
        _ = advance(0, holders: [first])
        _ = advance(Timing.fetchPatience, holders: [first])
        let before = advance(Timing.fetchPatience, holders: [first])
        bodies.renew(log.log.conversationID, on: first)
        let after = advance(Timing.fetchPatience, holders: [first]).map(\.connectionID)
        #expect(before == [] && after == [first])
    }

    @Test("are asked again of a peer who names the end of their log, also where they may be none of this node's user's")
    mutating func namedAgain() {
        bodies.lacks(unowed: SequenceSet(5...5), of: log.log, in: log.log.logID)
        for from in [UInt64(1), 4] {
            let read = advance(0, holders: [first]).first
            #expect(read?.from == from)
            let late = advance(Timing.fetchPatience, holders: [])
            #expect(late == [])
        }
        let tried = advance(0, holders: [first])
        #expect(tried == [])
        var other = log.log
        other = LogDescription(conversationID: other.conversationID, deviceID: other.deviceID, epoch: other.epoch + 1)
        bodies.renew(other, on: first)
        bodies.renew(log.log, on: second)
        let others = advance(0, holders: [first])
        #expect(others == [])
        bodies.renew(log.log, on: first)
        for from in [UInt64(1), 4] {
            let read = advance(0, holders: [first]).first
            #expect(read?.from == from)
            _ = advance(Timing.fetchPatience, holders: [])
        }
    }

    @Test("are asked again of a peer who may have got them while it was asked")
    mutating func renewedWhileAsked() {
        _ = advance(0, holders: [first])
        bodies.renew(log.log.conversationID, on: first)
        let again = advance(Timing.fetchPatience, holders: [first]).map(\.connectionID)
        let later = advance(Timing.fetchPatience * 2, holders: [first])
        #expect(again == [first] && later == [])
    }

    @Test("are asked for where more is known of what this node's user may have, also of whoever was asked before")
    mutating func reconsidered() throws {
        let (logID, conversationID) = (log.log.logID, log.log.conversationID)
        bodies.reconsider(conversationID) { _, lacking in lacking }
        #expect(bodies.lacking(logID).isEmpty)
        let read = try #require(advance(0, holders: [first]).first)
        _ = bodies.read(read, held(read))
        let none = answer([.withheld(entries[1].content.hash), .withheld(entries[2].content.hash)])
        let before = advance(0, holders: [first])
        bodies.reconsider(conversationID) { _, _ in SequenceSet() }
        let after = advance(0, holders: [first])
        #expect(none?.isEmpty == true && before == [] && after.map(\.connectionID) == [first])
        #expect(bodies.lacking(logID).ranges == [2...3])
    }

    @Test(
        "that this node's user may not have are asked again only of whoever gave no answer", arguments: [true, false])
    mutating func unanswered(isAnswered: Bool) throws {
        bodies.reconsider(log.log.conversationID) { _, lacking in lacking }
        let read = try #require(advance(0, holders: [first]).first)
        _ = bodies.read(read, held(read))
        if isAnswered {
            _ = answer([.withheld(entries[1].content.hash), .withheld(entries[2].content.hash)])
        }
        let late = advance(Timing.fetchPatience, holders: [first])
        bodies.renew(log.log.conversationID, on: first)
        let renewed = advance(Timing.fetchPatience, holders: [first])
        #expect(late == [] && renewed.map(\.connectionID) == (isAnswered ? [] : [first]))
    }

    @Test("are taken where their hashes fit, as far as they come")
    mutating func taken() {
        let taken = answer([entries[1].content, .withheld(entries[2].content.hash)])
        #expect(taken?.records == [entries[1]] && taken?.bodies.first?.map(\.kind) == .text)
        // The rest is asked of the next one.
        let next = advance(0)
        #expect(next.map(\.connectionID) == [second])
    }

    @Test("are not taken where the hash is another, or from whoever was not asked")
    mutating func wrong() {
        let forged = answer([.body([1, 2, 3]), entries[1].content])
        #expect(forged?.isEmpty == true)
        let unasked = answer([entries[1].content], on: ConnectionID(9))
        #expect(unasked == nil)
    }

    @Test("are not to come any more where their author has marked that")
    mutating func marked() {
        let hash = entries[1].content.hash
        let wrong = WithheldMark.sign(logID: log.log.logID, sequence: 3, hash: hash, with: alice.signingKey)
        let refused = answer([.withheld(hash), .withheld(entries[2].content.hash)], marks: [2: wrong])
        let mark = WithheldMark.sign(logID: log.log.logID, sequence: 2, hash: hash, with: alice.signingKey)
        let taken = answer([.withheld(hash)], marks: [2: mark], on: second)
        #expect(refused?.isEmpty == true && taken?.records.map(\.mark) == [mark])
    }

    @Test("count as missing until the disk has them, and wait for entries of their branch that are older news")
    mutating func written() throws {
        let taken = try #require(answer([entries[1].content, entries[2].content]))
        let found = MissingBodies.Found(
            logID: log.log.logID, conversation: .direct(alice.userID, alice.userID), authorID: alice.userID,
            entries: taken)
        bodies.add(found)
        #expect(bodies.lacking(log.log.logID).ranges == [2...3] && bodies.load.bytes > 0)
        let early = bodies.takeFound { _ in true }
        let now = bodies.takeFound { _ in false }
        #expect(early.isEmpty && now.count == 1)
        bodies.writeAgain(now)
        #expect(bodies.hasFound)
        for found in bodies.takeFound(where: { _ in false }) { bodies.written(found) }
        #expect(bodies.isEmpty && bodies.lacking(log.log.logID).isEmpty)
    }

    @Test(
        "say when their entries were written, whether or not they say anything else",
        arguments: [nil, EntryKind.disregarded, .cutOff, .misplaced])
    mutating func times(silence: EntryKind?) throws {
        var taken = try #require(answer([entries[1].content, entries[2].content]))
        if let silence { for index in taken.indices { taken.silence(index, as: silence) } }
        var logs = Logs(author: LogAuthor(device("bob")))
        let guessed = LogHead(sequence: 3, chain: entries[2].chain, timestamp: entries[0].timestamp)
        logs.proved(IncomingLog(description: log.log, authorID: alice.userID, head: guessed))
        logs.note(timesOf: taken, in: log.log.logID)
        #expect(logs.proved(log.log.logID)?.proved.timestamp == entries[2].timestamp)
    }

    @Test("are asked for no more once their author has taken them back, and nobody else can")
    mutating func takenBack() {
        func retraction(of sequence: UInt64) -> EntryRecord {
            let place = log.log.place(entries[Int(sequence) - 1].place)
            return EntryRecord(
                sequence: 6, timestamp: entries[4].timestamp, expiry: .max, kind: .retract, content: entries[4].content,
                chain: entries[4].chain, relation: .retraction(of: place))
        }
        var logs = Logs(author: LogAuthor(device("bob")))
        let head = LogHead(sequence: 5, chain: entries[4].chain, timestamp: entries[4].timestamp)
        logs.proved(IncomingLog(description: log.log, authorID: alice.userID, head: head))
        let logID = log.log.logID
        #expect(bodies.giveUp(retractedIn: [retraction(of: 2)], by: device("bob").userID, logs) == [])
        #expect(bodies.giveUp(retractedIn: [retraction(of: 1)], by: alice.userID, logs) == [])
        let given = bodies.giveUp(retractedIn: [retraction(of: 2)], by: alice.userID, logs)
        #expect(given == [MessageID(log: logID, sequence: 2)] && bodies.lacking(logID).ranges == [3...3])
        _ = bodies.giveUp(retractedIn: [retraction(of: 3)], by: alice.userID, logs)
        #expect(bodies.isEmpty)
    }

    @Test("are bounded for each branch")
    func room() {
        var more = SequenceSet()
        for sequence in stride(from: UInt64(10), to: UInt64(10 + 2 * Limits.missingRanges), by: 2) {
            more.insert(sequence)
        }
        #expect(!bodies.hasRoom(for: more, in: log.log.logID))
        #expect(bodies.hasRoom(for: SequenceSet(7...9), in: log.log.logID))
    }
}
