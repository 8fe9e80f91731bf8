import CLinuxNetwork
import Glibc
import Testing

@testable import EarshotDiscovery

/// What the kernel would send.
enum KernelMessage {
    static func link(
        _ name: String, index: UInt32 = 2, hardware: CInt = ARPHRD_ETHER, flags: Int = 0, driver: String? = nil
    ) -> NetlinkMessage {
        let fixed = bytes(of: UInt16(0)) + bytes(of: UInt16(hardware)) + bytes(of: index) + bytes(of: UInt32(flags))
        var body = fixed + bytes(of: UInt32(0)) + NetlinkMessage.attribute(Int(IFLA_IFNAME), Array(name.utf8) + [0])
        if let driver {
            let kind = NetlinkMessage.attribute(Int(IFLA_INFO_KIND), Array(driver.utf8) + [0])
            body += NetlinkMessage.attribute(Int(IFLA_LINKINFO), kind)
        }
        return NetlinkMessage(type: UInt16(RTM_NEWLINK), flags: 0, sequence: 1, body: body)
    }

    static func address(
        _ bytes: [UInt8], prefixLength: UInt8, index: UInt32 = 2, flags: Int = 0, peer: [UInt8]? = nil
    ) -> NetlinkMessage {
        var body = [0, prefixLength, 0, 0] + EarshotDiscovery.bytes(of: index)
        body += NetlinkMessage.attribute(Int(IFA_FLAGS), EarshotDiscovery.bytes(of: UInt32(flags)))
        body += NetlinkMessage.attribute(Int(IFA_ADDRESS), peer ?? bytes)
        if peer != nil || bytes.count == 4 { body += NetlinkMessage.attribute(Int(IFA_LOCAL), bytes) }
        return NetlinkMessage(type: UInt16(RTM_NEWADDR), flags: 0, sequence: 1, body: body)
    }

    static func route(type: Int, table: UInt8 = 254, flags: Int = 0, interface: UInt32 = 2) -> NetlinkMessage {
        let body =
            [UInt8(AF_INET), 24, 0, 0, table, 0, 0, UInt8(type)] + bytes(of: UInt32(flags))
            + NetlinkMessage.attribute(Int(RTA_DST.rawValue), [10, 0, 0, 0])
            + NetlinkMessage.attribute(Int(RTA_OIF.rawValue), bytes(of: interface))
        return NetlinkMessage(type: UInt16(RTM_NEWROUTE), flags: 0, sequence: 1, body: body)
    }
}

@Suite("The kernel's messages about the network")
struct NetlinkMessageTests {
    @Test("may contain any number as an error", arguments: [(Int32.min, Int32.max), (-1, 1), (0, 0)])
    func anyError(said: Int32, error: CInt) {
        let message = NetlinkMessage(type: UInt16(NLMSG_ERROR), flags: 0, sequence: 1, body: bytes(of: said))
        #expect(message.failure == error)
    }

    @Test("are read as they were written, even several at once")
    func several() {
        let messages = [
            NetlinkMessage(type: 16, flags: 2, sequence: 7, body: [1, 2, 3, 4]),
            NetlinkMessage(type: 20, flags: 0, sequence: 8, body: []),
        ]
        #expect(NetlinkMessage.messages(in: messages.flatMap(\.encoded)) == messages)
    }

    @Test("give only what is complete if they are cut off anywhere")
    func cutOff() {
        let first = NetlinkMessage(type: 16, flags: 2, sequence: 7, body: [1, 2, 3, 4])
        let bytes = first.encoded + KernelMessage.link("eth0").encoded
        for length in 0..<bytes.count {
            let messages = NetlinkMessage.messages(in: Array(bytes.prefix(length)))
            #expect(messages == (length < first.encoded.count ? [] : [first]))
        }
    }

