import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A consumer of the inbox")
struct ConsumersTests {
    private var consumers = Consumers([ConsumerRecord(name: "bot", cursor: 10, createdAt: 1)])
    private var now = Moment(wallClock: 1_700_000_000_000, uptime: 5)

    private mutating func pass(_ milliseconds: Int64) { now.uptime += milliseconds }

    /// What it gets next, once that is on the disk.
    private mutating func receive(attempts: Int = 5) throws -> HandOutPlan {
        let (changes, plan) = try consumers.plan(for: "bot", limit: 100, attempts: attempts, now: now)
        for change in changes { consumers.apply(change, to: "bot") }
        return plan
    }

    /// Hands out from one place to another, in vain.
    private mutating func fail(_ first: Int64, through last: Int64) throws -> HandOutPlan {
        let plan = try receive()
        consumers.handedOut(Array(first...last), attempts: 5, to: "bot", now: now)
        pass(Limits.handOutTime)
        return plan
    }

    private mutating func acknowledge(_ cursor: Int64) {
        consumers.apply(.acknowledge(through: cursor, time: now.wallClock), to: "bot")
    }

    @Test("gets what arrived after its cursor, which moves when it acknowledges")
    mutating func cursor() throws {
        let first = try receive()
        acknowledge(20)
        let second = try receive()
        #expect(first == .after(10, limit: 100) && second == .after(20, limit: 100))
        #expect(try !consumers.known("bot").isAhead(20) && consumers.known("bot").isAhead(21))
    }

    @Test("gets one message at a time after two hand-outs in vain, until it is past what was in them")
    mutating func shrinks() throws {
        var plans = [try fail(11, through: 14), try fail(11, through: 14), try fail(11, through: 11)]
        #expect(plans == [.after(10, limit: 100), .after(10, limit: 100), .after(10, limit: 1)])
        acknowledge(11)
        plans = [try receive()]
        acknowledge(13)
        plans.append(try receive())
        acknowledge(14)
        plans.append(try receive())
        #expect(plans == [.after(11, limit: 1), .after(13, limit: 1), .after(14, limit: 100)])
    }

    @Test("is charged with nothing that it gave back when it ended, however often it ends")
    mutating func givesBack() throws {
        for _ in 1...10 {
            let plan = try receive()
            consumers.handedOut([11, 12], attempts: 5, to: "bot", now: now)
            consumers.handedBack(by: "bot")
            pass(2 * Limits.handOutTime)
            #expect(plan == .after(10, limit: 100))
        }
        #expect(try consumers.known("bot").fruitless == 0)
    }

