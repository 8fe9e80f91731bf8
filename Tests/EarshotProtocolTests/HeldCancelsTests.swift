import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Requests to take messages back")
struct HeldCancelsTests {
    private var cancels = HeldCancels()
    private let log = HandWrittenLog(by: device("alice"), to: device("bob").userID).logID
    private let held = ConversationID.direct(device("alice").userID, device("bob").userID)
    private let free = ConversationID.direct(device("alice").userID, device("carol").userID)

    @Test("wait for their conversation, and are released in the order in which they came")
    mutating func order() throws {
        try cancels.add(MessageID(log: log, sequence: 1), in: held, requestID: RequestID(1))
        try cancels.add(MessageID(log: log, sequence: 2), in: free, requestID: RequestID(2))
        try cancels.add(MessageID(log: log, sequence: 3), in: free, requestID: RequestID(3))
        let released = cancels.release { [held] in $0 == held }
        #expect(released.map(\.requestID) == [RequestID(2), RequestID(3)])
        let rest = cancels.release { _ in false }
        #expect(rest.map(\.requestID) == [RequestID(1)] && cancels.isEmpty)
    }

    @Test("are refused as overloaded beyond a limit")
    mutating func limit() throws {
        for number in 0..<Limits.heldCancels {
            try cancels.add(
                MessageID(log: log, sequence: 1), in: held, requestID: RequestID(UInt64(number)))
        }
        let error = #expect(throws: ProtocolError.self) {
            try cancels.add(MessageID(log: log, sequence: 1), in: held, requestID: RequestID(9_999))
        }
        #expect(error?.code == .overloaded)
    }
}
