import Testing

@testable import EarshotDiscovery

@Suite("The filter of queries")
struct QueryFilterTests {
    /// A message, milliseconds after the start.
    private struct Message {
        let time: Int
        let purpose: DNSMessageCheck.Purpose
        var source: [UInt8] = [1]
        var isToGroup = true
    }

    private static let place = QueryFilter.Place(socket: 3, interface: 2)
    private static let start = ContinuousClock.now

    private static func admitted(_ messages: [Message]) -> [Bool] {
        var filter = QueryFilter()
        return messages.map { message in
            filter.admits(
                message.purpose, isToGroup: message.isToGroup, from: message.source, at: place,
                now: start + .milliseconds(message.time))
        }
    }

    @Test("lets a question through, and no other while its answer is to come, or would not be given again")
    func answered() {
        let question = DNSMessageCheck.Purpose.question(isWhole: true)
        let messages = [
            Message(time: 0, purpose: question), Message(time: 1, purpose: question),
            Message(time: 90, purpose: .ownAnswer), Message(time: 91, purpose: question),
            Message(time: 91, purpose: .question(isWhole: false)), Message(time: 589, purpose: question),
            Message(time: 590, purpose: question), Message(time: 839, purpose: question),
        ]
        #expect(Self.admitted(messages) == [true, false, true, false, false, false, true, false])
    }

    @Test("lets every question through after one that was not answered, until an answer is heard")
    func unanswered() {
        let question = DNSMessageCheck.Purpose.question(isWhole: true)
        let messages = [
            Message(time: 0, purpose: question), Message(time: 249, purpose: question),
            Message(time: 250, purpose: question), Message(time: 251, purpose: question),
            Message(time: 252, purpose: .ownAnswer, isToGroup: false), Message(time: 253, purpose: question),
            Message(time: 260, purpose: .ownAnswer), Message(time: 760, purpose: question),
            Message(time: 761, purpose: question),
        ]
        #expect(Self.admitted(messages) == [true, false, true, true, true, true, true, true, false])
    }

    @Test("does not believe that others were told what this node alone was")
    func forged() {
        let messages = [
            Message(time: 0, purpose: .ownAnswer, isToGroup: false),
            Message(time: 1, purpose: .question(isWhole: true)), Message(time: 2, purpose: .question(isWhole: false)),
        ]
        #expect(Self.admitted(messages) == [true, true, true])
    }

    @Test("lets few truncated questions through, and these hold up no whole ones")
    func truncated() {
        let truncated = DNSMessageCheck.Purpose.question(isWhole: false)
        let messages = [
            Message(time: 0, purpose: truncated), Message(time: 99, purpose: truncated),
            Message(time: 99, purpose: .question(isWhole: true)), Message(time: 100, purpose: truncated),
        ]
        #expect(Self.admitted(messages) == [true, false, true, true])
    }

    @Test("lets through what goes on with the truncated question that it let through, and with no other")
    func continuations() {
        let messages = [
            Message(time: 0, purpose: .continuation), Message(time: 0, purpose: .question(isWhole: false)),
            Message(time: 1, purpose: .question(isWhole: false), source: [2]), Message(time: 2, purpose: .continuation),
            Message(time: 2, purpose: .continuation, source: [2]), Message(time: 499, purpose: .continuation),
            Message(time: 500, purpose: .continuation),
        ]
        #expect(Self.admitted(messages) == [false, true, false, true, false, true, false])
    }

    @Test("lets everything else through, except what wants nothing")
    func others() {
        let messages = [
            Message(time: 0, purpose: .other), Message(time: 0, purpose: .ownAnswer), Message(time: 1, purpose: .other),
            Message(time: 1, purpose: .ownAnswer), Message(time: 1, purpose: .needless),
            Message(time: 900, purpose: .needless),
        ]
        #expect(Self.admitted(messages) == [true, true, true, true, false, false])
    }

    @Test("knows which answers were heard on each socket and interface, of a bounded number of them")
    func places() {
        var filter = QueryFilter()
        func admits(_ purpose: DNSMessageCheck.Purpose, at place: QueryFilter.Place) -> Bool {
            filter.admits(purpose, isToGroup: true, from: [1], at: place, now: Self.start)
        }
        let places = (0..<UInt32(QueryFilter.placeLimit)).map { QueryFilter.Place(socket: 3, interface: $0) }
        for place in places {
            #expect(admits(.question(isWhole: true), at: place))
            #expect(admits(.ownAnswer, at: place))
            #expect(!admits(.question(isWhole: true), at: place))
        }
        #expect(admits(.ownAnswer, at: .init(socket: 4, interface: 0)))
        #expect(admits(.question(isWhole: true), at: places[0]))
    }
}
