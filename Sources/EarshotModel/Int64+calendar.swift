extension Int64 {
    /// The first and the last millisecond since 1970 whose year has four digits: the years 1 and 9999.
    private static let calendar: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// As milliseconds since 1970, the nearest that people and ISO 8601 can write down.
    /// - Parameter margin: how far it stays away from both ends, in milliseconds.
    package func inCalendar(keeping margin: Int64 = 0) -> Int64 {
        Swift.min(Swift.max(self, Self.calendar.lowerBound + margin), Self.calendar.upperBound - margin)
    }
}
