/// Writes protobuf by hand: a hostile peer sends what the node's own encoder never would.
enum Proto {
    static func varint(_ value: UInt64) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }

    static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    static func fixed(_ number: UInt64, _ value: UInt64) -> [UInt8] {
        varint(number << 3 | 1) + withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// Reads a varint.
    /// - Returns: the value and the number of its bytes; `nil` until it is whole.
    static func readVarint(_ bytes: ArraySlice<UInt8>) -> (value: UInt64, length: Int)? {
        var value: UInt64 = 0
        for (index, byte) in bytes.prefix(10).enumerated() {
            value |= UInt64(byte & 0x7f) << (7 * UInt64(index))
            if byte & 0x80 == 0 { return (value, index + 1) }
        }
        return nil
    }
}
