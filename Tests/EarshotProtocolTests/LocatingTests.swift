import EarshotModel
import Testing

@testable import EarshotProtocol

/// The disk has five entries of a log, and frames come of which only it knows where they belong.
@Suite("Where entries belong of which only the disk knows it")
struct LocatingTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let connectionID = ConnectionID(1)
    private var trunk: HandWrittenLog
    private let entries: [EntryRecord]
    private var locating = Locating()

    init() {
        var log = HandWrittenLog(by: alice, to: bob.userID)
        entries = (1...5).map { log.entry("\($0)") }
        trunk = log
    }

    /// The same log up to an entry, from where it can be written differently.
    private func copy(through count: Int) -> HandWrittenLog {
        var log = HandWrittenLog(by: alice, to: bob.userID)
        for number in 0..<count { _ = log.entry("\(number + 1)") }
        return log
    }

    private func head(_ count: Int) -> LogHead { count == 0 ? .origin(of: trunk.logID) : entries[count - 1].head }

    /// Parks a frame, and answers its reads with what a disk has.
    /// - Returns: what was read.
    @discardableResult
    private mutating func locate(
        _ frame: EntriesFrame, on link: ConnectionID? = nil, among disk: [LogID: [EntryRecord]]? = nil,
        branches: [LogID]? = nil, atOnce count: Int = .max
    ) throws -> [EntriesRead] {
        let disk = disk ?? [trunk.logID: entries]
        var reads: [EntriesRead] = []
        var next = try locating.park(frame, on: link ?? connectionID, branches: branches ?? disk.keys.sorted())
        while let read = next {
            reads.append(read)
            let found = disk[read.logID, default: []].filter { $0.sequence >= read.from }
            next = locating.read(read, of: frame.log.logID, Array(found.prefix(min(count, read.countLimit))))
        }
        return reads
    }

    private mutating func placed() -> [Locating.Place] { locating.takePlaced { _, _ in true }.map(\.place) }

    @Test("is there already where the disk has all of them")
    mutating func known() throws {
        let frame = trunk.frame(Array(entries[1...3]), after: head(1))
        let reads = try locate(frame)
        #expect(reads.map(\.from) == [1])
        #expect(locating.isParked(frame.log, on: connectionID))
        #expect(placed() == [.known(trunk.logID)])
        #expect(locating.isEmpty)
    }

    @Test("is behind the end of the branch that has the first of them, or the one before")
    mutating func continues() throws {
        var log = copy(through: 5)
        let more = log.entry("6")
        try locate(log.frame(Array(entries[3...]) + [more], after: head(3)))
        #expect(placed() == [.continues(trunk.logID, known: 2)])
        try locate(log.frame([more], after: head(5)))
        #expect(placed() == [.continues(trunk.logID, known: 0)])
    }

    @Test("is a new branch behind the last entry that they have in common with one", arguments: 0...4)
    mutating func parts(common: Int) throws {
        var log = copy(through: common)
        let others = [log.entry("other"), log.entry("another")]
        let start = max(0, common - 2)
        let frame = log.frame(Array(entries[start..<common]) + others, after: head(start))
        try locate(frame)
        #expect(placed() == [.parts(trunk.logID, after: head(common), known: common - start)])
    }

    @Test("is found where the disk's answer ends before the frame does")
    mutating func manyReads() throws {
        var log = copy(through: 4)
        let other = log.entry("other")
        let reads = try locate(log.frame(Array(entries[..<4]) + [other], after: head(0)), atOnce: 2)
        #expect(reads.map(\.from) == [1, 3, 5])
        #expect(placed() == [.parts(trunk.logID, after: head(4), known: 4)])
    }

    @Test("is looked for in one branch after the other")
    mutating func branches() throws {
        var log = copy(through: 2)
        let others = [log.entry("other"), log.entry("another")]
        let branchID = LogID.branch(of: trunk.record.description, from: 3, others[0].chain)
        let disk = [trunk.logID: entries, branchID: Array(entries[..<2]) + others]
        let last = log.entry("the last")
        let reads = try locate(
            log.frame([last], after: others[1].head), among: disk, branches: [trunk.logID, branchID])
        #expect(reads.map(\.logID) == [trunk.logID, branchID, branchID])
        #expect(placed() == [.continues(branchID, known: 0)])
    }

    @Test("is found along a branch that is here, where they part from another one")
    mutating func follows() throws {
        var log = copy(through: 2)
        let others = [log.entry("other"), log.entry("another")]
        let branchID = LogID.branch(of: trunk.record.description, from: 3, others[0].chain)
        let disk = [trunk.logID: entries, branchID: others]
        let frame = log.frame(Array(entries[..<2]) + others + [log.entry("the last")], after: head(0))
        try locate(frame, among: disk, branches: [trunk.logID, branchID])
        #expect(placed() == [.parts(trunk.logID, after: head(2), known: 2)])
        let read = try #require(
            try locating.park(
                frame, on: connectionID, along: branchID, after: head(2), known: 2, isGiven: false))
        #expect(read.logID == branchID && read.from == 3)
        let next = locating.read(read, of: frame.log.logID, others)
        let isAtEnd = try #require(next).from == 5 && locating.read(try #require(next), of: frame.log.logID, []) == nil
        #expect(isAtEnd && placed() == [.continues(branchID, known: 4)])
    }

    @Test("is nowhere where no branch has the entry before them, or they begin the log with another's hash")
    mutating func nowhere() throws {
        var log = copy(through: 4)
        _ = log.entry("other")
        try locate(log.append("behind it"))
        #expect(placed() == [.nowhere])
        let frame = trunk.frame([entries[0]], after: head(0))
        try locate(
            EntriesFrame(
                log: frame.log, firstSequence: 1, previousChain: entries[3].chain, contents: frame.contents,
                checkpoint: frame.checkpoint))
        #expect(placed() == [.nowhere])
    }

    @Test("is not decided before the branch's turn has come; what is behind them on the link waits, too")
    mutating func turn() throws {
        var log = copy(through: 2)
        let (other, behind) = (log.append("other"), log.append("behind"))
        try locate(other)
        #expect(try locate(behind) == [])
        #expect(locating.takePlaced { _, _ in false }.isEmpty)
        #expect(locating.partings.map(\.branch) == [trunk.logID] && locating.partings.map(\.after) == [head(2)])
        #expect(locating.partings.map(\.frame) == [other] && locating.partings.map(\.connectionID) == [connectionID])
        let placed = locating.takePlaced { frame, _ in frame == other }
        #expect(placed.count == 1 && placed[0].frame == other && placed[0].rest == [behind])
        #expect(locating.isEmpty && locating.partings.isEmpty)
    }

    @Test("is not asked before the disk has what another link has brought of the log")
    mutating func early() throws {
        var log = copy(through: 5)
        let (first, second) = (log.append("6"), log.append("7"))
        let reads = [
            try locating.park(first, on: connectionID, branches: [trunk.logID], isEarly: true),
            try locating.park(second, on: connectionID, branches: [trunk.logID]),
        ]
        #expect(reads == [nil, nil] && placed().isEmpty)
        let unready = locating.takeEarly { _ in false }
        #expect(unready.isEmpty)
        let ready = locating.takeEarly { _ in true }
        #expect(ready.count == 1 && ready[0].connectionID == connectionID && ready[0].frames == [first, second])
        #expect(locating.isEmpty && locating.load == (0, 0))
    }

    @Test("is another matter on another link, and none when the link ends")
    mutating func links() throws {
        let frame = trunk.frame([entries[1]], after: head(1))
        try locate(frame)
        try locate(frame, on: ConnectionID(2))
        #expect(locating.isParked(frame.log.conversationID))
        locating.end(connectionID)
        #expect(!locating.isParked(frame.log, on: connectionID) && locating.isParked(frame.log, on: ConnectionID(2)))
        #expect(placed() == [.known(trunk.logID)])
        // An answer that comes after the end is about nothing.
        let read = try #require(try locating.park(frame, on: connectionID, branches: [trunk.logID]))
        locating.end(connectionID)
        #expect(locating.read(read, of: trunk.logID, entries) == nil && locating.isEmpty)
    }

    @Test("is looked for anew when the log has become shorter meanwhile")
    mutating func relocated() throws {
        var log = copy(through: 4)
        let frame = log.frame(Array(entries[2...3]) + [log.entry("other")], after: head(2))
        try locate(frame)
        #expect(locating.partings.map(\.after) == [head(4)])
        let reads = locating.relocate(frame.log, branches: [trunk.logID])
        #expect(reads.map(\.from) == [2] && locating.partings.isEmpty)
        var next = reads.first
        while let read = next {
            next = locating.read(read, of: frame.log.logID, entries.prefix(4).filter { $0.sequence >= read.from })
        }
        #expect(placed() == [.continues(trunk.logID, known: 2)])
    }

    @Test("is held for as much on a link of what its peer passes on, which breaks no rule where it is more")
    mutating func given() throws {
        let text = String(repeating: "x", count: Limits.textBytes)
        var log = HandWrittenLog(by: alice, to: bob.userID)
        var error: ProtocolError?
        while error == nil {
            do throws(ProtocolError) {
                _ = try locating.park(log.append(text), on: connectionID, branches: [log.logID], isGiven: true)
            } catch let thrown { error = thrown }
        }
        #expect(error?.code == .overloaded && error?.closeReason == .storageFailure)
        #expect(locating.load.link <= Limits.windowBytes + Limits.frameBytes)
        locating.end(connectionID)
        #expect(locating.isEmpty && locating.load == (0, 0))
        _ = try locating.park(log.append(text), on: connectionID, branches: [log.logID])
    }

    @Test("is held for a window of a link, over all logs, and no more; for all links together there is a limit, too")
    mutating func window() throws {
        let text = String(repeating: "x", count: Limits.textBytes)
        var links: UInt64 = 0
        var codes: [ProtocolError.Code] = []
        while codes.last != .overloaded, links < 1_000 {
            links += 1
            var epoch: UInt64 = 1
            do throws(ProtocolError) {
                while epoch < 10_000 {
                    var log = HandWrittenLog(by: alice, to: bob.userID, epoch: epoch)
                    for _ in 0..<2 {
                        _ = try locating.park(log.append(text), on: ConnectionID(links), branches: [log.logID])
                    }
                    epoch += 1
                }
            } catch { codes.append(error.code) }
            #expect(locating.load.link <= Limits.windowBytes + Limits.frameBytes)
        }
        #expect(codes.dropLast().allSatisfy { $0 == .violation } && codes.last == .overloaded)
        #expect(locating.load.all <= Limits.receivedBytes)
        for link in 1...links { locating.end(ConnectionID(link)) }
        #expect(locating.isEmpty && locating.load == (0, 0))
    }
}
