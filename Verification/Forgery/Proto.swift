/// Writes protobuf by hand: a hostile peer sends what the node's own encoder never would.
package enum Proto {
    package static func varint(_ value: UInt64) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    package static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }

    package static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    package static func fixed(_ number: UInt64, _ value: UInt64) -> [UInt8] {
        varint(number << 3 | 1) + withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// Reads a varint.
    /// - Returns: the value and the number of its bytes; `nil` until it is whole.
    package static func readVarint(_ bytes: ArraySlice<UInt8>) -> (value: UInt64, length: Int)? {
        var value: UInt64 = 0
        for (index, byte) in bytes.prefix(10).enumerated() {
            value |= UInt64(byte & 0x7f) << (7 * UInt64(index))
            if byte & 0x80 == 0 { return (value, index + 1) }
        }
        return nil
    }

    package enum Value {
        case number(UInt64)
        case bytes([UInt8])
    }

    /// The fields of a message of this protocol, in the order in which they come.
    package static func fields(_ message: [UInt8]) -> [(number: UInt64, value: Value)] {
        var (rest, fields) = (message[...], [(number: UInt64, value: Value)]())
        while let (tag, tagBytes) = readVarint(rest) {
            rest = rest.dropFirst(tagBytes)
            if tag & 7 == 1 {
                fields.append((tag >> 3, .number(rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })))
                rest = rest.dropFirst(8)
                continue
            }
            guard let (value, bytes) = readVarint(rest) else { break }
            rest = rest.dropFirst(bytes)
            guard tag & 7 == 2 else {
                fields.append((tag >> 3, .number(value)))
                continue
            }
            fields.append((tag >> 3, .bytes(Array(rest.prefix(Int(value))))))
            rest = rest.dropFirst(Int(value))
        }
        return fields
    }

    /// The first field of a message with this number, if it holds bytes.
    package static func bytes(_ number: UInt64, of message: [UInt8]) -> [UInt8]? {
        for case (number, .bytes(let bytes)) in fields(message) { return bytes }
        return nil
    }

    /// The first field of a message with this number, if it holds a number.
    package static func number(_ number: UInt64, of message: [UInt8]) -> UInt64? {
        for case (number, .number(let value)) in fields(message) { return value }
        return nil
    }
}
