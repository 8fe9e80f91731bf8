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
