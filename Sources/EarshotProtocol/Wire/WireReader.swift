/// Bytes that are not protobuf's encoding, or a text that is not UTF-8.
struct WireError: Error {}

/// One field of a message, as far as its bytes say what it is.
struct WireField: Sendable {
    enum Value: Sendable {
        case varint(UInt64)
        case fixed64(UInt64)
        /// A text, bytes, or a message.
        case bytes(ArraySlice<UInt8>)
        /// A kind of field that no message of this protocol has.
        case other
    }

    let number: UInt32
    let value: Value
}

/// Reads the fields of a message in protobuf's encoding, in the order in which they come.
struct WireReader: Sendable {
    /// Groups may lie in groups. Nobody sends any.
    private static let groupDepth = 100

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// - Returns: `nil` at the end.
    mutating func next() throws(WireError) -> WireField? {
        guard !rest.isEmpty else { return nil }
        let (number, type) = try tag()
        return WireField(number: number, value: try value(type, of: number, depth: 0))
    }

    private mutating func tag() throws(WireError) -> (number: UInt32, type: UInt8) {
        guard let tag = UInt32(exactly: try varint()), tag >> 3 > 0 else { throw WireError() }
        return (tag >> 3, UInt8(tag & 7))
    }

    private mutating func value(
        _ type: UInt8, of number: UInt32, depth: Int
    ) throws(WireError) -> WireField.Value {
        switch type {
        case 0: return .varint(try varint())
        case 1:
            let bytes = try take(8)
            return .fixed64(UInt64(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }))
        case 2:
            guard let length = Int(exactly: try varint()) else { throw WireError() }
            return .bytes(try take(length))
        case 3:
            guard depth < Self.groupDepth else { throw WireError() }
            while true {
                let (inner, type) = try tag()
                if type == 4, inner == number { return .other }
                _ = try value(type, of: inner, depth: depth + 1)
            }
        case 5:
            _ = try take(4)
            return .other
        default: throw WireError()
        }
    }

    private mutating func take(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw WireError() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// What does not fit into 64 bits is dropped.
    private mutating func varint() throws(WireError) -> UInt64 {
        var (value, shift) = (0 as UInt64, 0 as UInt64)
        while shift < 64, let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7f) << shift
            guard byte & 0x80 != 0 else { return value }
            shift += 7
        }
        throw WireError()
    }
}
