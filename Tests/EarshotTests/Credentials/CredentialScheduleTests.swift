import Testing

@testable import Earshot

@Suite("The schedule of a credential")
struct CredentialScheduleTests {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour
    private static let start = 20_000 * day

    /// Of thirty days, in days since it began.
    private var schedule = CredentialSchedule(notBefore: start, notAfter: start + 30 * day)

    private mutating func step(atDay days: Double, canRenew: Bool) -> (step: CredentialSchedule.Step, wait: Int64) {
        schedule.step(now: Self.start + Int64(days * Double(Self.day)), canRenew: canRenew)
    }

    @Test("has nothing to do before two thirds of the time, and then renews", arguments: [20, 25, 29.9, 30, 300])
    mutating func renewal(days: Double) {
        #expect(step(atDay: 0, canRenew: true).step == .nothing)
        #expect(step(atDay: 19.99, canRenew: true).step == .nothing)
        #expect(step(atDay: days, canRenew: true).step == .renew)
    }

    @Test("that cannot renew tells at two thirds of the time, on each of the last three days, and at the end")
    mutating func warnings() {
        var told: [String] = []
        for hour in 0..<(40 * 24) {
            let step = step(atDay: Double(hour) / 24, canRenew: false).step
            if step != .nothing { told.append("\(step) on day \(hour / 24)") }
        }
        let expected = [20, 27, 28, 29].map { "tellWillExpire on day \($0)" } + ["tellExpired on day 30"]
        #expect(told == expected)
    }

    @Test("tells at once what is so at the start, and one thing only", arguments: [22, 28.5])
    mutating func late(days: Double) {
        #expect(step(atDay: days, canRenew: false).step == .tellWillExpire)
        #expect(step(atDay: days, canRenew: false).step == .nothing)
    }

    @Test("looks again when something is due, and at least every minute: the wall clock may jump")
    mutating func waits() {
        #expect(step(atDay: 1, canRenew: true).wait == Self.hour / 60)
        #expect(schedule.step(now: Self.start + 20 * Self.day - 5, canRenew: true).wait == 5)
        #expect(schedule.step(now: Self.start + 27 * Self.day - 7, canRenew: false).wait == 7)
        #expect(schedule.step(now: Self.start + 30 * Self.day - 9, canRenew: false).wait == 9)
    }

    @Test("finds out what is due when the clock jumps ahead")
    mutating func jumpAhead() {
        #expect(step(atDay: 2, canRenew: false).step == .nothing)
        #expect(step(atDay: 400, canRenew: false).step == .tellExpired)
        #expect(step(atDay: 3, canRenew: false).step == .nothing)
        #expect(step(atDay: 21, canRenew: false).step == .tellWillExpire)
    }

    @Test("renews at once by a clock from before the credential began: the clock that issued it was ahead")
    mutating func setBack() {
        #expect(step(atDay: 1, canRenew: true).step == .nothing)
        #expect(step(atDay: -0.01, canRenew: true).step == .renew)
        #expect(step(atDay: -365, canRenew: true).step == .renew)
    }

    @Test("that cannot renew tells of a clock that was set back, once each time")
    mutating func setBackWithoutKey() {
        #expect(step(atDay: 1, canRenew: false).step == .nothing)
        for _ in 0..<2 {
            #expect(step(atDay: -5, canRenew: false).step == .tellNotYetValid)
            let later = step(atDay: -5 + 0.5 / 24, canRenew: false)
            #expect(later.step == .nothing)
            #expect(later.wait <= 60_000)
            #expect(step(atDay: 1.1, canRenew: false).step == .nothing)
        }
    }

    @Test("of a credential of a few minutes warns once")
    mutating func short() {
        schedule = CredentialSchedule(notBefore: 0, notAfter: 300_000)
        #expect(schedule.step(now: 199_999, canRenew: false) == (.nothing, 1))
        #expect(schedule.step(now: 200_000, canRenew: false) == (.tellWillExpire, 60_000))
        #expect(schedule.step(now: 299_000, canRenew: false) == (.nothing, 1000))
        #expect(schedule.step(now: 300_000, canRenew: false).step == .tellExpired)
    }
}
