import Glibc

/// The two families of the Internet protocol.
package enum AddressFamily: Sendable, Hashable, CaseIterable {
    case ipv4
    case ipv6
}

/// The address of an A or AAAA record.
struct IPAddress: Sendable, Hashable {
    /// How good a way an address is to a peer, the best first.
    enum Reach: Int, Comparable {
        case routable
        /// Of one cable: RFC 4291 section 2.5.6, RFC 3927.
        case linkLocal
        /// Of this host only. It comes last, and it still works when no cable is plugged in.
        case loopback

        static func < (a: Reach, b: Reach) -> Bool { a.rawValue < b.rawValue }
    }

    /// 4 or 16, in network order.
    let bytes: [UInt8]

    /// - Returns: `nil` unless it is 4 or 16 bytes long and an address that a host can have.
    init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 4:
            // 0.0.0.0/8 is "this network", 224.0.0.0 and up are multicast, reserved and broadcast (RFC 6890).
            guard bytes[0] != 0, bytes[0] < 224 else { return nil }
        case 16:
            let isUnspecified = bytes.allSatisfy { $0 == 0 }
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
            guard bytes[0] != 0xff, !isUnspecified, !isMapped else { return nil }
        default: return nil
        }
        self.bytes = bytes
    }

    /// Reads a literal in its usual form, without a scope.
    init?(literal: String) {
        // C would read no further than a zero.
        guard !literal.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, literal, &v4) == 1 {
            self.init(withUnsafeBytes(of: &v4) { Array($0) })
        } else if inet_pton(AF_INET6, literal, &v6) == 1 {
            self.init(withUnsafeBytes(of: &v6) { Array($0) })
        } else {
            return nil
        }
    }

    var family: AddressFamily { bytes.count == 4 ? .ipv4 : .ipv6 }

    var reach: Reach {
        switch family {
        case .ipv4:
            if bytes[0] == 127 { return .loopback }
            return bytes[0] == 169 && bytes[1] == 254 ? .linkLocal : .routable
        case .ipv6:
            if bytes.dropLast().allSatisfy({ $0 == 0 }) && bytes[15] == 1 { return .loopback }
            return bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 ? .linkLocal : .routable
        }
    }

    /// The literal, with the scope where the address means nothing without it (RFC 4007 section 11).
    func text(on interface: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = family == .ipv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else {
            preconditionFailure("an address of 4 or 16 bytes has a text form")
        }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return self.family == .ipv6 && reach == .linkLocal ? "\(text)%\(interface)" : text
    }
}
