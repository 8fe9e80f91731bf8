import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Messages that wait for the disk or for their recipient")
struct OutboxTests {
    private var outbox = Outbox()
    private let bob = ConversationRecord.direct(device("bob").userID, device("alice").userID).conversationID
    private let carol = ConversationRecord.direct(device("carol").userID, device("alice").userID).conversationID

    private mutating func add(
        _ request: UInt64, to conversationID: ConversationID, count: Int = 1, isHeld: Bool = false
    ) throws {
        let drafts = Array(repeating: EntryDraft.message(MessageDraft("text")), count: count)
        let send = PendingSend(
            requestID: RequestID(request),
            parts: [
                .init(
                    conversation: ConversationRecord(
                        conversationID: conversationID, kind: .direct, participantIDs: []), drafts: drafts)
            ])
        try outbox.add(send, isHeld: isHeld, to: "somebody")
    }

    private mutating func takeAll() -> [UInt64] {
        var taken: [UInt64] = []
        while !outbox.isEmpty { taken += outbox.takeForCommit().compactMap(\.requestID?.number) }
        return taken
    }

    @Test("keep the order of their recipient when they are held again before all of them have left")
    mutating func heldTwice() throws {
        try add(1, to: bob)
        outbox.hold(bob)
        try add(2, to: bob, isHeld: true)
        _ = outbox.release { _ in false }
        try add(3, to: bob)
        outbox.hold(bob)
        try add(4, to: bob, isHeld: true)
        try add(5, to: carol)
        _ = outbox.release { _ in false }
        let taken = takeAll()
        #expect(taken == [5, 1, 2, 3, 4])
    }

    @Test("go behind those that are still held, though their recipient is not")
    mutating func behindHeld() throws {
        try add(1, to: bob, count: Limits.pendingSends)
        try add(2, to: carol, isHeld: true)
        _ = outbox.release { _ in false }
        // There was no room for the held one yet.
        try add(3, to: carol)
        let first = takeAll()
        _ = outbox.release { _ in false }
        let second = takeAll()
        #expect(first == [1] && second == [2, 3])
    }

    @Test("wait where they may not go yet, with what follows them to the same conversation, and nothing else does")
    mutating func mayNotGo() throws {
        for request in 1...5 as ClosedRange<UInt64> { try add(request, to: request.isMultiple(of: 2) ? carol : bob) }
        let first = outbox.takeForCommit { $0.requestID != RequestID(2) }.compactMap(\.requestID?.number)
        #expect(first == [1, 3, 5] && outbox.callCount == 2)
        let rest = takeAll()
        #expect(rest == [2, 4])
    }

    @Test("are held up to a limit for all recipients; beyond it they keep their place in the queue for the disk")
    mutating func heldForAll() throws {
        try add(1, to: carol, count: Limits.allHeldSends, isHeld: true)
        try add(2, to: bob)
        try add(3, to: bob)
        outbox.hold(bob)
        #expect(outbox.isEmpty && outbox.count == 2 && outbox.heldTotal.count == Limits.allHeldSends)
        let error = #expect(throws: ProtocolError.self) { try add(4, to: bob, isHeld: true) }
        #expect(error?.code == .overloaded)
        _ = outbox.release { [carol] in $0 == carol }
        let taken = takeAll()
        #expect(taken == [2, 3])
        #expect(outbox.count == 0 && outbox.bytes == 0)
    }

    @Test("are held up to a limit for one recipient, and go on being held for another")
    mutating func heldForOne() throws {
        try add(1, to: bob, count: Limits.heldSends, isHeld: true)
        let error = #expect(throws: ProtocolError.self) { try add(2, to: bob, isHeld: true) }
        #expect(error?.code == .overloaded)
        try add(3, to: carol, isHeld: true)
        #expect(outbox.mostHeld == Limits.heldSends)
    }

    @Test("go into one commit up to its size, and what one call sends stays together")
    mutating func commitSize() throws {
        try add(1, to: bob, count: Limits.commitEntries - 1)
        try add(2, to: carol)
        try add(3, to: bob, count: 2)
        let (first, second) = (outbox.takeForCommit(), outbox.takeForCommit())
        #expect(first.compactMap(\.requestID?.number) == [1, 2] && second.compactMap(\.requestID?.number) == [3])
    }

    @Test("are refused when too many wait, but for a single call")
    mutating func limit() throws {
        try add(1, to: bob, count: Limits.pendingSends + 1)
        let error = #expect(throws: ProtocolError.self) { try add(2, to: bob) }
        #expect(error?.code == .overloaded)
        let taken = takeAll()
        #expect(taken == [1])
    }
}
