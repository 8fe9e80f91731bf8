import EarshotModel
import EarshotSimulation
import Testing

@Suite("What entries make of a message")
struct MessageChangesTests {
    private let alice = UserID(Self.bytes32(1))
    private let bob = UserID(Self.bytes32(2))
    private let target = LogPlace(logID: LogID(Self.bytes32(9)), sequence: 1, chain: ChainHash(Self.bytes32(9)))

    private static func bytes32(_ number: UInt8) -> Bytes32 {
        guard let bytes = Bytes32([UInt8](repeating: number, count: Bytes32.count)) else {
            preconditionFailure("thirty-two bytes are an identifier")
        }
        return bytes
    }

    /// An entry that says something about the message.
    private struct Entry: Hashable {
        let relation: EntryRelation
        let userID: UserID
        let stamp: EntryStamp
        let messageID: MessageID
    }

    private func entry(_ relation: EntryRelation, by userID: UserID, at time: Int64, log: UInt8 = 3) -> Entry {
        let logID = LogID(Self.bytes32(log))
        let place = LogPlace(logID: logID, sequence: UInt64(time), chain: ChainHash(Self.bytes32(UInt8(time))))
        return Entry(
            relation: relation, userID: userID,
            stamp: EntryStamp(timestamp: HybridTimestamp(milliseconds: time), place: place),
            messageID: MessageID(log: logID, sequence: UInt64(time)))
    }

    private func edit(_ counter: UInt64, by userID: UserID? = nil, at time: Int64, log: UInt8 = 3) -> Entry {
        entry(.edit(of: target, counter: counter), by: userID ?? alice, at: time, log: log)
    }

    private func reaction(
        _ emoji: String, _ counter: UInt64, by userID: UserID, at time: Int64, isRemoved: Bool = false
    ) -> Entry {
        entry(
            .reaction(to: target, emoji: emoji, counter: counter, isRemoved: isRemoved), by: userID, at: time,
            log: userID == alice ? 3 : 4)
    }

    private func changes(_ entries: some Sequence<Entry>) -> MessageChanges {
        var changes = MessageChanges(authorID: alice)
        for entry in entries { changes.note(entry.relation, by: entry.userID, at: entry.stamp, in: entry.messageID) }
        return changes
    }

    @Test("show the text of the last edit")
    func edits() {
        let entries = [edit(1, at: 5), edit(2, at: 6)]
        #expect(changes(entries).edit == entries[1].messageID)
        #expect(changes([]).edit == nil)
        #expect(changes(entries).nextEdit == 3)
    }

    @Test("let an edit wait whose predecessor is missing, until it is here")
    func missing() {
        let entries = [edit(1, at: 5), edit(2, at: 6), edit(3, at: 7)]
        #expect(changes([entries[0], entries[2]]).edit == entries[0].messageID)
        #expect(changes([entries[2]]).edit == nil)
        #expect(changes(entries.reversed()).edit == entries[2].messageID)
    }

    @Test("take the later of two edits with one counter, which two devices of the author wrote")
    func concurrent() {
        let entries = [edit(1, at: 5, log: 7), edit(1, at: 6, log: 3)]
        #expect(changes(entries).edit == entries[1].messageID)
        // At one time the log decides.
        let together = [edit(1, at: 5, log: 7), edit(1, at: 5, log: 3)]
        #expect(changes(together).edit == together[0].messageID)
        #expect(changes(together.reversed()).edit == together[0].messageID)
    }

    @Test("let nobody but the author edit or retract")
    func strangers() {
        let entries = [edit(1, by: bob, at: 5), entry(.retraction(of: target), by: bob, at: 6)]
        #expect(changes(entries) == changes([]))
    }

    @Test("end with a retraction, which no later edit beats")
    func retraction() {
        let entries = [
            edit(1, at: 5), reaction("👍", 1, by: bob, at: 5), entry(.retraction(of: target), by: alice, at: 6),
            edit(2, at: 7),
        ]
        for order in [entries, entries.reversed()] {
            #expect(changes(order).isRetracted)
            #expect(changes(order).edit == nil && changes(order).reactions.isEmpty)
        }
    }

    @Test("show each emoji once with all who react, the first one first")
    func reactions() {
        let entries = [
            reaction("🎉", 1, by: bob, at: 7), reaction("👍", 1, by: alice, at: 8), reaction("👍", 1, by: bob, at: 5),
        ]
        let expected = [Reaction(emoji: "👍", userIDs: [bob, alice]), Reaction(emoji: "🎉", userIDs: [bob])]
        #expect(changes(entries).reactions == expected)
        #expect(changes(entries.reversed()).reactions == expected)
    }

    @Test("take a reaction back, and give it again, by the counter and not by the time")
    func again() {
        let entries = [
            reaction("👍", 1, by: bob, at: 9), reaction("👍", 2, by: bob, at: 8, isRemoved: true),
            reaction("👍", 3, by: bob, at: 7),
        ]
        #expect(changes(entries.prefix(2)).reactions.isEmpty)
        #expect(!changes(entries.prefix(2)).reacts(bob, with: "👍"))
        #expect(changes(entries).reacts(bob, with: "👍"))
        // A removal whose predecessor is missing takes nothing back.
        #expect(changes([entries[0], entries[2]]).reacts(bob, with: "👍"))
        #expect(changes(entries).nextReaction("👍", by: bob) == 4 && changes(entries).nextReaction("👍", by: alice) == 1)
    }

    @Test("are the same in whatever order the entries come", arguments: 0..<200 as Range<UInt64>)
    func anyOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let entries = (1...40).map { (time: Int64) -> Entry in
            let userID = Bool.random(using: &random) ? alice : bob
            let counter = UInt64.random(in: 1...4, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: return entry(.retraction(of: target), by: bob, at: time)
            case 1 where seed % 3 == 0: return entry(.retraction(of: target), by: userID, at: time)
            case 2..<10: return edit(counter, by: userID, at: time, log: .random(in: 3...5, using: &random))
            default:
                return reaction(
                    ["👍", "🎉", "no"].randomElement(using: &random) ?? "", counter, by: userID, at: time,
                    isRemoved: Bool.random(using: &random))
            }
        }
        let expected = changes(entries)
        for _ in 0..<5 { #expect(changes(entries.shuffled(using: &random)) == expected) }
        // Twice is once.
        #expect(changes(entries + entries) == expected)
    }
}

@Suite("Entries that replace each other")
struct SuccessionTests {
    private func stamp(_ time: Int64) -> EntryStamp {
        EntryStamp(
            timestamp: HybridTimestamp(milliseconds: time),
            place: LogPlace(logID: LogID(Bytes32()), sequence: 1, chain: ChainHash(Bytes32())))
    }

    @Test("stand at the highest counter that is reached without a gap")
    func gap() {
        var steps = Succession<String>()
        #expect(steps.standing == nil && steps.counter == 0)
        steps.note("third", counter: 3, at: stamp(1))
        #expect(steps.standing == nil)
        steps.note("first", counter: 1, at: stamp(9))
        #expect(steps.standing == "first")
        steps.note("second", counter: 2, at: stamp(5))
        #expect(steps.standing == "third" && steps.counter == 3)
    }

    @Test("do not follow one that claims the highest counter of all")
    func greedy() {
        var steps = Succession<String>()
        steps.note("first", counter: 1, at: stamp(1))
        steps.note("greedy", counter: UInt64(Int64.max), at: stamp(2))
        #expect(steps.standing == "first" && steps.counter == 1)
    }
}