    @Test("do no harm if attributes are cut off or lie about their length")
    func brokenAttributes() {
        let whole = KernelMessage.link("eth0", driver: "veth")
        for length in 0..<whole.body.count {
            let cut = NetlinkMessage(type: whole.type, flags: 0, sequence: 1, body: Array(whole.body.prefix(length)))
            #expect(LinkMessage(cut)?.driver == nil)
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let body = (0..<Int.random(in: 0...80, using: &generator)).map { _ in UInt8.random(in: 0...20) }
            for type in [RTM_NEWLINK, RTM_NEWADDR, RTM_NEWROUTE] {
                let message = NetlinkMessage(type: UInt16(type), flags: 0, sequence: 1, body: body)
                _ = LinkMessage(message)
                _ = AddressMessage(message)
                _ = NetworkRoute(message)
            }
        }
    }

    @Test("say what an interface leads to")
    func kinds() throws {
        func kind(hardware: CInt = ARPHRD_ETHER, flags: Int = 0, driver: String? = nil) -> HostInterface.Kind? {
            LinkMessage(KernelMessage.link("x", hardware: hardware, flags: flags, driver: driver))?.kind
        }
        #expect(kind() == .ethernet)
        #expect(kind(driver: "vlan") == .ethernet)
        #expect(kind(hardware: ARPHRD_LOOPBACK, flags: Int(IFF_LOOPBACK)) == .loopback)
        #expect(kind(driver: "bridge") == .bridge)
        #expect(kind(driver: "veth") == .virtualEthernet)
        #expect(kind(hardware: ARPHRD_NONE, flags: Int(IFF_POINTOPOINT), driver: "wireguard") == .tunnel)
        #expect(kind(driver: "tun") == .tunnel)
        #expect(kind(hardware: ARPHRD_NONE) == .tunnel)
        #expect(kind(hardware: ARPHRD_PPP, flags: Int(IFF_POINTOPOINT), driver: "ppp") == .pointToPoint)
        #expect(kind(hardware: ARPHRD_INFINIBAND) == .other)
    }

    @Test("name the usable addresses, and this end of a point-to-point interface")
    func addresses() throws {
        let linkLocal: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        let usable = try #require(AddressMessage(KernelMessage.address(linkLocal, prefixLength: 64)))
        #expect(AddressMessage(KernelMessage.address(linkLocal, prefixLength: 64, flags: Int(IFA_F_TENTATIVE))) == nil)
        #expect(AddressMessage(KernelMessage.address(linkLocal, prefixLength: 64, flags: Int(IFA_F_DADFAILED))) == nil)
        let own = try #require(
            AddressMessage(KernelMessage.address([10, 8, 0, 2], prefixLength: 32, peer: [10, 8, 0, 1])))
        #expect(own.ip.bytes == [10, 8, 0, 2])
        let link = try #require(LinkMessage(KernelMessage.link("tun0", flags: Int(IFF_UP) | Int(IFF_RUNNING))))
        let interface = HostInterface(link, [usable, own])
        #expect(interface.addresses.map(\.text) == ["10.8.0.2", "fe80::1%tun0"])
        #expect(interface.addresses.map(\.prefixLength) == [32, 64])
        #expect(interface.addresses.map(\.scope) == [.global, .link])
        #expect(interface.isUp && interface.isRunning && !interface.supportsMulticast)
    }

    @Test("count as routes only if packets to others take them")
    func routes() {
        #expect(NetworkRoute(KernelMessage.route(type: RTN_UNICAST)) != nil)
        #expect(NetworkRoute(KernelMessage.route(type: RTN_UNREACHABLE)) != nil)
        #expect(NetworkRoute(KernelMessage.route(type: RTN_LOCAL, table: 255)) == nil)
        #expect(NetworkRoute(KernelMessage.route(type: RTN_MULTICAST)) == nil)
        #expect(NetworkRoute(KernelMessage.route(type: RTN_UNICAST, flags: Int(RTM_F_CLONED))) == nil)
    }
}
