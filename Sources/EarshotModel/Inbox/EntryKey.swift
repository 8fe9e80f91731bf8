/// What an idempotency key leaves in an entry: 16 bytes of a hash with a secret of the author's device, which tell nobody
/// else anything. No two entries of a device have the same.
package struct EntryKey: Hashable, Sendable, Comparable {
    package static let count = 16

    private let high: UInt64
    private let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Returns: `nil` unless there are 16 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    package var bytes: [UInt8] {
        [high, low].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    }

    package static func < (a: EntryKey, b: EntryKey) -> Bool {
        a.high == b.high ? a.low < b.low : a.high < b.high
    }
}

/// One of this node's own entries, found by its key.
package struct KeyedEntry: Hashable, Sendable {
    package let logID: LogID
    package let entry: EntryRecord

    package init(logID: LogID, entry: EntryRecord) {
        self.logID = logID
        self.entry = entry
    }

    package var messageID: MessageID { MessageID(log: logID, sequence: entry.sequence) }
}
