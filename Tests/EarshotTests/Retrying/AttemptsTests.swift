import Testing

@testable import Earshot

@Suite("Attempts at what waits in line")
struct AttemptsTests {
    private static let policy = RetryPolicy(attempts: 5, patience: 2, probes: 3, backOff: BackOff())
    private var attempts = Attempts<Int>(policy)

    @Test("end at a limit, where nothing else is taken")
    mutating func limit() {
        var leftOut: [Bool] = []
        for _ in 0..<5 { leftOut.append(attempts.failed(1)) }
        #expect(leftOut == [false, false, false, false, true])
        #expect(attempts.count(1) == 0 && !attempts.givesWay(1))
    }

    @Test("let others go first after some, and end as soon as one of these is taken")
    mutating func others() {
        let first = attempts.failed(1)
        #expect(!first && !attempts.givesWay(1))
        let second = attempts.failed(1)
        #expect(!second && attempts.givesWay(1))
        let other = attempts.failed(2)
        #expect(!other)
        let atFault = attempts.answered(3)
        #expect(atFault == [1])
        #expect(attempts.count(2) == 1 && attempts.givesWay(2) && attempts.count(1) == 0)
        // The others were taken meanwhile, so this one is at fault, too.
        let isLeftOut = attempts.failed(2)
        #expect(isLeftOut)
    }

    @Test("of what is gone are forgotten")
    mutating func forgotten() {
        for item in 1...3 { _ = attempts.failed(item) }
        attempts.forget { $0 < 3 }
        #expect(attempts.count(1) == 0 && attempts.count(3) == 1)
        #expect(attempts.order([3, 4, 5, 6]) { $0 } == [3, 4, 5, 6])
        _ = attempts.failed(4)
        #expect(attempts.order([3, 4, 5, 6]) { $0 } == [3, 5, 6, 4])
    }

    @Test("are as many for a bot's messages as they are for those of the inbox, whose order does not change")
    func messages() {
        #expect(RetryPolicy.messages.attempts == Inbox.defaultAttempts)
        #expect(RetryPolicy.messages.patience == RetryPolicy.messages.attempts && RetryPolicy.messages.probes == 0)
    }
}
