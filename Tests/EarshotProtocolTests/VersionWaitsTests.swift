import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("Messages that wait for what says who is in")
struct VersionWaitsTests {
    private let first = ConnectionID(1)
    private let second = ConnectionID(2)
    private var log = HandWrittenLog(by: device("alice"), to: device("bob").userID)
    private var waits = VersionWaits()

    @Test("come out in the order in which they came, and only those of the conversation")
    mutating func order() throws {
        let frames = [log.append("one"), log.append("two")]
        for frame in frames { try waits.add(frame, on: first) }
        var other = HandWrittenLog(by: device("alice"), to: device("carol").userID)
        try waits.add(other.append("three"), on: first)
        #expect(waits.isWaiting(frames[0].log, on: first) && !waits.isWaiting(frames[0].log, on: second))
        let taken = waits.take(of: frames[0].log.conversationID)
        #expect(taken.map(\.frame) == frames && waits.count == 1)
    }

    @Test("go with the link over which they came, and give back their room")
    mutating func ended() throws {
        try waits.add(log.append("one"), on: first)
        try waits.add(log.append("two"), on: second)
        waits.end(first)
        #expect(waits.count == 1 && waits.bytes > 0)
        waits.end(second)
        #expect(waits.isEmpty && waits.bytes == 0)
    }

    @Test("are no more than there is room for: the link of the next one is closed, and it comes again")
    mutating func limit() throws {
        let frame = log.append("one")
        for _ in 0..<Limits.waitingFrames { try waits.add(frame, on: first) }
        let error = #expect(throws: ProtocolError.self) { try waits.add(frame, on: first) }
        #expect(error?.closeReason == .storageFailure && waits.count == Limits.waitingFrames)
    }
}
