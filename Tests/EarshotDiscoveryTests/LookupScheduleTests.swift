import Testing

@testable import EarshotDiscovery

@Suite("The schedule of lookups")
struct LookupScheduleTests {
    private var schedule = LookupSchedule()

    private static func names(_ range: Range<Int>) -> [String] { range.map { "i\($0)" } }

    /// Looks up so many that the last ones are watched and the others rest.
    private mutating func settle(_ names: [String]) {
        for name in names {
            #expect(schedule.wanted(name) == [.open(name)])
            _ = schedule.settled(name)
        }
    }

    @Test("opens each lookup at once, and only once")
    mutating func opens() {
        #expect(schedule.wanted("a") == [.open("a")])
        #expect(schedule.wanted("a") == [])
        #expect(schedule.isSearching("a"))
    }

    @Test("searches a bounded number at once, and the others in order")
    mutating func searchLimit() {
        for name in Self.names(0..<LookupSchedule.Bounds.daemon.search) {
            #expect(schedule.wanted(name) == [.open(name)])
        }
        #expect(schedule.wanted("x") == [])
        #expect(schedule.wanted("y") == [])
        #expect(schedule.settled("i3") == [.open("x")])
        #expect(schedule.removed("i4") == [.close("i4"), .open("y")])
    }

    @Test("keeps the latest answered lookups open, and lets the oldest rest")
    mutating func watchLimit() {
        settle(Self.names(0..<LookupSchedule.Bounds.daemon.watch))
        #expect(!schedule.hasResting)
        #expect(schedule.wanted("new") == [.open("new")])
        #expect(schedule.settled("new") == [.close("i0")])
        #expect(schedule.hasResting)
        #expect(!schedule.isOpen("i0"))
    }

    @Test("returns to resting lookups in turn")
    mutating func rotation() {
        settle(Self.names(0..<LookupSchedule.Bounds.daemon.watch + 2))
        #expect(schedule.rotate() == [.open("i0")])
        #expect(schedule.settled("i0") == [.close("i2")])
        #expect(schedule.rotate() == [.open("i1")])
        #expect(schedule.settled("i1") == [.close("i3")])
        #expect(schedule.rotate() == [.open("i2")])
    }

    @Test("closes a failed lookup, and tries it again later")
    mutating func failure() {
        _ = schedule.wanted("a")
        #expect(schedule.failed("a") == [.close("a")])
        #expect(schedule.failed("a") == [])
        #expect(schedule.settled("a") == [])
        #expect(schedule.rotate() == [.open("a")])
    }

    @Test("waits after a refusal, and keeps fewer lookups open from then on")
    mutating func refusal() {
        settle(Self.names(0..<LookupSchedule.Bounds.daemon.watch))
        _ = schedule.wanted("x")
        #expect(schedule.refused(["x"]) == [.close("x"), .close("i0"), .close("i1"), .close("i2"), .close("i3")])
        #expect(schedule.isPaused)
        #expect(schedule.wanted("y") == [])
        #expect(schedule.resumed() == [.open("x"), .open("y")])
        #expect(schedule.settled("x") == [.close("i4")])
    }

    @Test("tries fewer at once after each refusal, but at least one")
    mutating func refusedSearches() {
        let names = Self.names(0..<LookupSchedule.Bounds.daemon.search)
        for name in names { _ = schedule.wanted(name) }
        var tried = LookupSchedule.Bounds.daemon.search
        for _ in 0..<5 {
            _ = schedule.refused(names)
            tried = max(1, tried / 2)
            #expect(schedule.resumed() == names.prefix(tried).map { .open($0) })
        }
    }

    @Test("forgets a removed lookup in any state")
    mutating func removal() {
        settle(Self.names(0..<LookupSchedule.Bounds.daemon.watch + 1))
        #expect(schedule.removed("i0") == [], "it rests")
        #expect(!schedule.hasResting)
        #expect(schedule.removed("i1") == [.close("i1")], "it is watched")
        #expect(schedule.removed("nobody") == [])
        #expect(schedule.wanted("i0") == [.open("i0")])
    }

    @Test("begins an open lookup anew")
    mutating func reopening() {
        settle(["a"])
        #expect(schedule.reopened("a") == [.close("a"), .open("a")])
        #expect(schedule.isSearching("a"))
        #expect(schedule.reopened("b") == [])
    }
}
