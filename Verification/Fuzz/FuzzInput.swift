import EarshotModel

/// libFuzzer's bytes, read as choices. Plain bytes would never pass a signature or a length, so the choices say which
/// message to make and what is wrong with it. Reading past the end gives zeros.
struct FuzzInput {
    private var bytes: ArraySlice<UInt8>
    /// What there is to be named. Drawn bytes would never name it.
    var known = Known()

    /// Places of entries and ids of users and devices that exist.
    struct Known {
        var places: [LogPlace] = []
        var ids: [Bytes32] = []
    }

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes)[...] }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// One of `0..<count`; `count` is at most 256.
    mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    mutating func rest() -> [UInt8] { take(bytes.count) }

    /// Up to 255 bytes, after their number.
    mutating func block() -> [UInt8] { take(Int(byte())) }

    mutating func text() -> String { String(decoding: block(), as: UTF8.self) }

    mutating func word() -> UInt64 { take(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// A number that counting may get wrong: small ones, those near the edges of 63 and 64 bits, or any.
    mutating func number(near value: UInt64 = 0) -> UInt64 {
        switch choice(8) {
        case 0: value
        case 1: value &+ UInt64(byte())
        case 2: value &- UInt64(byte())
        case 3: UInt64(byte())
        case 4: UInt64(Int64.max) &+ UInt64(byte()) &- 128
        case 5: UInt64.max &- UInt64(byte())
        case 6: 1 << UInt64(byte() & 63)
        default: word()
        }
    }

    /// The bytes in pieces, as a socket may give them.
    mutating func pieces(of stream: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let size = pieces.count < 16 && !isEmpty ? Int(byte()) + 1 : rest.count
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }

    /// Changes some bytes or cuts off the end, as an attacker between two nodes might; half of the time it changes
    /// nothing.
    mutating func damage(_ bytes: inout [UInt8]) {
        switch choice(8) {
        case 0, 1, 2, 3: return
        case 4: bytes = Array(bytes.prefix(Int(byte())))
        case 5: bytes += block()
        default:
            for _ in 0..<choice(4) + 1 where !bytes.isEmpty {
                bytes[Int(word() % UInt64(bytes.count))] ^= byte() | 1
            }
        }
    }
}
