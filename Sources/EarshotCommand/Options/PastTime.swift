import ArgumentParser
import EarshotModel
import Foundation

/// A point in time before now on a command line: a span of time ago, a day, or a time of day on one.
enum PastTime {
    static let valueName = "time"
    /// For the help of an option.
    static let forms = "2h, 3d, today, yesterday, 2026-01-31, '2026-01-31 09:30', or ISO 8601."

    /// - Throws: `ValidationError` for text that is no time.
    @Sendable static func read(_ text: String) throws -> Date { try read(text, now: Date(), calendar: .current) }

    static func read(_ text: String, now: Date, calendar: Calendar) throws -> Date {
        let today = calendar.startOfDay(for: now)
        switch text.lowercased() {
        case "today": return today
        case "yesterday": return calendar.date(byAdding: .day, value: -1, to: today) ?? today
        default: break
        }
        if let date = iso(text) ?? local(text, calendar) { return date }
        guard text.last?.isLetter == true else { throw failure(text) }
        do throws(DurationText.Fault) {
            return now - TimeInterval(try DurationText.duration(text).components.seconds)
        } catch { throw failure(text) }
    }

    private static func failure(_ text: String) -> ValidationError {
        ValidationError("\"\(SafeText.line(text))\" is no time: \(forms)")
    }

    /// With a time zone, and perhaps fractions of a second.
    private static func iso(_ text: String) -> Date? {
        for isFractional in [false, true] {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: isFractional)
            // Text in another form is no error here: it is read otherwise.
            do { return try style.parse(text) } catch { continue }
        }
        return nil
    }

    /// A day, or a day and a time, as clocks here show it.
    private static func local(_ text: String, _ calendar: Calendar) -> Date? {
        guard
            let parts = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?/)?.output,
            let year = Int(parts.1), let month = Int(parts.2), let day = Int(parts.3)
        else { return nil }
        let time = [parts.4, parts.5, parts.6].map { $0.flatMap { Int($0) } ?? 0 }
        guard time[0] < 24, time[1] < 60, time[2] < 60 else { return nil }
        let components = DateComponents(
            year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
        guard let date = calendar.date(from: components) else { return nil }
        // The calendar takes the 31st of February for a day in March. A time that clocks skip, as they do at midnight in some
        // countries, is the moment to which they skip.
        let read = calendar.dateComponents([.month, .day], from: date)
        return read.month == month && read.day == day ? date : nil
    }
}

extension PastTime {
    static func milliseconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1000) }
}
