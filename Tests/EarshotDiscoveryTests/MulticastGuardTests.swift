import EarshotModel
import Glibc
import Testing

@testable import EarshotDiscovery

@Suite("What stands between the sockets and the library")
struct MulticastGuardTests {
    @Test("takes what is unfit off the socket, and leaves what is fit for the library to read")
    func takesOff() throws {
        let sockets = try LoopbackSockets()
        let hostile = DNSMessage(answers: [DNSMessage.alias("a.local", of: "a.local")]).bytes
        let honest = DNSMessage(flags: 0, questions: [(DNSMessage.name("_earshot._tcp.local"), .pointer)]).bytes
        let stands = MulticastGuard()
        #expect(!stands.hasFitDatagram(sockets.receiver))
        for bytes in [hostile, [], [UInt8](repeating: 0, count: 10_000), honest, hostile] { try sockets.send(bytes) }
        #expect(stands.hasFitDatagram(sockets.receiver))
        #expect(stands.hasFitDatagram(sockets.receiver))
        #expect(sockets.receive() == honest)
        #expect(!stands.hasFitDatagram(sockets.receiver))
        #expect(sockets.receive() == nil)
    }

    @Test("takes so many off at once, and the rest when it is asked again")
    func bounded() throws {
        let sockets = try LoopbackSockets()
        let stands = MulticastGuard()
        for _ in 0...MulticastGuard.removalLimit { try sockets.send([1]) }
        #expect(!stands.hasFitDatagram(sockets.receiver))
        #expect(sockets.receive() == [1])
        #expect(sockets.receive() == nil)
    }

    @Test("judges the datagrams of both families, and leaves alone what else the library waits for")
    func kinds() throws {
        let kinds = [
            (AF_INET, SOCK_DGRAM, true), (AF_INET6, SOCK_DGRAM, true), (AF_INET, SOCK_STREAM, false),
            (AF_UNIX, SOCK_DGRAM, false), (AF_NETLINK, SOCK_RAW, false),
        ]
        for (family, type, isJudged) in kinds {
            let descriptor = socket(family, CInt(type.rawValue), 0)
            defer { close(descriptor) }
            try #require(descriptor >= 0)
            #expect(MulticastGuard.isDatagramSocket(descriptor) == isJudged)
        }
        #expect(!MulticastGuard.isDatagramSocket(try WakeUp().fileDescriptor))
    }
}

/// Two sockets, of which one sends to the other.
private struct LoopbackSockets: ~Copyable {
    let receiver: CInt
    private let sender: CInt

    init() throws {
        receiver = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        sender = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        guard bindSocket(receiver, to: address) == 0 else { throw DiscoveryError.failedCall("bind") }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(receiver, $0, &size) == 0 && connect(sender, $0, size) == 0
            }
        }
        guard connected else { throw DiscoveryError.failedCall("connect") }
    }

    deinit {
        close(receiver)
        close(sender)
    }

    func send(_ bytes: [UInt8]) throws {
        guard Glibc.send(sender, bytes, bytes.count, 0) == bytes.count else { throw DiscoveryError.failedCall("send") }
    }

    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 10_000)
        let count = recv(receiver, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        return count < 0 ? nil : Array(buffer.prefix(count))
    }
}

extension RealNetworkTests {
    @Suite("A stack in this process that hears what ends the library", .serialized, .timeLimit(.minutes(2)))
    struct HostilePacketTests {
        @Test("goes on finding, while the names that it asks for are made aliases of themselves and of each other")
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
                "_earshot._tcp.local", "\(bob.embeddedInstanceName)._earshot._tcp.local",
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
                // Avahi issue 683, CVE-2025-68468
                [("i2.local", "i3.local"), ("i1.local", "i3.local"), (name, "i2.local"), (name, "i1.local")],
                // Avahi pull request 941, and issue 678, CVE-2025-68471
                [(name, "z.local"), (name, "y.local"), ("z.local", "y.local"), ("y.local", "z.local")],
            ]
        }
    }
}
