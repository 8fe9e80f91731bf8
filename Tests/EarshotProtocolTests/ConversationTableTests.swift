import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The open conversations of a user")
struct ConversationTableTests {
    private let alice = device("alice").userID
    private let bob = device("bob").userID
    private let general = ConversationID.open("general", networkTag: "open")
    private var table = ConversationTable(
        userID: device("alice").userID, deviceID: device("alice").deviceID)

    private func entry(_ kind: EntryKind, at time: UInt64) -> EntryRecord {
        EntryRecord(
            sequence: time, timestamp: HybridTimestamp(rawValue: time), expiry: .max, kind: kind,
            content: .body([]), chain: .origin(of: HandWrittenLog(by: device("bob"), to: alice).logID))
    }

    /// What a commit with these entries makes true.
    private mutating func adopt(_ entries: [EntryRecord], by userID: UserID) -> [Participant] {
        guard var record = table[general] else { return [] }
        _ = record.note(entries, by: userID, isOwn: userID == alice)
        return table.adopt(record)
    }

    @Test("are joined with the entry that says so, and not before it is on the disk")
    mutating func joining() throws {
        let record = try table.prepare(general, uniqueName: "general", isAdvertised: true)
        #expect(record?.uniqueName == "general" && !table.isJoined(general))
        #expect(throws: ProtocolError.self) { try table.checkJoined(general) }
        let news = adopt([entry(.join, at: 1)], by: alice)
        #expect(news.map(\.status) == [.joined] && table.isJoined(general))
        let again = try table.prepare(general, uniqueName: "general", isAdvertised: true)
        #expect(again == nil)
    }

    @Test("have as participants whoever said last that they join, in whatever order that came")
    mutating func participants() throws {
        _ = try table.prepare(general, uniqueName: "general", isAdvertised: false)
        _ = adopt([entry(.leave, at: 5)], by: bob)
        let late = adopt([entry(.join, at: 2)], by: bob)
        #expect(late.isEmpty && table[general]?.participants[bob]?.status == .left)
        let back = adopt([entry(.join, at: 7)], by: bob)
        #expect(back.map(\.status) == [.joined] && table[general]?.record.participantIDs == [bob])
    }

    @Test("are left on all devices of the user by what one of them has written")
    mutating func leaving() throws {
        _ = try table.prepare(general, uniqueName: "general", isAdvertised: false)
        _ = adopt([entry(.join, at: 1), entry(.leave, at: 2)], by: alice)
        #expect(!table.isJoined(general) && table.joined.isEmpty && table.all.count == 1)
    }

    @Test("are kept up to a limit, and the error says which")
    mutating func limit() throws {
        for number in 0..<Limits.conversationsOfMany {
            let name = "room \(number)"
            _ = try table.prepare(.open(name, networkTag: "open"), uniqueName: name, isAdvertised: false)
        }
        let error = #expect(throws: ProtocolError.self) {
            try table.prepare(general, uniqueName: "general", isAdvertised: false)
        }
        #expect(error?.code == .tooManyConversations)
    }

    @Test("go into a commit, and again into the next one where the disk refuses it")
    mutating func written() throws {
        _ = try table.prepare(general, uniqueName: "general", isAdvertised: false)
        let taken = table.takeUnwritten()
        #expect(taken.map(\.conversationID) == [general] && !table.hasUnwritten)
        table.writeAgain(taken)
        #expect(table.hasUnwritten)
    }
}
