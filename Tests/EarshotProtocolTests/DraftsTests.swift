import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Drafts that wait for a person")
struct DraftsTests {
    private var drafts = Drafts()
    private let alice = device("alice").userID
    private let bob = device("bob").userID
    private let now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)

    private func record(
        _ number: Int, in conversationID: ConversationID? = nil, by name: String? = nil, text: String = "draft"
    ) -> DraftRecord {
        DraftRecord(
            MessageDraft(text), draftID: EntryKey(high: 0, low: UInt64(number)),
            in: conversationID ?? .direct(alice, bob), to: .user(bob), by: name, now: now)
    }

    /// A conversation of its own for each number.
    private func conversation(_ number: Int) -> ConversationID {
        .direct(alice, UserID(device("user \(number)").userID.bytes32))
    }

    @Test("are the same after a restart, with everything that a message can say")
    func restart() throws {
        var content = MessageDraft("text", headers: ["a": "b"], timeToLive: .seconds(60))
        content.mentions = [bob]
        let record = DraftRecord(
            content, draftID: EntryKey(high: 0, low: 1), in: .direct(alice, bob), to: .user(bob), by: "quotes",
            now: now)
        let draft = try #require(Drafts([record]).all.first)
        #expect(draft.content == content && draft.destination == .user(bob) && draft.insertedBy == "quotes")
        #expect(draft.id.bytes == record.draftID && draft.conversationID == .direct(alice, bob))
    }

    @Test("are refused where a conversation, a program or the node has as many as it may have; none gives way")
    mutating func bounded() {
        for number in 1...Limits.draftsPerConversation { drafts.apply(.insert(record(number))) }
        #expect(throws: ProtocolError.self) { try drafts.checkRoom(for: record(0)) }
        #expect(throws: Never.self) { try drafts.checkRoom(for: record(0, in: conversation(1))) }
        #expect(drafts.all.count == Limits.draftsPerConversation)
        let first = record(1)
        drafts.apply(.discard(first))
        #expect(throws: Never.self) { try drafts.checkRoom(for: record(0)) }
        #expect(drafts.wasDiscarded(first.draftID))

        let others = (0..<Limits.draftsOfProgram).map { number in
            record(100 + number, in: conversation(2 + number / 10), by: "quotes")
        }
        #expect(throws: ProtocolError.self) {
            try drafts.checkRoom(for: record(0, in: conversation(1), by: "quotes"), after: others)
        }
        #expect(throws: Never.self) {
            try drafts.checkRoom(for: record(0, in: conversation(1), by: "other"), after: others)
        }
    }

    @Test("are of a bounded size together, also when one is changed")
    mutating func size() throws {
        let large = String(repeating: "x", count: Limits.textBytes)
        var number = 0
        while number < Limits.drafts {
            let next = record(number, in: conversation(number / 10), text: large)
            do { try drafts.checkRoom(for: next) } catch {
                #expect(error.code == .tooManyDrafts && error.message.contains("bytes"))
                break
            }
            drafts.apply(.insert(next))
            number += 1
        }
        #expect(number == 255)
        drafts.apply(.insert(record(1000, in: conversation(99), text: "small")))
        let draft = try #require(drafts[EntryKey(high: 0, low: 1000)])
        let changed = record(1000, in: conversation(99), text: large)
            .changed(to: MessageDraft(large + "y"), to: draft.destination, now: now)
        #expect(throws: ProtocolError.self) { try drafts.checkRoom(changing: changed) }
    }

    @Test("that were discarded are remembered by their ids, the last of them")
    mutating func discarded() {
        for number in 0...Limits.discardedDrafts { drafts.apply(.discard(record(number))) }
        #expect(!drafts.wasDiscarded(EntryKey(high: 0, low: 0)))
        #expect(drafts.wasDiscarded(EntryKey(high: 0, low: 1)))
        #expect(drafts.all.isEmpty)
    }
}
