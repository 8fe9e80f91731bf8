import EarshotModel
import Testing

@testable import EarshotProtocol

/// Bob's node holds six entries of a log of Alice's, and her device wants it.
@Suite("Giving a peer what it asks for")
struct GivingTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let now = Moment(wallClock: 0, uptime: 1_000)
    private let connectionID = ConnectionID(1)
    private var giving = Giving()
    private var written: HandWrittenLog
    private let entries: [EntryRecord]

    init() {
        var log = HandWrittenLog(by: alice, to: bob.userID)
        entries = (1...6).map { log.entry("\($0)") }
        written = log
    }

    private var origin: Place { LogHead.origin(of: written.logID).place }

    private func chains(of entries: [EntryRecord]) -> [LogID: [UInt64: ChainHash]] {
        [written.logID: entries.reduce(into: [:]) { $0[$1.sequence] = $1.chain }]
    }

    /// She wants all up to an entry.
    private func wanted(through end: EntryRecord, knowing places: [Place]? = nil) -> WantedFrame {
        WantedFrame(log: written.record.description, end: end.head.place, known: places ?? [origin])
    }

    private mutating func begin(_ entries: [EntryRecord], knowing places: [Place]? = nil) throws -> Place? {
        guard let end = entries.last else { return nil }
        return try giving.begin(
            wanted(through: end, knowing: places), on: connectionID, branches: chains(of: entries), now: now)
    }

    private mutating func reads(_ now: Moment? = nil) -> [EntriesRead] {
        giving.takeReads(on: connectionID, to: alice.userID, now: now ?? self.now)
    }

    private mutating func frame(_ entries: [EntryRecord], _ read: EntriesRead) throws -> EntriesFrame? {
        try giving.frame(of: entries.filter { $0.sequence >= read.from }, read, to: alice.userID, now: now)
    }

    @Test("gives nothing that is not there")
    mutating func unknown() throws {
        let known = chains(of: Array(entries.prefix(5)))
        let error = #expect(throws: ProtocolError.self) {
            try giving.begin(wanted(through: entries[5]), on: connectionID, branches: known, now: now)
        }
        #expect(error?.code == .violation && !giving.isGiving(on: connectionID))
    }

    @Test("begins behind the last place that the peer names and the branch has")
    mutating func start() throws {
        var other = HandWrittenLog(by: alice, to: bob.userID)
        _ = other.entry("1")
        let foreign = other.entry("of another branch").head.place
        let named = [origin, entries[0].head.place, foreign, entries[2].head.place]
        #expect(try begin(entries, knowing: named) == entries[2].head.place)
        let read = try #require(reads().first)
        #expect(read.from == 4 && read.logID == written.logID)
        #expect(try frame(entries, read)?.previousChain == entries[2].chain)
    }

    @Test("asks for other places where none of those that it is told is in the branch, or comes before its end")
    mutating func nowhere() throws {
        let early = Array(entries.prefix(4))
        #expect(try begin(early, knowing: [Place(sequence: 2, chain: entries[0].chain)]) == nil)
        var chains = chains(of: entries)
        chains[written.logID]?[3] = nil
        let late = try giving.begin(
            wanted(through: early[3], knowing: [entries[4].head.place, entries[2].head.place]), on: connectionID,
            branches: chains, now: now)
        #expect(late == nil && !giving.isGiving(on: connectionID))
    }

    @Test("gives the branch that has the end, not another one of the same log")
    mutating func branch() throws {
        var other = HandWrittenLog(by: alice, to: bob.userID)
        let (common, differs) = (other.entry("1"), other.entry("of another branch"))
        let branchID = LogID.branch(of: written.record.description, from: 2, differs.chain)
        let branches: [LogID: [UInt64: ChainHash]] = [
            written.logID: [1: entries[0].chain, 2: entries[1].chain],
            branchID: [1: common.chain, 2: differs.chain],
        ]
        let start = try giving.begin(
            wanted(through: differs, knowing: [origin, common.head.place]), on: connectionID, branches: branches,
            now: now)
        #expect(start == common.head.place)
        #expect(reads().map(\.logID) == [branchID])
    }

    @Test("forgets what a peer asked for before when it asks for the log once more")
    mutating func again() throws {
        _ = try begin(entries)
        #expect(try begin(Array(entries.prefix(3))) == origin)
        let read = try #require(reads().first)
        let frame = try frame(entries, read)
        #expect(frame?.contents.count == 3)
        let more = reads()
        #expect(more.isEmpty)
    }

    /// A peer wants a log of one entry.
    private mutating func want(_ epoch: UInt64, at time: Int64 = 0) throws -> (LogID, EntryRecord) {
        var log = HandWrittenLog(by: alice, to: bob.userID, epoch: epoch)
        let entry = log.entry("one")
        let wanted = WantedFrame(
            log: log.record.description, end: entry.head.place, known: [LogHead.origin(of: log.logID).place])
        _ = try giving.begin(
            wanted, on: connectionID, branches: [log.logID: [1: entry.chain]],
            now: Moment(wallClock: 0, uptime: now.uptime + time))
        return (log.logID, entry)
    }

    @Test("gives so many logs at once over a link, and lets go of what moved least lately")
    mutating func limit() throws {
        var wanted: [LogID] = []
        for epoch in 1...UInt64(Limits.askedBranchesPerLink) {
            wanted.append(try want(epoch, at: epoch == 2 ? 0 : Int64(epoch)).0)
        }
        wanted.append(try want(100, at: 100).0)
        wanted.remove(at: 1)
        #expect(giving.load.branches == Limits.askedBranchesPerLink)
        #expect(Set(reads().map(\.logID)) == Set(wanted))
    }

    @Test("lets go of what has gone out to its end before what the peer still waits for")
    mutating func wholeBranch() throws {
        for epoch in 1...UInt64(Limits.askedBranchesPerLink) - 1 { _ = try want(epoch) }
        let (last, entry) = try want(50, at: 50)
        let all = reads()
        let read = try #require(all.first { $0.logID == last })
        _ = try frame([entry], read)
        let (new, _) = try want(100, at: 100)
        #expect(reads().map(\.logID) == [new])
        giving.taken(last, through: entry.head.place, on: connectionID, now: now)
        #expect(giving.load.branches == Limits.askedBranchesPerLink)
    }

    @Test("gives nothing of what was read for an earlier question about the same branch")
    mutating func earlierRead() throws {
        _ = try begin(entries)
        let read = try #require(reads().first)
        _ = try begin(entries, knowing: [entries[2].head.place])
        let next = try #require(reads().first)
        #expect(try frame(entries, read) == nil)
        #expect(try frame(Array(entries[3...]), next)?.firstSequence == 4)
    }

    @Test("gives one frame after the other, up to a checkpoint and no further than the end that was named")
    mutating func frames() throws {
        var entries = entries
        entries[0].checkpoint = nil
        entries[2].checkpoint = nil
        _ = try begin(Array(entries.prefix(3)) + [entries[3]])
        let first = try #require(reads().first)
        // One look at the disk at a time.
        #expect(reads().isEmpty)
        let frame = try #require(try frame(entries, first))
        #expect(frame.contents.count == 4 && frame.checkpoint == entries[3].checkpoint)
        #expect(frame.firstSequence == 1 && frame.previousChain == origin.chain)

        giving = Giving()
        _ = try begin(Array(entries.prefix(4)))
        let read = try #require(reads().first)
        let short = try #require(try self.frame(Array(entries.prefix(3)), read))
        #expect(short.contents.count == 2 && short.checkpoint == entries[1].checkpoint)
        #expect(reads().first?.from == 3)
    }

    @Test("gives nothing that no checkpoint proves")
    mutating func unproved() throws {
        var entries = entries
        for index in entries.indices { entries[index].checkpoint = nil }
        _ = try begin(entries)
        let read = try #require(reads().first)
        let error = #expect(throws: ProtocolError.self) { try frame(entries, read) }
        #expect(error?.code == .storage)
    }

    @Test("says of a content that was deleted when it was written, and passes its author's marks on")
    mutating func deletedAndMarked() throws {
        var entries = entries
        let mark = WithheldMark.sign(
            logID: written.logID, sequence: 2, hash: entries[1].content.hash, with: alice.signingKey)
        entries[0] = EntryRecord(
            sequence: 1, timestamp: entries[0].timestamp, expiry: .max, kind: .text,
            content: .withheld(entries[0].content.hash), chain: entries[0].chain, isDeleted: true)
        entries[1] = EntryRecord(
            sequence: 2, timestamp: entries[1].timestamp, expiry: .max, kind: .unknown,
            content: .withheld(entries[1].content.hash), chain: entries[1].chain)
        entries[1].mark = mark
        _ = try begin(entries)
        let read = try #require(reads().first)
        let frame = try #require(try frame(entries, read))
        #expect(frame.deleted == [1: entries[0].timestamp] && frame.marks == [2: mark])
    }

    @Test("lets so many frames be under way, and gives the next when the peer has one on its disk")
    mutating func underWay() throws {
        var log = HandWrittenLog(by: alice, to: bob.userID)
        let text = String(repeating: "x", count: Limits.textBytes)
        let many = (0..<4 * Limits.givenFrames).map { _ in log.entry(text) }
        _ = try giving.begin(
            WantedFrame(log: log.record.description, end: log.head.place, known: [origin]), on: connectionID,
            branches: chains(of: many), now: now)
        var ends: [Place] = []
        while let read = reads(Moment(wallClock: 0, uptime: .max / 2)).first {
            let frame = try giving.frame(
                of: many.filter { $0.sequence >= read.from }, read, to: alice.userID,
                now: Moment(wallClock: 0, uptime: .max / 2))
            let contents = try #require(frame).contents.count
            ends.append(many[Int(read.from) + contents - 2].head.place)
        }
        #expect(ends.count == Limits.givenFrames)
        giving.taken(log.logID, through: ends[1], on: connectionID, now: now)
        #expect(giving.isGiving(on: connectionID))
        let next = reads(Moment(wallClock: 0, uptime: .max / 2))
        #expect(next.map(\.from) == [ends[7].sequence + 1])
    }

    @Test("is over when the peer has all of it on its disk, or the link ends")
    mutating func over() throws {
        _ = try begin(entries)
        let read = try #require(reads().first)
        _ = try frame(entries, read)
        #expect(giving.isGiving(on: connectionID))
        giving.taken(written.logID, through: entries[5].head.place, on: connectionID, now: now)
        #expect(!giving.isGiving(on: connectionID) && giving.connections.isEmpty)

        _ = try begin(entries)
        let late = try #require(reads().first)
        giving.end(on: connectionID)
        #expect(try frame(entries, late) == nil)
    }

    @Test(
        "lets a user wait who was given much, or for whom much was read of which little can be given",
        arguments: [true, false])
    mutating func budget(hasCheckpoints: Bool) throws {
        var log = HandWrittenLog(by: alice, to: bob.userID)
        let text = String(repeating: "x", count: Limits.textBytes / 2)
        var entries = [log.entry("small")] + (0..<6).map { _ in log.entry(text) }
        if !hasCheckpoints { for index in entries.indices.dropFirst() { entries[index].checkpoint = nil } }
        let cost = entries.reduce(0) { $0 + $1.windowBytes } / (hasCheckpoints ? 1 : 4)
        var count = 0
        while count < 10_000 {
            _ = try giving.begin(
                WantedFrame(log: log.record.description, end: log.head.place, known: [origin]), on: connectionID,
                branches: chains(of: entries), now: now)
            guard let read = reads().first else { break }
            _ = try giving.frame(of: entries, read, to: alice.userID, now: now)
            count += 1
        }
        #expect(count <= Limits.returnedBytes / cost + 1)
        #expect(giving.isPostponed(on: connectionID, to: alice.userID, now: now))
        let later = Moment(wallClock: 0, uptime: now.uptime + 60_000)
        #expect(!giving.isPostponed(on: connectionID, to: alice.userID, now: later))
        #expect(reads(later).count == 1)
    }
}
