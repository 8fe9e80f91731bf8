import Testing

@testable import EarshotDiscovery

extension RealNetworkTests {
    @Suite("A stack in this process that hears packets which crash the library", .serialized, .timeLimit(.minutes(2)))
    struct HostilePacketTests {
        @Test("goes on finding nodes while the names that it asks for become aliases of themselves and of each other")
        func aliases() async throws {
            // The packets would end the daemon of this network too.
            try await PrivateDaemon.stop()
            let alice = try RunningDiscovery("alice", seed: 1, port: 4001, source: EmbeddedDNSSDSource())
            let bob = try RunningDiscovery("bob", seed: 2, port: 4002, source: EmbeddedDNSSDSource())
            try await alice.waitForDevice(2, port: 4002)
            let mallory = try MulticastSender(from: "10.77.0.1")
            for packet in try Self.packets() { try mallory.send(packet) }
            // Some would end it only when the records expire, after a second: as long as a goodbye takes to count.
            try await bob.stop()
            try await alice.wait { $0 == .lost(deviceID(2)) }
            let carol = try RunningDiscovery("carol", seed: 3, port: 4003, source: EmbeddedDNSSDSource())
            try await alice.waitForDevice(3, port: 4003)
            try await alice.stop()
            try await carol.stop()
            try await PrivateDaemon.start()
        }

        /// For each name that a node asks for, what is known to end libavahi-core 0.8.
        private static func packets() throws -> [[UInt8]] {
            let bob = try advertisement("bob", seed: 2, port: 4002)
            let names = [
                "_earshot._tcp.local", "\(bob.instanceName)._earshot._tcp.local",
                "\(bob.embeddedHostName).local",
            ]
            return names.flatMap { name in
                chains(from: name).map { chain in
                    DNSMessage(answers: chain.map { DNSMessage.alias($0, of: $1, seconds: 1) }).bytes
                }
            }
        }

        private static func chains(from name: String) -> [[(String, String)]] {
            [
                // CVE-2026-24401
                [(name, name)],
                // CVE-2025-68468: when they expire.
                [("i2.local", "i3.local"), ("i1.local", "i3.local"), (name, "i2.local"), (name, "i1.local")],
                // CVE-2025-68471, and where that is mended, memory that is used after it was freed.
                [(name, "z.local"), (name, "y.local"), ("z.local", "y.local"), ("y.local", "z.local")],
            ]
        }
    }
}
