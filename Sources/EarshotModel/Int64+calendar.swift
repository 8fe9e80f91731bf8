extension Int64 {
    /// From 1600, since when the calendar of ISO 8601 is that of people, to 9999, the last year of four digits; in milliseconds
    /// since 1970.
    private static let calendar: ClosedRange<Int64> = -11_676_096_000_000...253_402_300_799_999

    /// As milliseconds since 1970, the nearest that people and ISO 8601 can write down.
    /// - Parameter margin: how far it stays away from both ends, in milliseconds.
    package func inCalendar(keeping margin: Int64 = 0) -> Int64 {
        Swift.min(Swift.max(self, Self.calendar.lowerBound + margin), Self.calendar.upperBound - margin)
    }
}
