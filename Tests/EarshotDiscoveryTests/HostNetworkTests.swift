import EarshotModel
import Foundation
import TestSupport
import Testing

@testable import EarshotDiscovery

/// Runs a tool in the private network of `script/with-avahi`.
private enum Tool {
    static let isFirewallThere = FileManager.default.isExecutableFile(atPath: "/usr/sbin/nft")

    struct Failure: Error { let command: String }

    static func ip(_ arguments: String) async throws { try await run("/usr/sbin/ip", arguments) }
    static func nft(_ arguments: String) async throws { try await run("/usr/sbin/nft", arguments) }

    static func set(_ parameter: String, to value: String) throws {
        try Data(value.utf8).write(to: URL(filePath: "/proc/sys/\(parameter)"))
    }

    private static func run(_ tool: String, _ arguments: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = arguments.split(separator: " ").map(String.init)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.start()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else { throw Failure(command: "\(tool) \(arguments)") }
    }
}

/// A cable between two interfaces, probe0 and probe1, for one test.
private func withCable(_ body: () async throws -> Void) async throws {
    try await Tool.ip("link add probe0 type veth peer name probe1")
    for end in ["probe0", "probe1"] {
        // Else new IPv6 addresses may not be used for a second.
        try Tool.set("net/ipv6/conf/\(end)/accept_dad", to: "0")
        try await Tool.ip("link set \(end) up")
    }
    try await Tool.ip("address add 10.88.0.1/24 dev probe0")
    try await always("link delete probe0") { try await body() }
}

/// A tunnel that nobody reads, for one test.
private func withTunnel(_ body: () async throws -> Void) async throws {
    try await Tool.ip("tuntap add probe-tun mode tun")
    try await always("link delete probe-tun") {
        try await Tool.ip("link set probe-tun up")
        try await body()
    }
}

/// Undoes with `ip` what a test began, however it ends.
private func always(_ undo: String, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch {
        try await Tool.ip(undo)
        throw error
    }
    try await Tool.ip(undo)
}

private func interface(_ name: String) throws -> HostInterface {
    try #require(HostInterface.all().first { $0.name == name })
}

/// Waits until the kernel has told that an interface is as expected: it says some things a moment later.
private func interface(
    _ name: String, when isExpected: @escaping @Sendable (HostInterface) -> Bool
) async throws -> HostInterface {
    try await onThread("\(name) is as expected") {
        // From before the first look, so that nothing is missed.
        let changes = try NetlinkSocket(.allChanges)
        while true {
            if let interface = try HostInterface.all().first(where: { $0.name == name }), isExpected(interface) {
                return interface
            }
            var descriptor = pollfd(fd: changes.fileDescriptor, events: Int16(POLLIN), revents: 0)
            _ = try PeerFailure.check(poll(&descriptor, 1, -1), "poll")
            _ = changes.drain()
        }
    }
}

extension RealNetworkTests {
    // Within the suite of the stacks, so that these interfaces do not come up in the middle of its tests.
    @Suite("A machine's network")
    struct NetworkTests {
        @Test("lists its interfaces, whether they run, and their addresses")
        func listing() async throws {
            try await withCable {
                let end = try await interface("probe0") { $0.isRunning && $0.addresses.count == 2 }
                #expect(end.kind == .virtualEthernet && end.isUp && end.supportsMulticast)
                #expect(end.addresses.map(\.prefixLength) == [24, 64])
                #expect(end.addresses.map(\.scope) == [.global, .link])
                #expect(end.addresses.map(\.subnet.description) == ["10.88.0.0/24", "fe80::/64"])
                #expect(end.addresses.first?.text == "10.88.0.1")
                #expect(end.addresses.last?.text.hasPrefix("fe80::") == true)
                #expect(end.addresses.last?.text.hasSuffix("%probe0") == true)
                try await Tool.ip("link set probe1 down")
                let unplugged = try await interface("probe0") { !$0.isRunning }
                #expect(unplugged.isUp)
            }
            let names = try HostInterface.all().map(\.name)
            #expect(!names.contains("probe0"))
        }

        @Test("tells bridges from tunnels")
        func kinds() async throws {
            try await withTunnel {
                let tunnel = try interface("probe-tun")
                #expect(tunnel.kind == .tunnel)
            }
            try await Tool.ip("link add probe-br type bridge")
            try await always("link delete probe-br") {
                let bridge = try interface("probe-br")
                #expect(bridge.kind == .bridge)
            }
        }

        @Test("reports when interfaces, addresses and routes come and go")
        func changes() async throws {
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let (changes, report) = AsyncStream.makeStream(of: NetworkChange.self)
            let task = Task {
                try await BlockingWork.run { wakeUp throws(DiscoveryError) in
                    let watch = try NetworkWatch(including: { $0 != "probe1" }, wakeUp: wakeUp) { report.yield($0) }
                    start.yield()
                    try watch.run()
                }
            }
            for await _ in started { break }
            var change = changes.makeAsyncIterator()
            // IPv6 goes its own ways, in its own time.
            try Tool.set("net/ipv6/conf/default/disable_ipv6", to: "1")
            let steps = [
                "link add probe0 type veth peer name probe1", "link set probe0 up",
                "address add 10.88.0.1/24 dev probe0", "route add 10.99.0.0/24 via 10.88.0.9",
                "route delete 10.99.0.0/24", "address delete 10.88.0.1/24 dev probe0", "link delete probe0",
            ]
            for step in steps {
                try await Tool.ip(step)
                #expect(await change.next() == .networkChanged, "\(step)")
            }
            try Tool.set("net/ipv6/conf/default/disable_ipv6", to: "0")
            task.cancel()
            try await task.value
            report.finish()
            var others = 0
            while await change.next() != nil { others += 1 }
            #expect(others == 0)
        }

