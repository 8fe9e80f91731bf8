import Glibc

/// A block of addresses: RFC 4632, RFC 4291 section 2.3.
package struct Subnet: Sendable, Hashable, CustomStringConvertible {
    /// Bits.
    package let prefixLength: Int
    /// The address with all bits after the prefix zero.
    private let base: [UInt8]

    init(containing address: IPAddress, prefixLength: Int) {
        self.prefixLength = min(max(prefixLength, 0), address.bytes.count * 8)
        base = Self.setting(bitsAfter: self.prefixLength, of: address.bytes, to: false)
    }

    /// - Parameter literal: the literal of its first address.
    init?(_ literal: String, prefixLength: Int) {
        let isIPv6 = literal.contains(":")
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, literal, &bytes) == 1 else { return nil }
        self.prefixLength = min(max(prefixLength, 0), bytes.count * 8)
        base = Self.setting(bitsAfter: self.prefixLength, of: bytes, to: false)
    }

    package var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(base.count == 4 ? AF_INET : AF_INET6, base, &buffer, socklen_t(buffer.count)) != nil else {
            preconditionFailure("an address of 4 or 16 bytes has a text form")
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            + "/\(prefixLength)"
    }

    func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == base.count
            && Self.setting(bitsAfter: prefixLength, of: address.bytes, to: false) == base
    }

    /// A few addresses that neighbours could have: near the beginning, in the middle and near the end, to notice a
    /// route that captures only a half. None if there is no room for neighbours (RFC 3021, RFC 6164).
    func samples(besides own: Set<[UInt8]>) -> [IPAddress] {
        guard base.count * 8 - prefixLength >= 2 else { return [] }
        let end = Self.setting(bitsAfter: prefixLength, of: base, to: true)
        var middle = base
        middle[prefixLength / 8] |= 0x80 >> UInt8(prefixLength % 8)
        let last = base.count - 1
        // Neither the first nor the last address of a subnet belongs to a host. Of two adjacent addresses at least one
        // is not ours.
        let pairs = [(base, [1, 2] as [UInt8]), (middle, [1, 0]), (end, [1, 2])].map { start, steps in
            steps.map { step in
                var bytes = start
                bytes[last] ^= step
                return bytes
            }
        }
        let chosen = pairs.compactMap { pair in
            pair.first { $0 != base && $0 != end && !own.contains($0) }
        }
        return Array(Set(chosen)).sorted { $0.lexicographicallyPrecedes($1) }.compactMap(IPAddress.init)
    }

    private static func setting(bitsAfter prefix: Int, of bytes: [UInt8], to value: Bool) -> [UInt8] {
        bytes.enumerated().map { place, byte in
            let kept = min(max(prefix - place * 8, 0), 8)
            let rest = UInt8(0xff >> kept)
            return value ? byte | rest : byte & ~rest
        }
    }
}
