import EarshotModel
import Testing

@testable import EarshotProtocol

@Suite("The search for messages whose time is over")
struct ExpirySearchesTests {
    private var searches = ExpirySearches()
    private var log: OwnLog
    private func now(_ wallClock: Int64) -> Moment { Moment(wallClock: wallClock, uptime: 1) }

    init() {
        log = OwnLog(record: HandWrittenLog(by: device("alice"), to: device("bob").userID).record)
        log.setNextExpiry(1_000)
    }

    @Test("begins when the first may be over, and once at a time")
    mutating func begins() {
        let early = searches.begin(among: [log], clock: ExpiryClock(999))
        let due = searches.begin(among: [log], clock: ExpiryClock(1_000))
        let again = searches.begin(among: [log], clock: ExpiryClock(1_000))
        #expect(early.isEmpty && due.count == 1 && again.isEmpty)
        #expect(searches.wait(for: log.record, now: now(1_000)) == nil)
        let end = searches.end(log.record.logID)
        #expect(end == 0)
    }

    @Test("waits no longer than an hour, because the wall clock may jump")
    func wait() {
        #expect(searches.wait(for: log.record, now: now(400)) == 600)
        #expect(searches.wait(for: log.record, now: now(1_000 - 2 * Timing.expiryCheck)) == Timing.expiryCheck)
    }

    @Test("ends with the next expiry, and counts once")
    mutating func found() {
        var logs = Logs(author: LogAuthor(device("alice")), records: [log.record])
        var deliveries = Deliveries()
        let logID = log.record.logID
        _ = searches.begin(among: [log], clock: ExpiryClock(1_000))
        let isCounted = searches.found([], in: logID, nextExpiry: 5_000, logs: &logs, deliveries: &deliveries)
        let isCountedAgain = searches.found([], in: logID, nextExpiry: 9_000, logs: &logs, deliveries: &deliveries)
        #expect(isCounted && !isCountedAgain)
        #expect(searches.hasUnwritten && logs.own(logID)?.record.nextExpiry == 5_000)
    }

    @Test("does not count to the end of a log that has grown meanwhile")
    mutating func grown() {
        var written = HandWrittenLog(by: device("alice"), to: device("bob").userID)
        var logs = Logs(author: LogAuthor(device("alice")), records: [log.record])
        var deliveries = Deliveries()
        _ = searches.begin(among: [log], clock: ExpiryClock(1_000))
        _ = written.entry("one")
        logs.appended(written.record)
        logs.setNextExpiry(1_000, of: written.logID)
        _ = searches.found([], in: written.logID, nextExpiry: .max, logs: &logs, deliveries: &deliveries)
        #expect(!searches.hasUnwritten && logs.own(written.logID)?.record.nextExpiry == 1_000)
    }

    @Test("has no answer for a log that was cut meanwhile")
    mutating func cancelled() {
        _ = searches.begin(among: [log], clock: ExpiryClock(1_000))
        searches.cancel(log.record.logID)
        let end = searches.end(log.record.logID)
        #expect(end == nil)
    }
}
