import Foundation

/// Sizes and speeds, for people.
enum ByteText {
    private static let units = ["kB", "MB", "GB", "TB"]

    /// Three digits, in decimal units: `17 bytes`, `2.90 MB`, `431 MB`.
    static func of(_ count: UInt64) -> String {
        guard count >= 1000 else { return count == 1 ? "1 byte" : "\(count) bytes" }
        var (value, unit) = (Double(count) / 1000, 0)
        while value >= 999.5, unit + 1 < units.count { (value, unit) = (value / 1000, unit + 1) }
        let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return "\(String(format: "%.\(digits)f", value)) \(units[unit])"
    }
}
