import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("What peers hold and this node lacks")
struct FetchingTests {
    private let alice = device("alice")
    private let bob = device("bob")
    private let first = ConnectionID(1)
    private let second = ConnectionID(2)
    private var fetching: Fetching

    init() { fetching = Fetching(deviceID: alice.deviceID) }

    private func now(_ uptime: Int64) -> Moment { Moment(wallClock: 0, uptime: uptime) }

    /// The end of a log with so many entries.
    private func end(by author: LocalDevice, epoch: UInt64 = 1, count: Int = 1, text: String = "") -> BranchHead {
        var log = HandWrittenLog(
            by: author, to: author.userID == alice.userID ? bob.userID : alice.userID, epoch: epoch)
        for number in 1...count { _ = log.entry("\(text)\(number)") }
        return log.end
    }

    private mutating func want(_ head: BranchHead, from links: ConnectionID...) {
        for link in links {
            let isNoted = fetching.want(head, from: link)
            #expect(isNoted)
        }
    }

    private mutating func advance(_ uptime: Int64, mayAsk: (ConnectionID) -> Bool = { _ in true }) -> [Fetching.Action]
    {
        fetching.advance(now: now(uptime), mayAsk: mayAsk)
    }

    @Test("is asked for from one holder at a time")
    mutating func oneHolder() {
        let head = end(by: bob)
        want(head, from: first, second)
        #expect(advance(0) == [.ask(first, head, .heads)])
        #expect(advance(Timing.fetchPatience - 1) == [])
        #expect(fetching.asked(over: first) == [head] && fetching.asked(over: second) == [])
    }

    @Test("is asked for only where the peer has said all that it holds")
    mutating func allHeads() {
        let head = end(by: bob)
        want(head, from: first, second)
        let actions = advance(0) { [second] in $0 == second }
        #expect(actions == [.ask(second, head, .heads)])
    }

    @Test("is not asked for in the pause of its conversation, and after that from the same links")
    mutating func paused() {
        let head = end(by: alice)
        want(head, from: first)
        let id = head.log.conversationID
        let early = fetching.advance(now: now(0), mayAsk: { _ in true }, isPaused: { $0 == id })
        #expect(early == [] && fetching.deadline == .max)
        #expect(advance(1) == [.ask(first, head, .heads)])
    }

    @Test("is asked for from the next holder when nothing has come for a while, and from the first one again after all")
    mutating func nextHolder() {
        let head = end(by: bob)
        want(head, from: first, second)
        _ = advance(0)
        #expect(fetching.deadline == Timing.fetchPatience)
        #expect(advance(Timing.fetchPatience) == [.ask(second, head, .heads)])
        // Who was tried may still send it.
        #expect(fetching.isFetching(head.log.logID, over: first))
        #expect(advance(2 * Timing.fetchPatience) == [.ask(first, head, .heads)])
    }

    @Test("is asked for though the peer has named as much as it is asked for at once, and gives none of that")
    mutating func vainQuestions() {
        let vain = (0..<Limits.askedBranchesPerLink).map { end(by: bob, epoch: UInt64(10 + $0), count: 9) }
        for head in vain { want(head, from: first) }
        let head = end(by: bob)
        want(head, from: first)
        let asked = advance(0)
        #expect(asked.count == Limits.askedBranchesPerLink && !asked.contains(.ask(first, head, .heads)))
        let next = advance(Timing.fetchPatience)
        #expect(next.first == .ask(first, head, .heads))
    }

    @Test("is not wanted of a peer that says anew what it holds, and names less of the log")
    mutating func namesLess() {
        let (long, short) = (end(by: bob, count: 4), end(by: bob, count: 3))
        want(long, from: first)
        want(short, from: first)
        #expect(advance(0) == [.ask(first, long, .heads)])
        fetching.names(short, on: first)
        #expect(fetching.namedAll(of: long.log.conversationID, on: first) == [.givenUp(long)])
        #expect(advance(1) == [.ask(first, short, .heads)])
        #expect(fetching.asked(over: first) == [short])
    }

    @Test("stays wanted of a peer that names more of the log, of other peers, and in other conversations")
    mutating func namesMore() {
        let (short, long) = (end(by: bob, count: 3), end(by: bob, count: 4))
        let other = end(by: device("carol"))
        want(short, from: first)
        want(long, from: second)
        want(other, from: first)
        #expect(other.log.conversationID != short.log.conversationID)
        fetching.names(long, on: first)
        #expect(fetching.namedAll(of: short.log.conversationID, on: first) == [])
        #expect(fetching.namedAll(of: other.log.conversationID, on: second) == [])
        #expect(fetching.count == 3)
        // What a series of heads named says nothing of the next.
        #expect(fetching.namedAll(of: short.log.conversationID, on: first) == [.givenUp(short)])
    }

    @Test("stays wanted of a peer that names more logs than are noted")
    mutating func namesTooMany() {
        let head = end(by: bob)
        want(head, from: first)
        for epoch in 2...UInt64(Limits.wantedBranches + 1) {
            let log = LogDescription(
                conversationID: head.log.conversationID, deviceID: bob.deviceID, epoch: epoch)
            fetching.names(BranchHead(log: log, place: head.place), on: first)
        }
        fetching.names(head, on: first)
        #expect(fetching.namedAll(of: head.log.conversationID, on: first) == [])
        #expect(fetching.count == 1)
    }

