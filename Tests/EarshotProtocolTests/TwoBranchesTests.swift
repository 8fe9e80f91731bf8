import EarshotModel
import EarshotStore
import Testing

@testable import EarshotProtocol

/// Bob's disk was replaced by an older copy, so his device has written one log in two ways.
@Suite("A log that goes on in two ways")
struct TwoBranchesTests {
    private var pair: StoredPair
    private var peer: HandDrivenPeer
    private var trunk: HandWrittenLog
    private let common: [EntryRecord]

    init() throws {
        pair = try StoredPair()
        peer = try HandDrivenPeer(pair.bob.local, beside: &pair, now: pair.now)
        var log = HandWrittenLog(by: pair.bob.local, to: pair.alice.local.userID)
        common = ["one", "two"].map { log.entry($0) }
        trunk = log
    }

    /// A log in frames of so many entries.
    private func frames(_ entries: [EntryRecord], each count: Int) -> [Frame] {
        stride(from: 0, to: entries.count, by: count).map { start in
            let before = start == 0 ? LogHead.origin(of: trunk.logID) : entries[start - 1].head
            return .entries(trunk.frame(Array(entries[start..<min(start + count, entries.count)]), after: before))
        }
    }

    private var ends: Set<ChainHash> {
        get throws { Set(try pair.alice.store.snapshot().logs.map(\.head.chain)) }
    }

    @Test(
        "is taken further along both, also in frames that begin where they are one", arguments: [1, 2, 3, 5],
        [1, 2, 3, 5])
    mutating func further(first: Int, then count: Int) throws {
        var (log, other) = (trunk, trunk)
        let entries = common + ["three", "four"].map { log.entry($0) }
        var others = common + [other.entry("drei")]
        try peer.say([.nothingHeld] + frames(entries, each: first), to: &pair, now: pair.now)
        try peer.say(frames(others, each: first), to: &pair, now: pair.now)
        #expect(try ends == [log.head.chain, other.head.chain])

        others += ["vier", "fünf"].map { other.entry($0) }
        try peer.say(frames(others, each: count), to: &pair, now: pair.now)
        #expect(try ends == [log.head.chain, other.head.chain])
        #expect(!pair.alice.hasHungUp && pair.alice.machine.establishedLinks.count == 1)
    }
}
