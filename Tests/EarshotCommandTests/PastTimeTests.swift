import ArgumentParser
import Foundation
import Testing

@testable import EarshotCommand

@Suite("Times before now")
struct PastTimeTests {
    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 3600) ?? calendar.timeZone
        return calendar
    }()
    /// 2026-01-31 12:30 in UTC, and 13:30 here.
    private static let now = Date(timeIntervalSince1970: 1_769_862_600)

    private func seconds(_ text: String) throws -> Double {
        try PastTime.read(text, now: Self.now, calendar: Self.calendar).timeIntervalSince(Self.now)
    }

    @Test(
        "spans count back from now, and days begin at midnight here",
        arguments: [
            ("2h", -7200.0), ("1d12h", -129_600), ("today", -48_600), ("yesterday", -135_000), ("2026-01-31", -48_600),
            ("2026-01-31 13:00", -1800), ("2026-01-31T12:00:00Z", -1800), ("2026-01-31T13:00:00+01:00", -1800),
            ("2026-01-31T12:00:00.500Z", -1799.5),
        ])
    func forms(text: String, expected: Double) throws {
        #expect(try seconds(text) == expected)
    }

    @Test(
        "a time that clocks skip is the moment to which they skip, also where that is midnight",
        arguments: [
            ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"),
            ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"),
            ("America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"),
            ("America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"),
            ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29T01:30:00Z"),
            ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:30:00Z"),
        ])
    func skipped(zone: String, text: String, expected: String) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        let date = try PastTime.read(text, now: Self.now, calendar: calendar)
        #expect(date == (try Date.ISO8601FormatStyle().parse(expected)))
    }

    @Test(
        "what is no time is refused",
        arguments: ["", "soon", "2026-02-31", "2026-13-01", "12", "2026-01-31 25:00", "2026-01-31 10:60"])
    func refused(text: String) {
        #expect(throws: ValidationError.self) { try seconds(text) }
    }
}
