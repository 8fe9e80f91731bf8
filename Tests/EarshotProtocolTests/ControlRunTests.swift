import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A control log without some of its bodies")
struct ControlRunTests {
    private var group = MachineGroup()
    private let record: LogRecord
    private let entries: [EntryRecord]
    private let (bobID, carolID): (UserID, UserID)
    private var conversation: PrivateConversation

    /// Alice founds a conversation, invites Bob, then Carol, and removes Bob.
    init() throws {
        let (alice, bob, carol) = (group.add("alice"), group.add("bob"), group.add("carol"))
        group.dial(alice, bob)
        group.dial(alice, carol)
        (bobID, carolID) = (group.userID(bob), group.userID(carol))
        let salt = [UInt8](repeating: 7, count: ConversationOrigin.saltBytes)
        let ops = ConversationID.private(ConversationOrigin(creatorID: group.userID(alice), salt: salt))
        let draft = ConversationDraft(uniqueName: "ops", invited: [])
        group.request(alice) {
            $0.createConversation(draft, salt: salt, proof: nil, requestID: $1, now: $2)
        }
        for userID in [bobID, carolID] {
            group.request(alice) { $0.invite(userID, to: ops, requestID: $1, now: $2) }
        }
        let removedID = bobID
        group.request(alice) { $0.remove(removedID, from: ops, requestID: $1, now: $2) }
        let commits = group.members[alice].commits
        record = try #require(commits.flatMap(\.logs).last { $0.description.kind == .control })
        let logID = record.logID
        entries = commits.flatMap(\.entries).filter { $0.logID == logID }.flatMap(\.entries)
        try #require(entries.count == 4)
        conversation = PrivateConversation(ops)
    }

    private func stripped(_ entry: EntryRecord) -> EntryRecord {
        EntryRecord(
            sequence: entry.sequence, timestamp: entry.timestamp, expiry: .max, kind: .unknown,
            content: .withheld(entry.content.hash), chain: entry.chain, checkpoint: entry.checkpoint)
    }

    private func place(before entry: EntryRecord) -> Place {
        entries.last { $0.sequence < entry.sequence }?.place ?? record.start.place
    }

    private mutating func take(_ taken: [EntryRecord]) -> Bool {
        conversation.take(
            taken, of: record.description, by: record.authorID, branch: record.logID, after: place(before: taken[0]))
        return conversation.fold()
    }

    private mutating func find(_ found: EntryRecord) -> Bool {
        conversation.takeFound([found], of: record.description, by: record.authorID, branch: record.logID)
        return conversation.fold()
    }

    private var statuses: [Participant.Status?] { [bobID, carolID].map { conversation.membership?.status(of: $0) } }

    @Test("is folded up to the first that is missing, and behind it once the body has come", arguments: [true, false])
    mutating func gap(isAtOnce: Bool) {
        let held = [entries[0], stripped(entries[1]), entries[2], entries[3]]
        if isAtOnce {
            #expect(take(held))
        } else {
            let news = [take([held[0]]), take([held[1]]), take([held[2]]), take([held[3]])]
            #expect(news == [true, false, false, false])
        }
        #expect(statuses == [nil, nil])
        let isNews = find(entries[1])
        #expect(isNews && statuses == [.removed, .invited])
    }

    @Test("is not founded before the body of its first entry has come")
    mutating func founding() {
        #expect(!take([stripped(entries[0])] + entries[1...]))
        #expect(conversation.membership == nil)
        let isNews = find(entries[0])
        #expect(isNews && statuses == [.removed, .invited])
    }

    @Test("waits at each body that is missing")
    mutating func twoGaps() {
        _ = take([entries[0], entries[1], stripped(entries[2]), stripped(entries[3])])
        #expect(statuses == [.invited, nil])
        let early = find(entries[3])
        #expect(!early && statuses == [.invited, nil])
        let late = find(entries[2])
        #expect(late && statuses == [.removed, .invited])
    }
}
