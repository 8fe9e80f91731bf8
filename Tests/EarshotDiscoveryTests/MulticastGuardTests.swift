import CLinuxNetwork
import Glibc
import Testing

@testable import EarshotDiscovery

@Suite("The guard between the sockets and the library")
struct MulticastGuardTests {
    @Test("removes unfit datagrams from the socket, and leaves fit ones for the library")
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

    @Test("removes queries that need no answer of the only instance that is advertised, and no others")
    func answered() throws {
        let sockets = try LoopbackSockets()
        let query = { (instance: String) in
            DNSMessage(
                flags: 0, questions: [(DNSMessage.name("_earshot._tcp.local"), .pointer)],
                answers: [
                    DNSMessage.Record(
                        name: DNSMessage.pointer(to: 12), type: .pointer,
                        data: DNSMessage.name(instance, thenAt: 12), seconds: 4500)
                ]
            ).bytes
        }
        let stands = MulticastGuard()
        try sockets.send(query("bob"))
        #expect(stands.hasFitDatagram(sockets.receiver), "it may advertise many")
        stands.onlyInstance = "bob"
        try sockets.send(query("carol"))
        #expect(stands.hasFitDatagram(sockets.receiver))
        #expect(sockets.receive() == query("carol"))
    }

    @Test("removes a bounded number at once, and the rest when it is asked again")
    func bounded() throws {
        let sockets = try LoopbackSockets()
        let stands = MulticastGuard()
        for _ in 0...MulticastGuard.removalLimit { try sockets.send([1]) }
        #expect(!stands.hasFitDatagram(sockets.receiver))
        #expect(sockets.receive() == [1])
        #expect(sockets.receive() == nil)
    }

    @Test("judges datagrams of both families, and leaves alone everything else that the library waits for")
    func kinds() throws {
        let kinds = [
            (AF_INET, clinuxnetwork_datagram, true), (AF_INET6, clinuxnetwork_datagram, true),
            (AF_INET, clinuxnetwork_stream, false), (AF_UNIX, clinuxnetwork_datagram, false),
            (AF_NETLINK, clinuxnetwork_raw, false),
        ]
        for (family, type, isJudged) in kinds {
            let descriptor = socket(family, type, 0)
            defer { close(descriptor) }
            try #require(descriptor >= 0)
            #expect(DatagramSocket.isOne(descriptor) == isJudged)
        }
        let wakeUp = try WakeUp()
        #expect(!DatagramSocket.isOne(wakeUp.fileDescriptor))
        withExtendedLifetime(wakeUp) {}
    }
}

/// Two sockets, of which one sends to the other.
private struct LoopbackSockets: ~Copyable {
    let receiver: CInt
    private let sender: CInt

    init() throws {
        receiver = socket(AF_INET, clinuxnetwork_datagram, 0)
        sender = socket(AF_INET, clinuxnetwork_datagram, 0)
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
        let count = recv(receiver, &buffer, buffer.count, clinuxnetwork_no_wait)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }
}
