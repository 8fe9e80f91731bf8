import Testing

@testable import Earshot

@Suite("The pace of a target")
struct NotificationPaceTests {
    private var pace = NotificationPace()

    @Test("lets messages lie for a moment, however many come meanwhile")
    mutating func settling() {
        var turns: [NotificationPace.Turn] = []
        for uptime: Int64 in [5_000, 5_500, 6_000] {
            turns.append(pace.turn(at: uptime, seeks: false))
            #expect(pace.dueTime == 6_000)
        }
        #expect(turns == [.wait, .wait, .all])
        pace.rest()
        #expect(pace.dueTime == nil)
    }

    @Test("waits longer after each failure, at most five minutes")
    mutating func failing() {
        var waits: [Int64] = []
        for _ in 1...11 {
            pace.failed(at: 1_000)
            waits.append((pace.dueTime ?? 0) - 1_000)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { $0 * 1_000 })
    }

    @Test("begins anew once the target has taken one")
    mutating func taken() {
        for _ in 1...5 { pace.failed(at: 0) }
        pace.answered()
        pace.failed(at: 0)
        #expect(pace.dueTime == 1_000)
    }

    @Test("tries what arrives while it waits, after a moment, and the rest when that is due")
    mutating func seeking() {
        for _ in 1...5 { pace.failed(at: 0) }
        #expect(pace.turn(at: 100, seeks: false) == .wait && pace.dueTime == 16_000)
        #expect(pace.turn(at: 200, seeks: true) == .wait && pace.dueTime == 1_200)
        #expect(pace.turn(at: 300, seeks: true) == .wait && pace.dueTime == 1_200)
        #expect(pace.turn(at: 1_200, seeks: true) == .others && pace.dueTime == 16_000)
        #expect(pace.turn(at: 16_000, seeks: true) == .all)
    }
}

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
        #expect(!attempts.failed(1) && !attempts.givesWay(1))
        #expect(!attempts.failed(1) && attempts.givesWay(1))
        #expect(!attempts.failed(2))
        #expect(attempts.answered(3) == [1])
        #expect(attempts.count(2) == 1 && attempts.givesWay(2) && attempts.count(1) == 0)
        // The others were taken meanwhile, so this one is at fault, too.
        #expect(attempts.failed(2))
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
