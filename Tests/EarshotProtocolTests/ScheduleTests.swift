import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("A message that waits for its time")
struct ScheduleTests {
    private var schedule = Schedule()
    private let bob = device("bob").userID
    private let start = Moment(wallClock: 1_700_000_000_000, uptime: 1_000)

    private func record(_ number: UInt8, in milliseconds: Int64, text: String = "later") throws -> ScheduledRecord {
        ScheduledRecord(
            scheduledID: try #require(EntryKey([UInt8](repeating: number, count: 16))),
            by: device("alice").userID, to: .user(bob), draft: MessageDraft(text),
            notBefore: start.wallClock + milliseconds, key: nil, now: start)
    }

    private func after(_ milliseconds: Int64) -> Moment {
        Moment(wallClock: start.wallClock + milliseconds, uptime: start.uptime + milliseconds)
    }

    @Test("is due by the wall clock, the first first, and once")
    mutating func due() throws {
        let (late, early) = (try record(1, in: 9_000), try record(2, in: 5_000))
        schedule.add(late)
        schedule.add(early)
        #expect(schedule.wait(now: start) == 5_000)
        let taken = [
            schedule.takeDue(now: after(4_999)), schedule.takeDue(now: after(9_000)),
            schedule.takeDue(now: after(9_001)),
        ]
        #expect(taken == [[], [early, late], []])
        #expect(schedule.wait(now: after(9_001)) == nil)
    }

    @Test("is due when the clock is set forward, and waits longer when it is set back")
    mutating func clock() throws {
        let record = try record(1, in: 3_600_000)
        schedule.add(record)
        let back = Moment(wallClock: start.wallClock - 7_200_000, uptime: start.uptime + 1)
        let forward = Moment(wallClock: start.wallClock + 3_600_000, uptime: start.uptime + 2)
        #expect(schedule.wait(now: back) == 10_800_000)
        let taken = [schedule.takeDue(now: back), schedule.takeDue(now: forward)]
        #expect(taken == [[], [record]])
    }

    @Test("is tried again a little later when the disk did not take it")
    mutating func putBack() throws {
        let record = try record(1, in: 0)
        schedule.add(record)
        _ = schedule.takeDue(now: start)
        schedule.putBack(record.scheduledID, now: start)
        let taken = [schedule.takeDue(now: start), schedule.takeDue(now: after(Timing.commitRetry))]
        #expect(taken == [[], [record]])
        #expect(schedule.wait(now: start) == nil)
    }

    @Test("waits with what the disk did not take, and with no other")
    mutating func poisoned() throws {
        let (poison, good, later) = (try record(1, in: 0), try record(2, in: 1), try record(3, in: 2))
        for record in [poison, good, later] { schedule.add(record) }
        for uptime in stride(from: Int64(0), to: 3, by: 1) {
            let due = schedule.takeDue(now: after(uptime))
            // Nothing waits for the first, which comes to nothing again and again.
            #expect(due.filter { $0 != poison } == (uptime == 0 ? [] : [uptime == 1 ? good : later]))
            for record in due {
                if record == poison {
                    schedule.putBack(record.scheduledID, now: after(uptime))
                } else {
                    schedule.remove(record.scheduledID)
                }
            }
        }
        #expect(schedule.all.map(\.id) == [ScheduledMessageID(poison.scheduledID)])
    }

    @Test("is the same after a restart")
    func restart() throws {
        let record = try record(1, in: 5_000)
        let message = try #require(Schedule([record]).all.first)
        #expect(message.destination == .user(bob) && message.draft == MessageDraft("later"))
        #expect(message.notBefore == record.notBefore)
    }

    @Test("is one of a bounded number, with a bounded size")
    mutating func bounded() throws {
        let large = String(repeating: "x", count: Limits.textBytes)
        var count = 0
        while count < 1000, (try? schedule.checkRoom(for: try record(0, in: 1, text: large))) != nil {
            schedule.add(
                ScheduledRecord(
                    scheduledID: try #require(
                        EntryKey([UInt8(count >> 8), UInt8(count & 255)] + [UInt8](repeating: 0, count: 14))),
                    by: device("alice").userID, to: .user(bob), draft: MessageDraft(large),
                    notBefore: 0, key: nil, now: start))
            count += 1
        }
        #expect(count == 255)
        for message in schedule.all { schedule.remove(message.id.bytes) }
        try schedule.checkRoom(for: try record(0, in: 1, text: large))
        #expect(schedule.isEmpty)
    }
}
