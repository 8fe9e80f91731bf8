import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The machine of clocks")
struct ClockMachineTests {
    private var clocks = ClockMachine()
    private var now = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)

    private func peer(_ name: String, ahead: Int64?) -> LinkPeer {
        LinkPeer(credential: device(name).link.credential, run: 1, clockOffset: ahead)
    }

    @Test("finds out that the node was asleep when it is called later than it asked to be")
    mutating func sleep() {
        #expect(clocks.notice(now).isEmpty)
        clocks.expectCall(by: now.uptime + 1_000)
        let late = 1_000 + Timing.lateness
        #expect(clocks.notice(now.advanced(by: late)).isEmpty)
        #expect(clocks.notice(now.advanced(by: late + 1)) == [.wokeUp])
        #expect(clocks.notice(now.advanced(by: late + 2)).isEmpty, "once a sleep")
    }

    @Test("finds out that the wall clock was set, and by how much, but not that it drifts")
    mutating func jump() {
        _ = clocks.notice(now)
        now = Moment(wallClock: now.wallClock + 1_000 + Timing.clockJump, uptime: now.uptime + 1_000)
        #expect(clocks.notice(now).isEmpty)
        now = Moment(wallClock: now.wallClock - 3_600_000, uptime: now.uptime)
        #expect(clocks.notice(now) == [.wasSet(by: -3_600_000)])
        #expect(clocks.notice(now).isEmpty)
    }

    @Test("does not follow the wall clock for a minute after it was set, noticed or not, nor a jump that is taken back")
    mutating func settling() {
        let day: Int64 = 86_400_000
        _ = clocks.notice(now)
        let set = Moment(wallClock: now.wallClock + day + 10, uptime: now.uptime + 10)
        #expect(clocks.settled(set) == now.advanced(by: 10), "before it is noticed")
        _ = clocks.notice(set)
        #expect(clocks.settled(set.advanced(by: 5)) == now.advanced(by: 15))
        #expect(clocks.deadline <= set.uptime + Timing.clockSettling)
        let back = now.advanced(by: 20)
        _ = clocks.notice(back)
        #expect(clocks.settled(back) == back)
        let later = back.advanced(by: Timing.clockSettling)
        _ = clocks.notice(later)
        #expect(clocks.expiryClock(later) == ExpiryClock(later.wallClock))
    }

    @Test("follows a wall clock that stays as it was set, and knows what was written before it was set forward")
    mutating func settled() {
        let day: Int64 = 86_400_000
        _ = clocks.notice(now)
        let set = Moment(wallClock: now.wallClock + day, uptime: now.uptime)
        _ = clocks.notice(set)
        let later = set.advanced(by: Timing.clockSettling)
        #expect(clocks.settled(later) == now.advanced(by: Timing.clockSettling), "until it is noticed")
        _ = clocks.notice(later)
        #expect(clocks.settled(later) == later && clocks.deadline <= later.uptime)
        let end = later.wallClock - day
        #expect(clocks.expiryClock(later).shifts == [ExpiryClock.Shift(end: end, milliseconds: day)])
        // It is set back by half, and stays so.
        let half = Moment(wallClock: later.wallClock - day / 2, uptime: later.uptime)
        _ = clocks.notice(half)
        let end2 = half.advanced(by: Timing.clockSettling)
        _ = clocks.notice(end2)
        #expect(clocks.expiryClock(end2).shifts == [ExpiryClock.Shift(end: end, milliseconds: day / 2)])
    }

    @Test("a message written before the clock was set forward is over so much later, one written after that is not")
    func expiry() {
        let clock = ExpiryClock(
            0, shifts: [.init(end: 100, milliseconds: 1_000), .init(end: 1_500, milliseconds: 10_000)])
        func end(_ written: Int64) -> Int64 {
            clock.end(written + 50, writtenAt: HybridTimestamp(milliseconds: written))
        }
        #expect(end(90) == 11_140 && end(1_200) == 11_250 && end(1_501) == 1_551)
        #expect(clock.end(.max, writtenAt: HybridTimestamp(milliseconds: 0)) == .max)
    }

    @Test("keeps the earliest of the ticks that were asked for, until one is under way")
    mutating func deadline() {
        clocks.restartDeadline()
        clocks.wake(by: 50)
        clocks.wake(by: 70)
        #expect(clocks.deadline == 50)
        clocks.restartDeadline()
        clocks.wake(by: 70)
        #expect(clocks.deadline == 70)
    }

    @Test("follows a peer's clock within reason, and reports one that is too far ahead once a user")
    mutating func hearing() {
        let alice = device("alice").userID
        let near = HybridTimestamp(milliseconds: now.wallClock + Timing.clockTolerance)
        #expect(clocks.hear(near, of: alice, now: now) == nil)
        #expect(clocks.tick(now: now) > near)
        let far = HybridTimestamp(milliseconds: now.wallClock + Timing.clockTolerance + 1)
        #expect(clocks.hear(far, of: alice, now: now)?.ahead == Timing.clockTolerance + 1)
        #expect(clocks.hear(far, of: alice, now: now) == nil)
        #expect(clocks.tick(now: now) < far)
    }

    @Test("moves what it knows of peers' clocks when its own is set")
    mutating func shift() {
        _ = clocks.notice(now)
        clocks.met(peer("alice", ahead: 5_000))
        clocks.met(peer("bob", ahead: nil))
        #expect(clocks.peersByName.map(\.offset) == [5_000])
        now = Moment(wallClock: now.wallClock + 2_000, uptime: now.uptime)
        #expect(clocks.changed(now) == .wasSet(by: 2_000))
        #expect(clocks.peersByName.map(\.offset) == [3_000])
    }
}

extension Moment {
    fileprivate func advanced(by milliseconds: Int64) -> Moment {
        Moment(wallClock: wallClock + milliseconds, uptime: uptime + milliseconds)
    }
}
