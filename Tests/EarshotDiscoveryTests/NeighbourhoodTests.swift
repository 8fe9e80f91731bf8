import EarshotModel
import Testing

@testable import EarshotDiscovery

@Suite("An address that somebody advertises")
struct NeighbourhoodTests {
    private static let interfaces = ["lo", "eth0", "wlan0"].enumerated().map {
        NetworkInterface(index: UInt32($0.offset + 1), name: $0.element)
    }

    /// What is reported of a device that is advertised at an address, and at another one that there is no doubt about.
    private func reported(
        _ literal: String, on name: String,
        by browser: ServiceBrowser = ServiceBrowser(
            ownInstance: "me", neighbourhood: Neighbourhood { [] })
    ) throws -> Set<String> {
        var browser = browser
        let interface = try #require(Self.interfaces.first { $0.name == name })
        var actions = browser.appeared("bob", on: interface)
        actions += browser.resolved(
            "bob", host: "h.local.", port: 4000, txt: try advertisement("bob", seed: 1).txtRecord().encoded)
        for text in [literal, "10.0.0.7"] {
            let address = try #require(IPAddress(literal: text))
            actions += browser.addressAppeared(address.bytes, of: "h.local.", on: interface.index)
        }
        actions += browser.elapsed(.settle(instance: "bob", attempt: browser.attemptCount))
        var addresses: Set<String> = []
        for case .report(.appeared(let record)) in actions { addresses.formUnion(record.addresses.map(\.host)) }
        #expect(addresses.contains("10.0.0.7"))
        return addresses.subtracting(["10.0.0.7"])
    }

    @Test(
        "is not dialled beyond the local network, nor on this host unless it is advertised on the loopback",
        arguments: [
            ("93.184.216.34", "eth0"), ("8.8.8.8", "lo"), ("172.32.0.1", "eth0"), ("172.15.255.255", "eth0"),
            ("100.128.0.1", "eth0"), ("100.63.255.255", "eth0"), ("192.169.0.1", "eth0"), ("11.0.0.1", "eth0"),
            ("2606:2800:220:1::1", "eth0"), ("::1", "eth0"), ("127.0.0.1", "eth0"), ("127.8.8.8", "wlan0"),
            ("64:ff9b::a00:1", "eth0"), ("2002:a00:1::1", "eth0"), ("fec0::1", "eth0"), ("::10.0.0.1", "eth0"),
            ("fbff::1", "eth0"), ("fe00::1", "eth0"),
        ])
    func beyond(literal: String, interface: String) throws {
        #expect(try reported(literal, on: interface) == [])
    }

    @Test(
        "is dialled if it is private, so that it may lie behind a router; of the cable; or this host's on the loopback",
        arguments: [
            ("10.255.0.1", "eth0", "10.255.0.1"), ("172.16.0.1", "eth0", "172.16.0.1"),
            ("172.31.255.1", "eth0", "172.31.255.1"), ("192.168.7.1", "wlan0", "192.168.7.1"),
            ("100.64.0.1", "eth0", "100.64.0.1"), ("100.127.255.1", "eth0", "100.127.255.1"),
            ("169.254.1.1", "eth0", "169.254.1.1"), ("fd00::1", "eth0", "fd00::1"), ("fc12::1", "eth0", "fc12::1"),
            ("fe80::2", "eth0", "fe80::2%eth0"), ("127.0.0.1", "lo", "127.0.0.1"), ("::1", "lo", "::1"),
        ])
    func near(literal: String, interface: String, host: String) throws {
        #expect(try reported(literal, on: interface) == [host])
    }

    @Test(
        "is dialled if it is public, where this host has an address in the same network",
        arguments: [("93.184.216.34", "93.184.216.0", 24), ("2606:2800:220:1::7", "2606:2800:220:1::", 64)])
    func own(literal: String, network: String, prefixLength: Int) throws {
        let network = try #require(Subnet(network, prefixLength: prefixLength))
        let browser = ServiceBrowser(ownInstance: "me", neighbourhood: Neighbourhood { [network] })
        #expect(try reported(literal, on: "eth0", by: browser) == [literal])
        let elsewhere = network.description.contains(":") ? "2001:db8::" : "203.0.113.0"
        let other = try #require(Subnet(elsewhere, prefixLength: 24))
        let stranger = ServiceBrowser(ownInstance: "me", neighbourhood: Neighbourhood { [other] })
        #expect(try reported(literal, on: "eth0", by: stranger) == [])
    }

    @Test("is compared with the networks that this host is in")
    func hostNetworks() throws {
        let networks = HostAddresses.networks()
        #expect(try networks.contains { $0.contains(try #require(IPAddress(literal: "127.0.0.1"))) })
        #expect(networks.allSatisfy { $0.prefixLength > 0 })
    }
}
