extension Duration {
    /// Whole milliseconds, rounded up; the nearest possible value if the duration is too long to count.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        let rest = (attoseconds + (attoseconds > 0 ? 999_999_999_999_999 : 0)) / 1_000_000_000_000_000
        let (sum, isOver) = whole.addingReportingOverflow(rest)
        guard !isTooLong, !isOver else { return seconds < 0 ? .min : .max }
        return sum
    }
}
