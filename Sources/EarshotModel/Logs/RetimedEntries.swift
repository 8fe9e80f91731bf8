/// New times for the last entries of one of this node's own logs, because a log that came back has later ones. The
/// entries were offered to nobody. An entry's time is in its body, so its hash changes, too.
package struct RetimedEntries: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let timestamp: HybridTimestamp
        package let chain: ChainHash
        /// Whether there was a body to give the new time to. Where it was deleted meanwhile, `chain` does not hold.
        package let hasBody: Bool

        package init(timestamp: HybridTimestamp, chain: ChainHash, hasBody: Bool) {
            self.timestamp = timestamp
            self.chain = chain
            self.hasBody = hasBody
        }
    }

    package let logID: LogID
    /// The last entry that stays as it is.
    package let after: UInt64
    /// All that follow, in order.
    package let entries: [Entry]
    /// The author's over the last of them.
    package let checkpoint: Signature

    package init(logID: LogID, after: UInt64, entries: [Entry], checkpoint: Signature) {
        self.logID = logID
        self.after = after
        self.entries = entries
        self.checkpoint = checkpoint
    }
}

extension EntryContent {
    /// The tag of an encoded entry's first field, `fixed64 timestamp = 1` (docs/PROTOCOL.md, 4.2), and the field's
    /// length, tag included.
    private static let timestampTag: UInt8 = 0x09
    private static let timestampLength = 9

    /// What an encoded entry holds beside its time; `nil` for one whose first field is not that.
    package static func withoutTime(_ body: [UInt8]) -> ArraySlice<UInt8>? {
        guard body.count >= timestampLength, body[0] == timestampTag else { return nil }
        return body[timestampLength...]
    }

    /// The same at another time; what holds no time stays as it is.
    /// - Returns: `nil` for a body that does not begin with its time.
    package func retimed(to timestamp: HybridTimestamp) -> EntryContent? {
        guard case .body(let body) = self else { return self }
        guard let rest = Self.withoutTime(body) else { return nil }
        let bytes = withUnsafeBytes(of: timestamp.rawValue.littleEndian) { Array($0) }
        return .body([Self.timestampTag] + bytes + rest)
    }
}
