import Earshot

/// Spans of time that a request gives in seconds.
enum Milliseconds {
    /// A hundred years.
    private static let longest: Int64 = 100 * 365 * 24 * 3600 * 1000

    /// - Throws: `GatewayError` `invalidRequest` unless it is above zero and at most a hundred years.
    static func of(_ seconds: Double, field: String) throws(GatewayError) -> Int64 {
        guard seconds.isFinite, let milliseconds = Int64(exactly: (seconds * 1000).rounded()),
            (1...longest).contains(milliseconds)
        else {
            throw GatewayError(
                .invalidRequest, "\(field) is a number above 0 and up to \(longest / 1000)", .init(name: field))
        }
        return milliseconds
    }
}
