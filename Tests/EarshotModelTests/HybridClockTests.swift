import EarshotModel
import EarshotSimulation
import Testing

@Suite("A hybrid clock")
struct HybridClockTests {
    @Test("follows the wall clock")
    func wallClock() {
        var clock = HybridClock()
        #expect(clock.tick(wallClock: 1000) == HybridTimestamp(milliseconds: 1000))
        #expect(clock.tick(wallClock: 2000) == HybridTimestamp(milliseconds: 2000))
    }

    @Test("rises within a millisecond, and when the wall clock goes back")
    func rises() {
        var clock = HybridClock()
        let first = clock.tick(wallClock: 5000)
        #expect(clock.tick(wallClock: 5000) == HybridTimestamp(milliseconds: 5000, counter: 1))
        #expect(clock.tick(wallClock: 10) == HybridTimestamp(milliseconds: 5000, counter: 2))
        #expect(clock.tick(wallClock: -10) > first)
    }

    @Test("always rises, whatever the wall clock and other nodes do")
    func monotonic() {
        var generator = SeededGenerator(seed: 7)
        var clock = HybridClock()
        var latest = HybridTimestamp(rawValue: 0)
        var wallClock: Int64 = 1_000_000
        for _ in 0..<5000 {
            wallClock += Int64.random(in: -500...500, using: &generator)
            let heard = HybridTimestamp(milliseconds: wallClock + Int64.random(in: -9000...90_000, using: &generator))
            if clock.hear(heard, wallClock: wallClock) { latest = max(latest, heard) }
            let tick = clock.tick(wallClock: wallClock)
            #expect(tick > latest)
            latest = tick
        }
    }

    @Test("goes past what it hears within the tolerance")
    func hears() {
        var clock = HybridClock()
        let ahead = HybridTimestamp(milliseconds: 1000 + Timing.clockTolerance, counter: 9)
        let isFollowed = clock.hear(ahead, wallClock: 1000)
        #expect(isFollowed)
        #expect(clock.tick(wallClock: 1000) == ahead.next)
    }

    @Test("is not drawn along by a clock that is further ahead than the tolerance")
    func refuses() {
        var clock = HybridClock()
        let ahead = HybridTimestamp(milliseconds: 1001 + Timing.clockTolerance)
        let isFollowed = clock.hear(ahead, wallClock: 1000)
        #expect(!isFollowed)
        #expect(clock.tick(wallClock: 1000) == HybridTimestamp(milliseconds: 1000))
    }

    @Test("carries over into the next millisecond when a millisecond's counter is used up")
    func carry() {
        #expect(HybridTimestamp(milliseconds: 5, counter: .max).next == HybridTimestamp(milliseconds: 6))
    }

    @Test("gives only timestamps that the wire and the store can hold: below 2^63")
    func range() {
        #expect(HybridTimestamp(milliseconds: .max).rawValue <= UInt64(Int64.max))
        #expect(HybridTimestamp(rawValue: UInt64(Int64.max)).next.rawValue <= UInt64(Int64.max))
        #expect(HybridTimestamp(milliseconds: .min) == HybridTimestamp(rawValue: 0))
    }
}
