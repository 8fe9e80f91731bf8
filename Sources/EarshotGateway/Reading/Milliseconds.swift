import Earshot

/// Spans of time that a request gives in seconds.
enum Milliseconds {
    /// In seconds: from a millisecond to a hundred years.
    private static let range = 0.001...Double(100 * 365 * 24 * 3600)

    /// - Throws: `GatewayError` `invalidRequest` for less than a millisecond, or more than a hundred years.
    static func of(_ seconds: Double, field: String) throws(GatewayError) -> Int64 {
        guard range.contains(seconds) else {
            throw GatewayError(
                .invalidRequest,
                "\(field) is a number from \(range.lowerBound) to \(Int64(range.upperBound))", .init(name: field))
        }
        return Int64((seconds * 1000).rounded())
    }
}
