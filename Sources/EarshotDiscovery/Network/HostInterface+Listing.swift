import CLinuxNetwork
import Glibc

extension HostInterface {
    /// How many interfaces, and how many addresses of each, are looked at.
    static let interfaceLimit = 1024
    static let addressLimit = 64

    static func all(asking kernel: NetlinkSocket) throws(DiscoveryError) -> [HostInterface] {
        let addresses = try kernel.dump(
            RTM_GETADDR, header: AddressMessage.request, into: [UInt32: [AddressMessage]]()
        ) { listing, message in
            guard let address = AddressMessage(message), listing[address.index, default: []].count < addressLimit
            else { return }
            listing[address.index, default: []].append(address)
        }
        return try kernel.dump(RTM_GETLINK, header: LinkMessage.request, into: [HostInterface]()) { listing, message in
            guard listing.count < interfaceLimit, let link = LinkMessage(message) else { return }
            listing.append(HostInterface(link, addresses[link.index] ?? []))
        }.sorted { $0.index < $1.index }
    }

    init(_ link: LinkMessage, _ addresses: [AddressMessage]) {
        name = link.name
        index = link.index
        kind = link.kind
        isUp = link.has(IFF_UP)
        isRunning = link.has(IFF_UP) && link.has(IFF_RUNNING)
        supportsMulticast = link.has(IFF_MULTICAST)
        // In IPv6, a new address is listed before the old ones.
        self.addresses = addresses.map { Address($0.ip, prefixLength: $0.prefixLength, interface: link.name) }
            .sorted { a, b in
                if a.family != b.family { return a.family == .ipv4 }
                return a.ip.bytes.lexicographicallyPrecedes(b.ip.bytes)
            }
    }
}

/// What `RTM_NEWLINK` says of an interface: rtnetlink(7), `struct ifinfomsg`.
struct LinkMessage: Equatable {
    static let size = 16
    static let request = [UInt8](repeating: 0, count: size)

    let name: String
    let index: UInt32
    /// An `ARPHRD_…` number.
    let hardware: UInt16
    let flags: UInt32
    /// The driver's name, of interfaces that are made of software.
    let driver: String?

    init?(_ message: NetlinkMessage) {
        let body = message.body[...]
        guard Int(message.type) == RTM_NEWLINK, let hardware = body.integer(UInt16.self, at: 2),
            let index = body.integer(UInt32.self, at: 4), let flags = body.integer(UInt32.self, at: 8)
        else { return nil }
        let attributes = message.attributes(after: Self.size)
        guard let name = attributes[Int(IFLA_IFNAME)] else { return nil }
        let information = attributes[Int(IFLA_LINKINFO)].map { NetlinkMessage.attributes(in: $0[...]) }
        self.name = Self.text(name)
        self.index = index
        self.hardware = hardware
        self.flags = flags
        driver = information?[Int(IFLA_INFO_KIND)].map(Self.text)
    }

    func has(_ flag: some BinaryInteger) -> Bool { flags & UInt32(flag) != 0 }

    var kind: HostInterface.Kind {
        if has(IFF_LOOPBACK) { return .loopback }
        switch driver {
        case "bridge", "openvswitch": return .bridge
        case "veth": return .virtualEthernet
        case "tun", "wireguard", "ipip", "sit", "ip6tnl", "gre", "gretap", "ip6gre", "ip6gretap", "erspan", "ip6erspan",
            "vti", "vti6", "xfrm", "vxlan", "geneve", "ovpn", "gtp", "amt":
            return .tunnel
        default: break
        }
        switch CInt(hardware) {
        case ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_SIT, ARPHRD_IPGRE, ARPHRD_NONE: return .tunnel
        case _ where has(IFF_POINTOPOINT): return .pointToPoint
        case ARPHRD_ETHER: return .ethernet
        default: return .other
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

/// What `RTM_NEWADDR` says of an address that may be used: rtnetlink(7), `struct ifaddrmsg`.
struct AddressMessage: Equatable {
    static let size = 8
    static let request = [UInt8](repeating: 0, count: size)

    let index: UInt32
    let ip: IPAddress
    let prefixLength: Int

    /// - Returns: `nil` for an address that is not known to be this machine's alone.
    init?(_ message: NetlinkMessage) {
        let body = message.body[...]
        guard Int(message.type) == RTM_NEWADDR, let prefixLength = body.integer(UInt8.self, at: 1),
            let shortFlags = body.integer(UInt8.self, at: 2), let index = body.integer(UInt32.self, at: 4)
        else { return nil }
        let attributes = message.attributes(after: Self.size)
        let flags = attributes[Int(IFA_FLAGS)]?[...].integer(UInt32.self, at: 0) ?? UInt32(shortFlags)
        let isTentative = flags & UInt32(IFA_F_TENTATIVE) != 0 && flags & UInt32(IFA_F_OPTIMISTIC) == 0
        // On a point-to-point interface IFA_ADDRESS is the other end's.
        guard let bytes = attributes[Int(IFA_LOCAL)] ?? attributes[Int(IFA_ADDRESS)], let ip = IPAddress(bytes),
            !isTentative, flags & UInt32(IFA_F_DADFAILED) == 0
        else { return nil }
        self.index = index
        self.ip = ip
        self.prefixLength = Int(prefixLength)
    }
}