    @Test("may take as long again whenever some of it comes from the one who was asked, and from nobody else")
    mutating func patience() {
        let head = end(by: bob)
        want(head, from: first, second)
        _ = advance(0)
        fetching.moved(head.log.logID, over: second, now: now(1_000))
        #expect(fetching.deadline == Timing.fetchPatience)
        fetching.moved(head.log.logID, over: first, now: now(1_000))
        #expect(fetching.deadline == 1_000 + Timing.fetchPatience)
        #expect(advance(Timing.fetchPatience) == [])
    }

    @Test("is this device's own logs first, and then the longest")
    mutating func order() {
        let heads = [
            end(by: bob, epoch: 1, count: 1), end(by: bob, epoch: 2, count: 5), end(by: alice, epoch: 3, count: 1),
            end(by: alice, epoch: 4, count: 2),
        ]
        for head in heads { want(head, from: first) }
        #expect(advance(0) == [3, 2, 1, 0].map { .ask(first, heads[$0], .heads) })
    }

    @Test("is one branch of a log at a time, the longest first")
    mutating func oneBranch() {
        let (long, short) = (end(by: bob, count: 3), end(by: bob, count: 2, text: "other "))
        want(short, from: first)
        want(long, from: first)
        #expect(advance(0) == [.ask(first, long, .heads)])
        let links = fetching.reached(long.place.chain)
        #expect(links == [first])
        #expect(advance(0) == [.ask(first, short, .heads)])
    }

    @Test("is so many logs at a time over a link")
    mutating func linkLimit() {
        let heads = (1...UInt64(Limits.askedBranchesPerLink + 1)).map { end(by: bob, epoch: $0) }
        for head in heads { want(head, from: first) }
        #expect(advance(0).count == Limits.askedBranchesPerLink)
        #expect(fetching.asked(over: first).count == Limits.askedBranchesPerLink)
        _ = fetching.reached(fetching.asked(over: first)[0].place.chain)
        #expect(advance(0).count == 1)
    }

    @Test("is noted up to a limit; what is noted already may have more holders")
    mutating func limit() {
        let log = end(by: bob).log
        func head(_ number: Int) -> BranchHead {
            var bytes = [UInt8](repeating: 0, count: Bytes32.count)
            (bytes[0], bytes[1]) = (UInt8(number >> 8), UInt8(number & 0xff))
            guard let chain = ChainHash(bytes: bytes) else { preconditionFailure("32 bytes are a hash") }
            return BranchHead(log: log, place: Place(sequence: 1, chain: chain))
        }
        for number in 0..<Limits.wantedBranches { want(head(number), from: first) }
        let hasRoom = fetching.want(head(Limits.wantedBranches), from: first)
        #expect(!hasRoom && fetching.count == Limits.wantedBranches)
        // Nobody fills it for all.
        let other = head(Limits.wantedBranches + 1)
        want(other, from: second)
        #expect(fetching.count == Limits.wantedBranches)
        let actions = advance(0) { [second] in $0 == second }
        #expect(actions == [.ask(second, other, .heads)])
        want(head(0), from: second)
    }

    @Test("is asked for with more places when none of those that were named is in the branch")
    mutating func spaced() {
        let head = end(by: bob, count: 3)
        want(head, from: first, second)
        _ = advance(0)
        // Another one's word counts for nothing.
        #expect(fetching.noneKnown(of: head.log, over: second, now: now(0)) == [])
        #expect(fetching.noneKnown(of: head.log, over: first, now: now(1_000)) == [.ask(first, head, .spaced)])
        #expect(fetching.deadline == 1_000 + Timing.fetchPatience)
    }

    @Test("is not asked for again from who has not even the log's beginning, and given up when nobody is left")
    mutating func noBeginning() {
        let head = end(by: bob, count: 3)
        want(head, from: first, second)
        _ = advance(0)
        _ = fetching.noneKnown(of: head.log, over: first, now: now(0))
        #expect(fetching.noneKnown(of: head.log, over: first, now: now(0)) == [])
        #expect(advance(0) == [.ask(second, head, .heads)])
        _ = fetching.noneKnown(of: head.log, over: second, now: now(0))
        #expect(fetching.noneKnown(of: head.log, over: second, now: now(0)) == [.givenUp(head)])
        #expect(fetching.isEmpty)
    }

    @Test("is asked for elsewhere at once when a link ends, and given up when that was the last one")
    mutating func linkEnds() {
        let head = end(by: bob)
        want(head, from: first, second)
        _ = advance(0)
        #expect(fetching.end(first) == [])
        #expect(advance(0) == [.ask(second, head, .heads)])
        #expect(fetching.end(second) == [.givenUp(head)])
        #expect(fetching.isEmpty && fetching.deadline == .max)
    }

    @Test("is wanted no longer when it is here, from wherever it came")
    mutating func reached() {
        let head = end(by: alice)
        want(head, from: first, second)
        #expect(fetching.isFetching(head.log.conversationID))
        #expect(fetching.isFetching(head.log.conversationID, where: { $0.log.deviceID != alice.deviceID }) == false)
        #expect(fetching.reached(end(by: bob).place.chain) == [])
        #expect(fetching.reached(head.place.chain) == [first, second])
        #expect(fetching.isEmpty && !fetching.isFetching(head.log.conversationID))
    }
}
