import Testing

@testable import EarshotDiscovery

@Suite("The schedule of lookups")
struct LookupScheduleTests {
    private var schedule = LookupSchedule()

    private static func names(_ range: Range<Int>) -> [String] { range.map { "i\($0)" } }

    /// Looks up so many that the last ones are watched and the others are known, or rest.
    private mutating func settle(_ names: [String], isFinal: Bool = true) {
        for name in names {
            #expect(schedule.wanted(name) == [.open(name)])
            _ = schedule.settled(name, isWatched: true, isFinal: isFinal)
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
        #expect(schedule.settled("i3") == [.close("i3"), .open("x")])
        #expect(schedule.removed("i4") == [.close("i4"), .open("y")])
    }

    @Test("keeps the latest answered lookups open for a while, and ends the oldest")
    mutating func watchLimit() {
        settle(Self.names(0..<LookupSchedule.Bounds.daemon.watch))
        #expect(schedule.wanted("new") == [.open("new")])
        #expect(schedule.settled("new", isWatched: true) == [.close("i0")])
        #expect(!schedule.isOpen("i0"))
        #expect(schedule.watched("new") == [.close("new")])
        #expect(schedule.watched("new") == [])
    }

    @Test("ends a lookup that is answered, and asks nothing more about its instance until there is news of it")
    mutating func known() {
        #expect(schedule.wanted("a") == [.open("a")])
        #expect(schedule.settled("a") == [.close("a")])
        #expect(!schedule.hasResting)
        #expect(schedule.rotate() == [])
        #expect(schedule.seek() == [])
        #expect(schedule.wanted("a") == [.open("a")])
    }

    @Test("looks in turn at instances that are known")
    mutating func review() {
        settle(["a", "b"])
        for name in ["a", "b"] { _ = schedule.watched(name) }
        #expect(schedule.knownCount == 2)
        for name in ["a", "b", "a"] {
            #expect(schedule.review() == [.open(name)])
            #expect(schedule.knownCount == 1)
            _ = schedule.settled(name)
        }
        _ = schedule.removed("a")
        _ = schedule.removed("b")
        #expect(schedule.review() == [])
    }

    @Test("returns in turn to instances whose answer will not do")
    mutating func rotation() {
        let names = Self.names(0..<LookupSchedule.Bounds.daemon.watch + 2)
        settle(names, isFinal: false)
        #expect(schedule.rotate() == [.open("i0")])
        #expect(schedule.settled("i0", isWatched: true, isFinal: false) == [.close("i2")])
        #expect(schedule.rotate() == [.open("i1")])
        #expect(schedule.settled("i1") == [.close("i1")])
        #expect(schedule.rotate() == [.open("i2")])
    }

    @Test("searches again, one at a time and each once, for instances that are not where they were found")
    mutating func sought() {
        settle(["a", "b", "open"])
        for name in ["a", "b"] { _ = schedule.watched(name) }
        for name in ["a", "b", "a", "open", "nobody"] { schedule.isSought(name) }
        #expect(schedule.seek() == [.open("a")])
        schedule.isSought("a")
        #expect(schedule.seek() == [.open("b")])
        #expect(!schedule.hasSought)
        #expect(schedule.seek() == [])
    }

    @Test("forgets that an instance is sought when it is removed or searched for another reason")
    mutating func soughtNoLonger() {
        settle(["a", "b"])
        for name in ["a", "b"] {
            _ = schedule.watched(name)
            schedule.isSought(name)
        }
        _ = schedule.removed("a")
        _ = schedule.wanted("b")
        #expect(!schedule.hasSought)
    }

    @Test("lets a bounded number of sought instances wait")
    mutating func soughtLimit() {
        let names = Self.names(0..<LookupSchedule.soughtLimit + 1)
        for name in names {
            settle([name])
            _ = schedule.watched(name)
            schedule.isSought(name)
        }
        for name in names.dropLast() {
            #expect(schedule.seek() == [.open(name)])
            _ = schedule.settled(name)
        }
        #expect(!schedule.hasSought)
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
        #expect(schedule.refused(["x"]) == [.close("x"), .close("i0"), .close("i1")])
        #expect(schedule.isPaused)
        #expect(schedule.wanted("y") == [])
        #expect(schedule.resumed() == [.open("x"), .open("y")])
        #expect(schedule.settled("x", isWatched: true) == [.close("i2")])
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
        #expect(schedule.removed("i0") == [], "it is known")
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
