import CLinuxNetwork
import EarshotModel
import Glibc
import Testing

@testable import EarshotDiscovery

@Suite("This machine's subnets")
struct SubnetTests {
    private func ip(_ literal: String) throws -> IPAddress { try #require(IPAddress(literal: literal)) }

    private func subnet(_ literal: String, _ prefixLength: Int) throws -> Subnet {
        Subnet(containing: try ip(literal), prefixLength: prefixLength)
    }

    @Test(
        "have no bits after the prefix",
        arguments: [
            ("192.168.1.77", 24, "192.168.1.0/24"), ("10.77.200.1", 18, "10.77.192.0/18"), ("10.0.0.1", 0, "0.0.0.0/0"),
            ("10.0.0.1", 32, "10.0.0.1/32"), ("2001:db8::1:2", 64, "2001:db8::/64"), ("fd00::ff", 121, "fd00::80/121"),
        ])
    func description(_ literal: String, _ prefixLength: Int, _ expected: String) throws {
        #expect(try subnet(literal, prefixLength).description == expected)
    }

    @Test("contain the addresses that share the prefix, in the same family")
    func containment() throws {
        let subnet = try subnet("10.77.200.1", 18)
        #expect(subnet.contains(try ip("10.77.255.255")))
        #expect(!subnet.contains(try ip("10.78.0.1")))
        #expect(!subnet.contains(try ip("fd00::1")))
    }

    @Test("are sampled at the beginning, in the middle and at the end, but never this machine's own address")
    func samples() throws {
        func samples(_ literal: String, _ prefixLength: Int, own: [String] = []) throws -> [String] {
            let own = Set(try own.map { try ip($0).bytes })
            return try subnet(literal, prefixLength).samples(besides: own).map { $0.text(on: "eth0") }
        }
        #expect(try samples("10.0.0.9", 24) == ["10.0.0.1", "10.0.0.129", "10.0.0.254"])
        #expect(try samples("10.0.0.1", 24, own: ["10.0.0.1"]) == ["10.0.0.2", "10.0.0.129", "10.0.0.254"])
        #expect(try samples("10.0.0.1", 30, own: ["10.0.0.1"]) == ["10.0.0.2"])
        #expect(try samples("10.0.0.1", 31) == [])
        #expect(try samples("fd00::1", 128) == [])
        #expect(try samples("fd00::5", 64) == ["fd00::1", "fd00::8000:0:0:1", "fd00::ffff:ffff:ffff:fffe"])
    }

    @Test("are shared by interfaces of a cable, but not by a tunnel")
    func sharing() throws {
        func interface(_ name: String, index: UInt32, driver: String?, _ address: [UInt8]) throws -> HostInterface {
            let link = try #require(LinkMessage(KernelMessage.link(name, index: index, driver: driver)))
            let message = KernelMessage.address(address, prefixLength: 24, index: index)
            return HostInterface(link, [try #require(AddressMessage(message))])
        }
        let cable = try interface("eth0", index: 2, driver: nil, [10, 0, 0, 1])
        let wireless = try interface("wlan0", index: 3, driver: nil, [10, 0, 0, 2])
        let elsewhere = try interface("eth1", index: 4, driver: nil, [10, 0, 1, 2])
        let tunnel = try interface("wg0", index: 5, driver: "wireguard", [10, 0, 0, 3])
        let subnet = try subnet("10.0.0.1", 24)
        #expect(cable.shares(subnet, with: cable))
        #expect(cable.shares(subnet, with: wireless))
        #expect(!cable.shares(subnet, with: elsewhere))
        #expect(!cable.shares(subnet, with: tunnel))
        #expect(!cable.shares(subnet, with: nil))
    }
}

@Suite("This machine's network")
struct HostNetworkTests {
    @Test("has a loopback interface")
    func loopback() throws {
        let loopback = try #require(HostInterface.all().first { $0.name == "lo" })
        #expect(loopback.kind == .loopback)
        #expect(loopback.addresses.allSatisfy { $0.scope == .host || $0.family == .ipv4 || $0.prefixLength == 128 })
    }

    @Test("has a route to itself")
    func ownRoute() throws {
        let route = try #require(try RouteProbe.route(to: PeerAddress(host: "127.0.0.1", port: 1)))
        #expect(route == RouteProbe.Route(interface: "lo", source: "127.0.0.1"))
    }

    @Test(
        "has no route to text that is no address, or without an interface",
        arguments: ["localhost", "fe80::1%nowhere0", ""])
    func noAddress(_ host: String) {
        #expect { try RouteProbe.route(to: PeerAddress(host: host, port: 1)) } throws: {
            ($0 as? DiscoveryError)?.code == .invalidAddress
        }
    }

    @Test("is watched until the task is cancelled")
    func cancellation() async {
        let task = Task { await NetworkMonitor().run { _ in } }
        task.cancel()
        await task.value
    }
}

@Suite("This machine's questions to its cable")
struct MulticastQueryTests {
    @Test("are well-formed: one PTR question, to be answered by multicast")
    func packet() {
        let name: [UInt8] = [8] + Array("_earshot".utf8) + [4] + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
        let header: [UInt8] = [0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        #expect(MulticastQuery(identifier: 0x1234).packet == header + name + [0, 12, 0, 1])
    }

    @Test("differ from each other and from other programs' questions")
    func identifiers() {
        let identifiers = MulticastQuery.identifiers(count: 64)
        #expect(Set(identifiers).count == 64)
        #expect(!identifiers.contains(0))
    }

    @Test("are asked on interfaces that have an address")
    func targets() throws {
        let address = try #require(AddressMessage(KernelMessage.address([10, 0, 0, 1], prefixLength: 24)))
        func targets(_ flags: Int, _ addresses: [AddressMessage]) throws -> [MulticastProbe.Target] {
            let link = try #require(LinkMessage(KernelMessage.link("eth0", flags: flags)))
            return MulticastProbe.targets(of: HostInterface(link, addresses))
        }
        let up = Int(IFF_UP), multicast = Int(IFF_MULTICAST)
        let expected = MulticastProbe.Target(interface: "eth0", index: 2, family: .ipv4)
        #expect(try targets(up | multicast, [address]) == [expected])
        #expect(try targets(up | multicast, []) == [])
        #expect(try targets(up, [address]) == [])
        #expect(try targets(multicast, [address]) == [])
    }
}