        @Test("says so when it had more to report than there was room for")
        func overrun() async throws {
            try await withCable {
                let changes = try NetlinkSocket(.allChanges)
                try await Tool.ip("address add 10.88.0.2/24 dev probe0")
                #expect(!changes.drain())
                // The kernel takes the least that it allows: two messages, or so, and of one address it has four.
                #expect(setOption(changes.fileDescriptor, SOL_SOCKET, SO_RCVBUF, CInt(1)) == 0)
                for host in 3...20 { try await Tool.ip("address add 10.88.0.\(host)/24 dev probe0") }
                #expect(changes.drain())
                // What the kernel reports late of the same addresses may be too much, too.
                var others = 0
                while changes.drain(), others < 20 { others += 1 }
                #expect(others < 20)
            }
        }

        @Test("has not changed when an address is only confirmed, or an ignored interface appears")
        func irrelevant() async throws {
            try await withCable {
                try await Tool.ip("address add fd88::1/64 dev probe0 valid_lft 600 preferred_lft 600")
                _ = try await interface("probe0") { $0.isRunning && $0.addresses.count == 3 }
                let kernel = try NetlinkSocket()
                func snapshot() throws -> NetworkSnapshot {
                    try NetworkSnapshot.taken(from: kernel) { $0 != "probe-br" && $0 != "probe1" }
                }
                let before = try snapshot()
                try await Tool.ip("address change fd88::1/64 dev probe0 valid_lft 900 preferred_lft 900")
                try await Tool.ip("link add probe-br type bridge")
                try await always("link delete probe-br") {
                    try await Tool.ip("link set probe-br up")
                    try await Tool.ip("address add 10.89.0.1/24 dev probe-br")
                    #expect(try snapshot() == before)
                }
                try await Tool.ip("address add 10.88.0.2/24 dev probe0")
                #expect(try snapshot() != before)
            }
        }

        @Test("shows the way to an address, by interface and source")
        func route() async throws {
            try await withCable {
                let end = try await interface("probe0") { $0.isRunning && $0.addresses.count == 2 }
                let neighbour = try RouteProbe.route(to: PeerAddress(host: "10.88.0.9", port: 1))
                #expect(neighbour == RouteProbe.Route(interface: "probe0", source: "10.88.0.1"))
                let linkLocal = try RouteProbe.route(to: PeerAddress(host: "fe80::9%probe0", port: 1))
                #expect(linkLocal == RouteProbe.Route(interface: "probe0", source: end.addresses.last?.text))
                try await Tool.ip("route add unreachable 10.99.0.0/24")
                try await always("route delete unreachable 10.99.0.0/24") {
                    let route = try RouteProbe.route(to: PeerAddress(host: "10.99.0.1", port: 1))
                    #expect(route == nil)
                }
            }
        }

        @Test("has no captured subnet if packets to each leave by its own interface")
        func nothingCaptured() async throws {
            try await withCable {
                let end = try await interface("probe0") { $0.isRunning }
                #expect(try RouteProbe.capturedSubnets(of: [end]) == [])
                try await withTunnel {
                    // A tunnel that takes all but what is near.
                    try await Tool.ip("route add 0.0.0.0/1 dev probe-tun")
                    #expect(try RouteProbe.capturedSubnets(of: [end]) == [])
                }
            }
        }

        @Test("shows which subnet a tunnel took, by a route to half of it or by a rule")
        func captured() async throws {
            try await withCable {
                let end = try await interface("probe0") { $0.isRunning }
                let subnet = try #require(end.addresses.first?.subnet)
                try await withTunnel {
                    try await Tool.ip("route add 10.88.0.128/25 dev probe-tun")
                    let half = try RouteProbe.capturedSubnets(of: [end])
                    #expect(
                        half == [
                            CapturedSubnet(
                                subnet: subnet, address: "10.88.0.129", expectedInterface: "probe0",
                                actualInterface: "probe-tun")
                        ])
                    // The tunnel has no address: the source is the cable's, and would not tell.
                    let route = try RouteProbe.route(to: PeerAddress(host: "10.88.0.129", port: 1))
                    #expect(route?.interface == "probe-tun")
                    try await Tool.ip("route delete 10.88.0.128/25 dev probe-tun")
                    #expect(try RouteProbe.capturedSubnets(of: [end]) == [])
                    try await Tool.ip("route add default dev probe-tun table 88")
                    try await Tool.ip("rule add to 10.88.0.0/16 table 88")
                    try await always("rule delete to 10.88.0.0/16 table 88") {
                        let all = try RouteProbe.capturedSubnets(of: [end])
                        #expect(all.map(\.actualInterface) == ["probe-tun"])
                    }
                }
            }
        }

