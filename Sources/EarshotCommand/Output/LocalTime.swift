import Earshot
import Foundation

/// Points in time as people here read them.
enum LocalTime {
    /// Like `09:30`.
    static func clock(_ milliseconds: Int64) -> String { format(milliseconds, "%H:%M") }

    /// Like `2026-01-31 09:30`.
    static func full(_ milliseconds: Int64) -> String { format(milliseconds, "%04Y-%m-%d %H:%M") }

    /// Like `2026-01-31 09:30:05`.
    static func precise(_ milliseconds: Int64) -> String { format(milliseconds, "%04Y-%m-%d %H:%M:%S") }

    /// Whether two points in time are on one day here.
    static func isSameDay(_ one: Int64, _ other: Int64) -> Bool { format(one, "%F") == format(other, "%F") }

    /// Milliseconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private static func format(_ milliseconds: Int64, _ pattern: String) -> String {
        // Others can claim any time. Time zones take less than a day.
        let seconds = milliseconds.inCalendar(keeping: 86_400_000) / 1000
        var moment = time_t(seconds)
        var parts = tm()
        localtime_r(&moment, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, pattern, &parts)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
