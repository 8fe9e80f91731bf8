import EarshotModel

/// Cuts a stream of decrypted bytes into frames: each is preceded by its length, a protobuf varint.
struct FrameBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0
    /// How many frames were taken from it.
    private(set) var frameCount: UInt64 = 0

    /// The bytes that it holds, read or not.
    var byteCount: Int { bytes.count }

    /// Whether some of them are still to be read.
    var hasBytes: Bool { start < bytes.count }

    mutating func append(_ more: [UInt8]) {
        if start == bytes.count {
            bytes = more
            start = 0
            return
        }
        bytes.append(contentsOf: more)
    }

    /// The bytes of the next whole frame; `nil` until more bytes come.
    /// - Throws: `ProtocolError` `violation` for a length over `Limits.frameBytes`, as soon as the length is known.
    mutating func next() throws(ProtocolError) -> [UInt8]? {
        var length = 0
        var shift = 0
        var index = start
        while true {
            guard index < bytes.count else {
                compact()
                return nil
            }
            let byte = bytes[index]
            index += 1
            length |= Int(byte & 0x7f) << shift
            guard length <= Limits.frameBytes else {
                throw ProtocolError(.violation, "a frame is over \(Limits.frameBytes) bytes")
            }
            if byte & 0x80 == 0 { break }
            shift += 7
            guard shift <= 21 else { throw ProtocolError(.malformed, "a frame's length is not a length") }
        }
        guard bytes.count - index >= length else {
            compact()
            return nil
        }
        let frame = Array(bytes[index..<index + length])
        start = index + length
        frameCount += 1
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 17)
            start = 0
        }
        return frame
    }

    private mutating func compact() {
        guard start > 0 else { return }
        bytes.removeFirst(start)
        start = 0
    }

    /// Writes a frame with its length before it.
    static func write(_ frame: [UInt8], to output: inout [UInt8]) {
        var length = frame.count
        while length >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        output.append(UInt8(length))
        output.append(contentsOf: frame)
    }
}
