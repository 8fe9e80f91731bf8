import Testing

@testable import Earshot

@Suite("The pace of a target")
struct NotificationPaceTests {
    private var pace = NotificationPace()

    @Test("lets messages lie for a moment, however many come meanwhile")
    mutating func settling() {
        var answers: [Bool] = []
        for uptime: Int64 in [5_000, 5_500, 6_000] {
            answers.append(pace.isDue(at: uptime))
            #expect(pace.dueTime == 6_000)
        }
        #expect(answers == [false, false, true])
        pace.rest()
        #expect(pace.dueTime == nil)
    }

    @Test("waits longer after each failure, at most five minutes, and gives one message up after ten")
    mutating func failing() {
        var waits: [Int64] = []
        var givenUp: [Bool] = []
        for _ in 1...NotificationPace.attempts + 1 {
            givenUp.append(pace.failed(at: 1_000))
            waits.append((pace.dueTime ?? 0) - 1_000)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { $0 * 1_000 })
        #expect(givenUp == [Bool](repeating: false, count: 9) + [true, false])
    }

    @Test("begins anew once the target has taken one")
    mutating func taken() {
        for _ in 1...5 { _ = pace.failed(at: 0) }
        pace.answered()
        let isGivenUp = pace.failed(at: 0)
        #expect(!isGivenUp && pace.dueTime == 1_000)
    }
}
