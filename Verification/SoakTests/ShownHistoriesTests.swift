import Testing

@testable import EarshotSoak

/// Alice has two devices, Bob one. The first device shows one message of hers and one of Bob's.
@Suite("What devices show")
struct ShownHistoriesTests {
    private let mine = ShownHistoriesTests.message("a-1", by: "alice", states: ["bob": "delivered"])
    private let his = ShownHistoriesTests.message("b-1", by: "bob", states: ["alice": "read"])

    private static func message(
        _ id: String, by senderID: String, text: String = "hello", isRetracted: Bool = false,
        states: [String: String] = [:]
    ) -> ShownMessage {
        ShownMessage(
            id: id, senderID: senderID, text: isRetracted ? "" : text, isRetracted: isRetracted, isDeleted: false,
            states: states)
    }

    private func device(
        _ userID: String = "alice", _ number: Int = 1, shows messages: [ShownMessage], unread: Int = 0
    ) -> ShownHistories {
        let device = GroupDevice(user: userID == "alice" ? 1 : 2, number: number)
        return ShownHistories(device: device, userID: userID, histories: ["#crew": messages], unread: ["#crew": unread])
    }

    private func differences(_ there: [ShownMessage], unread: Int = 0) -> Int {
        device(shows: [mine, his]).differences(from: device("alice", 2, shows: there, unread: unread)).count
    }

    @Test("is the same where all of it is")
    func same() { #expect(differences([mine, his]) == 0) }

    @Test("differs by a message that only one of them shows")
    func missing() {
        #expect(differences([mine]) == 1)
        #expect(differences([mine, his, Self.message("b-2", by: "bob")]) == 1)
    }

    @Test("differs by a state, a text, a place, and by what is unread")
    func details() {
        #expect(differences([Self.message("a-1", by: "alice", states: ["bob": "sent"]), his]) == 1)
        #expect(differences([mine, Self.message("b-1", by: "bob", text: "hi", states: his.states)]) == 1)
        #expect(differences([his, mine]) == 1)
        #expect(differences([mine, his], unread: 1) == 1)
    }

    @Test("does not differ by the place of what was taken back")
    func takenBack() {
        let taken = Self.message("b-1", by: "bob", isRetracted: true, states: his.states)
        let first = device(shows: [mine, taken])
        #expect(first.differences(from: device("alice", 2, shows: [taken, mine])).isEmpty)
        #expect(first.differences(from: device("alice", 2, shows: [mine, his])).count == 1)
    }

    @Test(
        "is what their authors are told",
        arguments: [
            ("delivered", true, 0), ("delivered", false, 1), ("read", false, 1), ("handled", false, 1),
            ("sent", false, 0),
            ("queued", true, 0), ("failed: removed", true, 1), ("failed: cancelled", false, 0),
        ])
    func told(state: String, isShown: Bool, count: Int) {
        let author = device(shows: [Self.message("a-1", by: "alice", states: ["bob": state])])
        let recipient = device("bob", shows: isShown ? [Self.message("a-1", by: "alice")] : [])
        #expect(author.untruths(about: recipient).count == count)
        #expect(recipient.untruths(about: author).isEmpty)
    }

    @Test("is delivered also where it was taken back, and not where it has another text")
    func text() {
        let author = device(shows: [mine])
        let taken = device("bob", shows: [Self.message("a-1", by: "alice", isRetracted: true)])
        let other = device("bob", shows: [Self.message("a-1", by: "alice", text: "other")])
        #expect(author.untruths(about: taken).isEmpty)
        #expect(author.untruths(about: other).count == 1)
    }
}
