/// A message of the wire with other numbers in it: those around every power of two at which some type ends.
package enum EdgeNumbers {
    package static let all: [UInt64] = [
        0, 1, 2, 0x7FFF_FFFE, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1_0000_0000, (1 << 53) - 1, 1 << 53,
        (1 << 53) + 1, (1 << 63) - 2, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, .max - 1, .max,
    ]

    private struct Field {
        enum Value {
            case varint(UInt64)
            case fixed64(UInt64)
            case bytes([UInt8])
        }

        let tag: UInt64
        var value: Value
    }

    /// The message once for each of its numbers, in messages within it as well, and each edge.
    package static func variants(of message: [UInt8]) -> [[UInt8]] {
        guard let fields = parse(message) else { return [] }
        return fields.indices.flatMap { index -> [[UInt8]] in
            let values: [Field.Value] =
                switch fields[index].value {
                case .varint: all.map { .varint($0) }
                case .fixed64: all.map { .fixed64($0) }
                case .bytes(let bytes): variants(of: bytes).map { .bytes($0) }
                }
            return values.map { value in
                var changed = fields
                changed[index].value = value
                return encode(changed)
            }
        }
    }

    /// - Returns: `nil` for bytes that are no message, or none with fields.
    private static func parse(_ bytes: [UInt8]) -> [Field]? {
        var (rest, fields) = (bytes[...], [Field]())
        while !rest.isEmpty {
            guard let tag = varint(&rest), tag >> 3 > 0, tag >> 3 < 1000 else { return nil }
            switch tag & 7 {
            case 0:
                guard let value = varint(&rest) else { return nil }
                fields.append(Field(tag: tag, value: .varint(value)))
            case 1:
                guard rest.count >= 8 else { return nil }
                let value = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                rest.removeFirst(8)
                fields.append(Field(tag: tag, value: .fixed64(value)))
            case 2:
                guard let count = varint(&rest), count <= UInt64(rest.count) else { return nil }
                fields.append(Field(tag: tag, value: .bytes(Array(rest.prefix(Int(count))))))
                rest.removeFirst(Int(count))
            default: return nil
            }
        }
        return fields.isEmpty ? nil : fields
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    private static func encode(_ fields: [Field]) -> [UInt8] {
        fields.flatMap { field -> [UInt8] in
            switch field.value {
            case .varint(let value): encode(field.tag) + encode(value)
            case .fixed64(let value): encode(field.tag) + (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            case .bytes(let bytes): encode(field.tag) + encode(UInt64(bytes.count)) + bytes
            }
        }
    }

    private static func encode(_ value: UInt64) -> [UInt8] {
        var (value, bytes) = (value, [UInt8]())
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        return bytes + [UInt8(value)]
    }
}
