import CLinuxNetwork
import Glibc

/// One question on one interface in one family, and its way back. Confined to one thread.
final class MulticastProbe {
    /// Where a question is asked.
    struct Target: Equatable {
        let interface: String
        let index: UInt32
        let family: AddressFamily
    }

    /// Of multicast DNS: RFC 6762 section 3.
    private static let port = UInt16(5353).bigEndian
    /// RFC 6762 section 11: all packets are sent with it.
    private static let timeToLive: CInt = 255
    /// How many packets of others are read at once before other work has its turn.
    private static let receptionLimit = 64

    let target: Target
    private(set) var fileDescriptor: CInt = -1
    /// `.notHeard` until there is more to say.
    private(set) var outcome = MulticastSelfTest.Outcome.notHeard
    private let query: MulticastQuery

    var isWaiting: Bool { outcome == .notHeard }

    init(_ target: Target, _ query: MulticastQuery) {
        self.target = target
        self.query = query
    }

    deinit {
        if fileDescriptor >= 0 { close(fileDescriptor) }
    }

    static func targets(of interface: HostInterface) -> [Target] {
        guard interface.isUp, interface.supportsMulticast else { return [] }
        let families = Set(interface.addresses.map(\.family))
        return AddressFamily.allCases.filter(families.contains).map {
            Target(interface: interface.name, index: interface.index, family: $0)
        }
    }

    /// Joins the group and asks.
    func begin() {
        if let failed = join() {
            outcome = .cannotJoin(failed)
        } else if let failed = ask() {
            outcome = .cannotSend(failed)
        }
    }

    /// Reads what has come, and looks for the question in it.
    func receive() {
        var buffer = [UInt8](repeating: 0, count: 9000)
        for _ in 0..<Self.receptionLimit {
            let count = recv(fileDescriptor, &buffer, buffer.count, clinuxnetwork_no_wait)
            guard count >= 0 else { return }
            if buffer.prefix(count).elementsEqual(query.packet) {
                outcome = .works
                return
            }
        }
    }

    /// - Returns: what went wrong.
    private func join() -> String? {
        fileDescriptor = socket(
            target.family == .ipv4 ? AF_INET : AF_INET6, clinuxnetwork_datagram | clinuxnetwork_close_on_exec, 0)
        guard fileDescriptor >= 0 else { return "socket: \(errorText(errno))" }
        let calls =
            [
                ("SO_REUSEADDR", { self.set(SOL_SOCKET, SO_REUSEADDR, CInt(1)) }),
                ("SO_REUSEPORT", { self.set(SOL_SOCKET, SO_REUSEPORT, CInt(1)) }),
            ] + (target.family == .ipv4 ? joinIPv4 : joinIPv6)
        for (name, call) in calls where call() != 0 { return "\(name): \(errorText(errno))" }
        return nil
    }

    /// It is bound to the group's address, so that it takes nothing from a daemon that answers on the same port.
    private var joinIPv4: [(String, () -> CInt)] {
        let group = ip_mreqn(imr_multiaddr: Self.group4, imr_address: in_addr(), imr_ifindex: CInt(target.index))
        return [
            ("bind", { bindSocket(self.fileDescriptor, to: Self.address4) }),
            // Else it hears what any program's socket has joined.
            ("IP_MULTICAST_ALL", { self.set(CInt(IPPROTO_IP), IP_MULTICAST_ALL, CInt(0)) }),
            ("IP_ADD_MEMBERSHIP", { self.set(CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, group) }),
            ("IP_MULTICAST_IF", { self.set(CInt(IPPROTO_IP), IP_MULTICAST_IF, group) }),
            ("IP_MULTICAST_TTL", { self.set(CInt(IPPROTO_IP), IP_MULTICAST_TTL, Self.timeToLive) }),
            ("IP_MULTICAST_LOOP", { self.set(CInt(IPPROTO_IP), IP_MULTICAST_LOOP, CInt(1)) }),
        ]
    }

    private var joinIPv6: [(String, () -> CInt)] {
        let level = CInt(IPPROTO_IPV6)
        let group = ipv6_mreq(ipv6mr_multiaddr: address6.sin6_addr, ipv6mr_interface: target.index)
        return [
            // The address's scope binds it to the interface.
            ("bind", { bindSocket(self.fileDescriptor, to: self.address6) }),
            ("IPV6_JOIN_GROUP", { self.set(level, IPV6_JOIN_GROUP, group) }),
            ("IPV6_MULTICAST_IF", { self.set(level, IPV6_MULTICAST_IF, CInt(self.target.index)) }),
            ("IPV6_MULTICAST_HOPS", { self.set(level, IPV6_MULTICAST_HOPS, Self.timeToLive) }),
            ("IPV6_MULTICAST_LOOP", { self.set(level, IPV6_MULTICAST_LOOP, CInt(1)) }),
        ]
    }

    /// - Returns: what went wrong.
    private func ask() -> String? {
        let packet = query.packet
        let sent =
            switch target.family {
            case .ipv4: send(packet, to: Self.address4)
            case .ipv6: send(packet, to: address6)
            }
        return sent == packet.count ? nil : errorText(errno)
    }

    private func send<Address>(_ packet: [UInt8], to address: Address) -> Int {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(fileDescriptor, packet, packet.count, 0, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    private func set<Value>(_ level: CInt, _ name: CInt, _ value: Value) -> CInt {
        setOption(fileDescriptor, level, name, value)
    }

    /// 224.0.0.251
    private static var group4: in_addr { in_addr(s_addr: UInt32(0xe000_00fb).bigEndian) }

    private static var address4: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port
        address.sin_addr = group4
        return address
    }

    /// ff02::fb on the interface.
    private var address6: sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = Self.port
        withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
            bytes[0] = 0xff
            bytes[1] = 0x02
            bytes[15] = 0xfb
        }
        address.sin6_scope_id = target.index
        return address
    }
}
