import EarshotModel

/// One item that two linked peers send each other.
enum Frame: Hashable, Sendable {
    /// What the sender holds of the receiver's logs; `isComplete` is set on the last of a series.
    case heads([Receipt], isComplete: Bool)
    case entries(EntriesFrame)
    case receipts([Receipt])
    case ping
    case pong
    /// The next Noise message from this sender is encrypted with the next key.
    case rekey
    case close(CloseReason?)
    /// Asks whether this port can be reached at the sender's end of the link.
    case dialBack(port: UInt16, nonce: UInt64)
    case dialBackResult(nonce: UInt64, isReachable: Bool)
    /// The sender wants back a run of its own log that begins here.
    case wanted(LogID, from: UInt64)
}

extension Frame {
    /// A series of frames that says what the sender holds. Where that is nothing, one frame says so.
    static func heads(_ receipts: [Receipt]) -> [Frame] {
        var frames: [Frame] = []
        var start = 0
        repeat {
            let end = min(start + Limits.logsPerHeads, receipts.count)
            frames.append(.heads(Array(receipts[start..<end]), isComplete: end == receipts.count))
            start = end
        } while start < receipts.count
        return frames
    }
}

/// A run of entries of one log, proved by a signature over its last entry.
struct EntriesFrame: Hashable, Sendable {
    let log: LogDescription
    let firstSequence: UInt64
    let contents: [EntryContent]
    let checkpoint: Signature
    /// The author's marks of entries whose content it withholds.
    var marks: [UInt64: Signature] = [:]
    /// Entries whose content the sender had and has deleted, with the timestamps that they had. It counts only for
    /// entries that are given back to their author.
    var deleted: [UInt64: HybridTimestamp] = [:]
}
