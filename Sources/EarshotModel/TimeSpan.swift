/// A span of time in words.
package enum TimeSpan {
    /// In the largest unit of which there are at least two, rounded to the nearest: `3 minutes`. The sign does not
    /// count.
    package static func text(milliseconds: some BinaryInteger) -> String {
        let magnitude = UInt64(clamping: milliseconds.magnitude)
        let seconds = magnitude / 1000 + (magnitude % 1000 < 500 ? 0 : 1)
        let units: [(name: String, seconds: UInt64)] = [("days", 86_400), ("hours", 3600), ("minutes", 60)]
        if let unit = units.first(where: { seconds >= 2 * $0.seconds }) {
            return "\((seconds + unit.seconds / 2) / unit.seconds) \(unit.name)"
        }
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
}
