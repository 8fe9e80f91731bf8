/// Writes the fields of a message in protobuf's encoding (https://protobuf.dev/programming-guides/encoding). As in proto3, a
/// field that has its default value is left out, unless it tells a case from another.
struct WireWriter: Sendable {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: about how many bytes will be written.
    init(capacity: Int = 0) {
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// Makes room for a large field, and for the lengths and tags around it, so that it is not copied when they are written.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count + Self.around) }

    private static let around = 128

    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case length = 2
    }

    mutating func varint(_ field: UInt32, _ value: UInt64) {
        guard value != 0 else { return }
        tag(field, .varint)
        varint(value)
    }

    mutating func fixed64(_ field: UInt32, _ value: UInt64) {
        guard value != 0 else { return }
        tag(field, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ field: UInt32, _ text: String) {
        guard !text.isEmpty else { return }
        tag(field, .length)
        varint(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// - Parameter isCase: whether the field is written even if it is empty, because it is the one of several that is set.
    mutating func bytes(_ field: UInt32, _ value: [UInt8], isCase: Bool = false) {
        guard isCase || !value.isEmpty else { return }
        tag(field, .length)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func bytes(_ field: UInt32, _ value: UnsafeRawBufferPointer) {
        tag(field, .length)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func message(_ field: UInt32, _ message: some WireMessage) {
        nested(field) { message.write(to: &$0) }
    }

    /// Writes what `write` writes as one field, with its length before it.
    mutating func nested(_ field: UInt32, _ write: (inout WireWriter) -> Void) {
        tag(field, .length)
        // The length is not known yet. Mostly it is one byte.
        bytes.append(0)
        let start = bytes.count
        write(&self)
        let length = bytes.count - start
        guard length >= 0x80 else {
            bytes[start - 1] = UInt8(length)
            return
        }
        bytes[start - 1] = UInt8(truncatingIfNeeded: length) | 0x80
        guard length >= 0x4000 else { return bytes.insert(UInt8(length >> 7), at: start) }
        var rest = WireWriter()
        rest.varint(UInt64(length >> 7))
        bytes.insert(contentsOf: rest.bytes, at: start)
    }

    /// Puts what `write` writes before what was written last.
    /// - Parameter place: how many bytes come before it.
    mutating func insert(at place: Int, _ write: (inout WireWriter) -> Void) {
        guard place < bytes.count else { return write(&self) }
        var inserted = WireWriter()
        write(&inserted)
        bytes.insert(contentsOf: inserted.bytes, at: place)
    }

    private mutating func tag(_ field: UInt32, _ type: WireType) { varint(UInt64(field) << 3 | type.rawValue) }

    private mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}
