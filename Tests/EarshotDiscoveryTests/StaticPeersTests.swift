import EarshotModel
import Testing

@testable import EarshotDiscovery

@Suite("A node's static peers")
struct StaticPeersTests {
    @Test(
        "are read from host and port",
        arguments: [
            ("bob.example:4000", "bob.example", 4000), ("laptop:1", "laptop", 1), ("10.0.0.2:65535", "10.0.0.2", 65535),
            ("bob.example.:4000", "bob.example.", 4000),
            ("[::1]:80", "::1", 80), ("[fe80::1%eth0]:4000", "fe80::1%eth0", 4000),
        ] as [(String, String, UInt16)])
    func parsing(text: String, host: String, port: UInt16) throws {
        #expect(try StaticPeers.address(text) == PeerAddress(host: host, port: port))
    }

    @Test(
        "are refused unless they are a host and a port",
        arguments: [
            "", ":", "bob", "bob:", ":80", "bob:0", "bob:65536", "bob:-1", "bob:80x", "::1:80", "[::1]", "[::1]80",
            "[bob]:80", "[10.0.0.1]:80", "300.0.0.1:80", "1.2.3:80", "bob smith:80", "http://bob:80", "[fe80::1%]:80",
            "[fe80::1%sixteen-letters!]:80",
            "bob..example:80", ".:80", "\(String(repeating: "b", count: 64)).example:80", "0.0.0.0:80", "[ff02::1]:80",
            "[::]:80", "b\u{0}b:80", "[::1\u{0}b]:80",
        ])
    func refusal(text: String) {
        #expect { try StaticPeers.address(text) } throws: { ($0 as? DiscoveryError)?.code == .invalidAddress }
    }

    @Test(
        "are checked alike whether typed or named by a program",
        arguments: [
            PeerAddress(host: "bob", port: 0), PeerAddress(host: "", port: 80), PeerAddress(host: "[::1]", port: 80),
            PeerAddress(host: "::g", port: 80), PeerAddress(host: "300.0.0.1", port: 80),
            PeerAddress(host: "bob smith", port: 80),
        ])
    func structured(address: PeerAddress) {
        #expect { try StaticPeers([PeerAddress(host: "fine", port: 1), address]) } throws: {
            ($0 as? DiscoveryError)?.code == .invalidAddress
        }
    }

    @Test("keep their order, each once")
    func duplicates() throws {
        let peers = try StaticPeers(["b:1", "a:1", "b:1"].compactMap(PeerAddress.init))
        #expect(peers.addresses.map(\.description) == ["b:1", "a:1"])
    }

    @Test("are bounded")
    func bound() throws {
        let peers = (1...UInt16(StaticPeers.maximumCount)).map { PeerAddress(host: "host", port: $0) }
        #expect(try StaticPeers(peers + peers).addresses == peers)
        #expect { try StaticPeers(peers + [PeerAddress(host: "other", port: 1)]) } throws: {
            ($0 as? DiscoveryError)?.code == .tooManyAddresses
        }
    }
}

@Suite("An IP address")
struct IPAddressTests {
    @Test(
        "is as far-reaching as its prefix says",
        arguments: [
            ("10.0.0.1", .routable), ("169.254.1.1", .linkLocal), ("127.1.2.3", .loopback), ("2001:db8::1", .routable),
            ("fd00::1", .routable), ("fe80::1", .linkLocal), ("febf::1", .linkLocal), ("::1", .loopback),
        ] as [(String, IPAddress.Reach)])
    func reach(literal: String, reach: IPAddress.Reach) throws {
        #expect(try #require(IPAddress(literal: literal)).reach == reach)
    }

    @Test(
        "is refused if no host can have it",
        arguments: ["0.0.0.0", "224.0.0.251", "255.255.255.255", "::", "ff02::fb", "::ffff:127.0.0.1", "x", ""])
    func unusable(literal: String) {
        #expect(IPAddress(literal: literal) == nil)
    }

    @Test("has 4 or 16 bytes", arguments: [0, 1, 3, 5, 15, 17])
    func length(count: Int) {
        #expect(IPAddress([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("keeps its scope if it is link-local")
    func scope() throws {
        #expect(try #require(IPAddress(literal: "fe80::1")).text(on: "eth0") == "fe80::1%eth0")
        #expect(try #require(IPAddress(literal: "fd00::1")).text(on: "eth0") == "fd00::1")
        #expect(try #require(IPAddress(literal: "10.1.2.3")).text(on: "eth0") == "10.1.2.3")
    }
}

@Suite("The configuration of discovery")
struct DiscoveryConfigurationTests {
    @Test("skips interfaces of containers, virtual machines and tunnels")
    func defaults() {
        let configuration = DiscoveryConfiguration()
        for name in [
            "docker0", "veth12ab", "br-5ac1", "virbr0", "tun0", "tap1", "wg0", "tailscale0", "ztabc", "ppp0",
            "ipsec0", "lxcbr0", "lxdbr0", "vmnet8", "cni0", "flannel.1", "podman0",
        ] {
            #expect(!configuration.includes(interface: name), "\(name)")
        }
        for name in ["lo", "eth0", "enp3s0", "wlan0", "br0", "bridge"] {
            #expect(configuration.includes(interface: name), "\(name)")
        }
    }

    @Test("can skip others instead, by name or by prefix")
    func others() {
        let configuration = DiscoveryConfiguration(skippedInterfaces: ["eth0", "wl*"])
        #expect(!configuration.includes(interface: "eth0"))
        #expect(configuration.includes(interface: "eth01"))
        #expect(!configuration.includes(interface: "wlan0"))
        #expect(configuration.includes(interface: "docker0"))
    }

    @Test("uses an interface that is named, though it would be skipped")
    func included() {
        let configuration = DiscoveryConfiguration(includedInterfaces: ["wg0", "tail*"])
        #expect(configuration.includes(interface: "wg0"))
        #expect(configuration.includes(interface: "tailscale0"))
        #expect(!configuration.includes(interface: "wg1"))
    }

    @Test("says why an interface is skipped")
    func reasons() {
        let configuration = DiscoveryConfiguration(
            skippedInterfaces: DiscoveryConfiguration.virtualInterfaces.union(["eth1"]))
        #expect(
            configuration.reasonToSkip(interface: "docker0") == "matches docker*: leads to containers or tunnels")
        #expect(configuration.reasonToSkip(interface: "eth1") == "matches eth1: left out by configuration")
        #expect(configuration.reasonToSkip(interface: "eth0") == nil)
    }
}
