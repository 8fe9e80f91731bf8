import EarshotModel

/// Bounds what strangers together may leave unfinished: a frame is read when it is whole, and until then it takes memory.
///
/// It never closes a link. The frame that began first gives way, because one that goes on coming is soon whole.
struct UnfinishedFrames: Sendable {
    /// What has come of a frame.
    struct Frame: Hashable, Sendable {
        /// Which one of its link.
        let number: UInt64
        let byteCount: Int
    }

    private struct Begun {
        var frame: Frame
        /// An uptime.
        let since: Int64
    }

    private var begun: [ConnectionID: Begun] = [:]
    private(set) var byteCount = 0

    /// Bytes of a stranger came.
    mutating func note(_ frame: Frame, on connectionID: ConnectionID, now: Int64) {
        let known = begun[connectionID]
        guard frame.byteCount > 0 else { return forget(connectionID) }
        byteCount += frame.byteCount - (known?.frame.byteCount ?? 0)
        let since = known.flatMap { $0.frame.number == frame.number ? $0.since : nil } ?? now
        begun[connectionID] = Begun(frame: frame, since: since)
    }

    /// The link is gone, or its peer is no stranger.
    mutating func forget(_ connectionID: ConnectionID) {
        guard let known = begun.removeValue(forKey: connectionID) else { return }
        byteCount -= known.frame.byteCount
    }

    /// The link that gives way, if one must.
    var surplus: ConnectionID? {
        guard byteCount > Limits.strangersFrameBytes else { return nil }
        return begun.min { ($0.value.since, $0.key) < ($1.value.since, $1.key) }?.key
    }
}
