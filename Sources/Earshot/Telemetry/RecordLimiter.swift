/// Lets a number of records of each kind through in a span of time, and counts the others. A flood of strangers must
/// not become a flood of lines.
struct RecordLimiter: Sendable {
    /// The records of a kind in a span, and the span's length in milliseconds.
    static let burst = 8
    static let span: Int64 = 10_000
    /// The number of kinds that are told apart. All further kinds count as one.
    static let kinds = 128

    private struct Window {
        var start: Int64
        var count = 0
        var suppressed = 0
    }

    private var windows: [String: Window] = [:]

    /// - Parameter now: an uptime, in milliseconds.
    /// - Returns: how many records of the kind were suppressed since the last one that was let through; `nil` to
    ///   suppress this one.
    mutating func admit(_ kind: String, now: Int64) -> Int? {
        let kind = windows[kind] == nil && windows.count >= Self.kinds ? "" : kind
        var window = windows[kind] ?? Window(start: now)
        defer { windows[kind] = window }
        if now - window.start >= Self.span {
            window.start = now
            window.count = 0
        }
        guard window.count < Self.burst else {
            window.suppressed += 1
            return nil
        }
        window.count += 1
        let suppressed = window.suppressed
        window.suppressed = 0
        return suppressed
    }
}
