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

    private let bytes: ArraySlice<UInt8>
    /// The next byte to read.
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// - Returns: `nil` at the end.
    mutating func next() throws(WireError) -> WireField? {
        guard place < bytes.endIndex else { return nil }
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
        case 1: return .fixed64(try take(8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) })
        case 2:
            guard let length = Int(exactly: try varint()) else { throw WireError() }
            return .bytes(bytes[try take(length)])
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

    /// - Returns: where so many bytes are.
    private mutating func take(_ count: Int) throws(WireError) -> Range<Int> {
        guard bytes.endIndex - place >= count else { throw WireError() }
        defer { place += count }
        return place..<place + count
    }

    /// What does not fit into 64 bits is dropped.
    private mutating func varint() throws(WireError) -> UInt64 {
        var (value, shift) = (0 as UInt64, 0 as UInt64)
        while shift < 64, place < bytes.endIndex {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7f) << shift
            guard byte & 0x80 != 0 else { return value }
            shift += 7
        }
        throw WireError()
    }
}