    @Test("has the message set aside that it was handed so many times in vain, and goes on behind it")
    mutating func setsAside() throws {
        for _ in 1...5 { _ = try fail(11, through: 11) }
        let (changes, plan) = try consumers.plan(for: "bot", limit: 100, attempts: 5, now: now)
        #expect(
            changes == [
                .setAside(11, ConsumerFailure("it was handed out 5 times, in vain", time: now.wallClock))
            ])
        #expect(plan == .after(11, limit: 100))
    }

    @Test("is not charged with hand-outs that were acknowledged, even in part")
    mutating func acknowledgedInPart() throws {
        for cursor in 11...30 as ClosedRange<Int64> {
            let plan = try fail(cursor, through: 40)
            acknowledge(cursor)
            #expect(plan == .after(cursor - 1, limit: 100))
        }
    }

    @Test("is given again what was set aside, alone, and is done with it when it acknowledges that")
    mutating func again() throws {
        for _ in 1...5 { _ = try fail(11, through: 11) }
        _ = try receive()
        acknowledge(50)
        consumers.apply(.handOutAgain(11), to: "bot")
        let isAhead = try consumers.known("bot").isAhead(11)
        let plan = try receive()
        consumers.handedOut([11], attempts: 5, to: "bot", now: now)
        acknowledge(11)
        let next = try receive()
        #expect(isAhead && plan == .again(11) && next == .after(50, limit: 100))
        #expect(try !consumers.known("bot").isAhead(11))
    }

    @Test("is given in their turn, when it is moved back, messages that were set aside")
    mutating func movedBack() throws {
        for place in [15, 16] as [Int64] {
            for _ in 1...5 { _ = try fail(place, through: place) }
            _ = try receive()
        }
        consumers.apply(.handOutAgain(15), to: "bot")
        consumers.apply(.move(to: 3), to: "bot")
        let plan = try receive()
        acknowledge(14)
        let next = try receive()
        #expect(plan == .after(3, limit: 1) && next == .after(14, limit: 1))
        let record = try consumers.known("bot")
        #expect(!record.isAhead(14) && record.isAhead(15) && record.setAside == [])
    }

    @Test("is not given what was to come again, when it is moved past that")
    mutating func movedPast() throws {
        for _ in 1...5 { _ = try fail(11, through: 11) }
        _ = try receive()
        consumers.apply(.handOutAgain(11), to: "bot")
        consumers.apply(.move(to: 20), to: "bot")
        let plan = try receive()
        #expect(plan == .after(20, limit: 100))
        #expect(try consumers.known("bot").again == [])
    }

    @Test("has only a message set aside that it was handed alone", arguments: [1, 2])
    mutating func alone(attempts: Int) throws {
        for _ in 1...attempts {
            _ = try receive(attempts: attempts)
            consumers.handedOut([11, 14], attempts: attempts, to: "bot", now: now)
            pass(Limits.handOutTime)
        }
        let (counted, smaller) = try consumers.plan(for: "bot", limit: 100, attempts: attempts, now: now)
        for change in counted { consumers.apply(change, to: "bot") }
        consumers.handedOut([11], attempts: attempts, to: "bot", now: now)
        pass(Limits.handOutTime)
        let (setAside, next) = try consumers.plan(for: "bot", limit: 100, attempts: attempts, now: now)
        #expect(counted == [.countFruitless(head: 11, count: attempts)] && smaller == .after(10, limit: 1))
        guard case .setAside(11, _) = setAside.first else { Issue.record("\(setAside)"); return }
        #expect(next == .after(11, limit: 1) || next == .after(11, limit: 100))
    }

    @Test("gets the same hand-out when it asks again soon, which is in vain only when its time is over")
    mutating func asksAgain() throws {
        for _ in 0..<3 {
            let plan = try receive()
            consumers.handedOut([11, 12], attempts: 1, to: "bot", now: now)
            #expect(plan == .after(10, limit: 100))
            pass(Limits.handOutTime / 3)
        }
        let before = try consumers.plan(
            for: "bot", limit: 100, attempts: 1, now: Moment(wallClock: now.wallClock, uptime: now.uptime - 1))
        let (changes, _) = try consumers.plan(for: "bot", limit: 100, attempts: 1, now: now)
        #expect(before.changes == [] && before.plan == .after(10, limit: 100))
        #expect(changes == [.countFruitless(head: 11, count: 1)])
    }

    @Test("loses no message to a second reader, though both ask again and again")
    mutating func twoReaders() throws {
        for place in 11...40 as ClosedRange<Int64> {
            for _ in 1...10 {
                _ = try receive(attempts: 1)
                consumers.handedOut([place], attempts: 1, to: "bot", now: now)
                pass(1000)
            }
            acknowledge(place)
        }
        #expect(try consumers.known("bot").setAside == [] && consumers.known("bot").failure == nil)
    }

    @Test("has a message set aside that ends it as soon as it begins, in no more time than so many hand-outs take")
    mutating func endsAtOnce() throws {
        let poison: Int64 = 13
        var done: [Int64] = []
        for _ in 0..<(5 * Limits.handOutTime / 1000 + 10) {
            guard case .after(let cursor, let limit) = try receive(), cursor < 16 else { break }
            let places = Array((cursor + 1...16).prefix(limit))
            consumers.handedOut(places, attempts: 5, to: "bot", now: now)
            for place in places.prefix(while: { $0 != poison }) {
                done.append(place)
                acknowledge(place)
            }
            pass(1000)
        }
        #expect(try done == [11, 12, 14, 15, 16] && consumers.known("bot").setAside == [poison])
    }

    @Test("remembers on the disk what was in vain, and holds the end of its node's process against nobody")
    mutating func restart() throws {
        for _ in 1...3 { _ = try fail(11, through: 14) }
        var restarted = Consumers(consumers.all)
        let (changes, plan) = try restarted.plan(for: "bot", limit: 100, attempts: 5, now: now)
        #expect(changes == [] && plan == .after(10, limit: 1))
        restarted.handedOut([11], attempts: 5, to: "bot", now: now)
        pass(Limits.handOutTime)
        let (counted, _) = try restarted.plan(for: "bot", limit: 100, attempts: 5, now: now)
        #expect(counted == [.countFruitless(head: 11, count: 3)])
    }

    /// Reports a failure, once that is on the disk.
    private mutating func report(_ place: Int64, _ reason: String) throws -> ConsumerChange {
        let change = try consumers.fail(place, for: "bot", ConsumerFailure(reason, time: now.wallClock))
        consumers.apply(change, to: "bot")
        return change
    }

    @Test("says why it failed on a message, which counts once, and has it set aside with the last reason")
    mutating func reports() throws {
        var changes: [ConsumerChange] = []
        for number in 1...5 {
            _ = try fail(11, through: 14)
            changes.append(try report(11, "reason \(number)"))
        }
        #expect(
            changes == (1...4).map {
                .countFruitless(head: 11, count: $0, ConsumerFailure("reason \($0)", time: now.wallClock))
            } + [.setAside(11, ConsumerFailure("reason 5", time: now.wallClock))])
        let next = try receive()
        #expect(next == .after(11, limit: 1))
        #expect(try consumers.known("bot").failure?.reason == "reason 5")
    }

    @Test("has what it reports counted at once, however soon it asks again")
    mutating func reportsSoon() throws {
        for _ in 1...5 {
            _ = try receive()
            consumers.handedOut([11], attempts: 5, to: "bot", now: now)
            _ = try report(11, "no")
        }
        #expect(try consumers.known("bot").setAside == [11])
    }

    @Test(
        "has messages set aside however many are already: the oldest of those gives way, and none holds up the others")
    mutating func manySetAside() throws {
        for place in 1...Int64(Limits.setAside) {
            consumers.apply(.setAside(place - 2000, ConsumerFailure("no", time: 0)), to: "bot")
        }
        let oldest = try #require(try consumers.known("bot").setAside.min())
        for number in 1...5 {
            _ = try receive()
            consumers.handedOut([11], attempts: 5, to: "bot", now: now)
            let change = try report(11, "no")
            #expect(change == .setAside(11, ConsumerFailure("no", time: now.wallClock)) || number < 5)
        }
        let setAside = try consumers.known("bot").setAside
        #expect(setAside.count == Limits.setAside && setAside.contains(11) && !setAside.contains(oldest))
        guard case .after(11, _) = try receive() else { Issue.record("the next message waits"); return }
    }

    @Test("fails on the message that follows those which it has acknowledged")
    mutating func reportsInPart() throws {
        _ = try fail(11, through: 14)
        acknowledge(12)
        let change = try report(13, "no")
        #expect(change == .countFruitless(head: 13, count: 1, ConsumerFailure("no", time: now.wallClock)))
    }

    @Test("cannot fail on a message that it does not have, that is not the next, or twice for one hand-out")
    mutating func reportsNothing() throws {
        let failure = ConsumerFailure("no", time: now.wallClock)
        let none = #expect(throws: ProtocolError.self) { try consumers.fail(11, for: "bot", failure) }
        _ = try fail(11, through: 14)
        let notNext = #expect(throws: ProtocolError.self) { try consumers.fail(12, for: "bot", failure) }
        _ = try report(11, "no")
        let twice = #expect(throws: ProtocolError.self) { try consumers.fail(11, for: "bot", failure) }
        #expect([none, notNext, twice].map { $0?.code } == [.notHandedOut, .notHandedOut, .notHandedOut])
    }

    @Test("has a name that fits into a path", arguments: ["", "a/b", "a b", "é", String(repeating: "a", count: 65)])
    func name(_ name: String) {
        let made = ConsumerRecord(name: name, cursor: 0, createdAt: 0)
        let error = #expect(throws: ProtocolError.self) { try consumers.check(.make(made), of: name) }
        #expect(error?.code == .invalidConsumer)
    }

    @Test("is made once, and must be there to be moved")
    func checks() {
        let made = ConsumerRecord(name: "bot", cursor: 0, createdAt: 0)
        let twice = #expect(throws: ProtocolError.self) { try consumers.check(.make(made), of: "bot") }
        let unknown = #expect(throws: ProtocolError.self) { try consumers.check(.move(to: 3), of: "other") }
        #expect(twice?.code == .consumerExists && unknown?.code == .unknownConsumer)
    }
}