        @Test("shows which subnet is blocked altogether")
        func refused() async throws {
            try await withCable {
                let end = try await interface("probe0") { $0.isRunning }
                try await Tool.ip("route add prohibit 10.88.0.0/25")
                try await always("route delete prohibit 10.88.0.0/25") {
                    let captured = try RouteProbe.capturedSubnets(of: [end])
                    #expect(captured.map(\.address) == ["10.88.0.2"])
                    #expect(captured.map(\.actualInterface) == [nil])
                }
            }
        }
    }

    @Suite("Multicast that the machine tests by itself")
    struct MulticastTests {
        private typealias Outcome = MulticastSelfTest.Outcome

        /// What the test says of probe0, IPv4 and IPv6.
        private func outcomes() async throws -> [Outcome] {
            let end = try await interface("probe0") { $0.isRunning && $0.addresses.count == 2 }
            let results = try await MulticastSelfTest(interfaces: [end]).run()
            #expect(results.map(\.interface) == ["probe0", "probe0"])
            #expect(results.map(\.family) == [.ipv4, .ipv6])
            return results.map(\.outcome)
        }

        private func expectOutcomes(
            _ expected: [Outcome], sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let outcomes = try await outcomes()
            #expect(outcomes == expected, sourceLocation: sourceLocation)
        }

        private func withRule(_ chain: String, _ rule: String, _ body: () async throws -> Void) async throws {
            try await Tool.nft("add table inet probe")
            do {
                try await Tool.nft("add chain inet probe c { type filter hook \(chain) priority 0 ; }")
                try await Tool.nft("add rule inet probe c \(rule)")
                try await body()
            } catch {
                try await Tool.nft("delete table inet probe")
                throw error
            }
            try await Tool.nft("delete table inet probe")
        }

        @Test("works beside the daemon, in both families, and again")
        func works() async throws {
            try await withCable {
                for _ in 0..<3 { try await expectOutcomes([.works, .works]) }
            }
        }

        @Test("cannot be sent if a firewall forbids it", .enabled(if: Tool.isFirewallThere, "needs nft"))
        func cannotSend() async throws {
            try await withCable {
                try await withRule("output", "oifname probe0 udp dport 5353 drop") {
                    let forbidden = Outcome.cannotSend("Operation not permitted")
                    try await expectOutcomes([forbidden, forbidden])
                }
                try await expectOutcomes([.works, .works])
            }
        }

        @Test("is not heard if a firewall drops incoming packets", .enabled(if: Tool.isFirewallThere, "needs nft"))
        func notHeard() async throws {
            try await withCable {
                try await withRule("input", "iifname probe0 udp dport 5353 drop") {
                    try await expectOutcomes([.notHeard, .notHeard])
                }
            }
        }

        @Test("is judged for each address family separately", .enabled(if: Tool.isFirewallThere, "needs nft"))
        func oneFamily() async throws {
            try await withCable {
                try await withRule("input", "iifname probe0 ip6 daddr ff02::fb drop") {
                    try await expectOutcomes([.works, .notHeard])
                }
            }
        }

        @Test("has not come back if only another interface hears it")
        func otherInterface() async throws {
            try await withCable {
                // What is sent on probe0 arrives on probe1, and on probe0 only as the kernel's copy.
                let ends = try await [
                    interface("probe0") { $0.isRunning && $0.addresses.count == 2 },
                    interface("probe1") { $0.isRunning && $0.addresses.count == 1 },
                ]
                let results = try await MulticastSelfTest(interfaces: ends).run()
                #expect(results.map(\.interface) == ["probe0", "probe0", "probe1"])
                #expect(results.map(\.outcome) == [.works, .works, .works])
                guard Tool.isFirewallThere else { return }
                try await withRule("input", "iifname probe0 udp dport 5353 drop") {
                    let results = try await MulticastSelfTest(interfaces: ends).run()
                    #expect(results.map(\.outcome) == [.notHeard, .notHeard, .works])
                }
            }
        }

        @Test("fails to join its group if the machine allows no membership")
        func cannotJoin() async throws {
            try await withCable {
                _ = try await interface("probe0") { $0.isRunning && $0.addresses.count == 2 }
                try Tool.set("net/ipv4/igmp_max_memberships", to: "0")
                let outcomes = try await outcomes()
                try Tool.set("net/ipv4/igmp_max_memberships", to: "20")
                #expect(outcomes == [.cannotJoin("IP_ADD_MEMBERSHIP: No buffer space available"), .works])
            }
        }

        @Test("can be cancelled", .enabled(if: Tool.isFirewallThere, "needs nft"))
        func cancelled() async throws {
            try await withCable {
                let end = try await interface("probe0") { $0.isRunning && $0.addresses.count == 2 }
                try await withRule("input", "iifname probe0 udp dport 5353 drop") {
                    let task = Task { try await MulticastSelfTest(interfaces: [end]).run() }
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
        }
    }
}
