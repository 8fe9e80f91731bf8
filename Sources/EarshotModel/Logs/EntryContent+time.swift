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
