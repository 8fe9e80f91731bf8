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
        let now = ContinuousClock.now
        #expect(!stands.hasUsefulDatagram(sockets.receiver, now: now))
        for bytes in [hostile, [], [UInt8](repeating: 0, count: 10_000), honest, hostile] { try sockets.send(bytes) }
        #expect(stands.hasUsefulDatagram(sockets.receiver, now: now))
        #expect(stands.hasUsefulDatagram(sockets.receiver, now: now))
        #expect(sockets.receive() == honest)
        #expect(!stands.hasUsefulDatagram(sockets.receiver, now: now))
        #expect(sockets.receive() == nil)
    }

    private static func query(knowing instance: String, flags: UInt16 = 0) -> [UInt8] {
        DNSMessage(
            flags: flags, questions: [(DNSMessage.name("_earshot._tcp.local"), .pointer)],
            answers: [
                DNSMessage.Record(
                    name: DNSMessage.pointer(to: 12), type: .pointer, data: DNSMessage.name(instance, thenAt: 12),
                    seconds: 4500)
            ]
        ).bytes
    }

    @Test("removes queries that want nothing of what is advertised, and those that the same answer does for")
    func needless() throws {
        let sockets = try LoopbackSockets(from: 5353)
        let stands = MulticastGuard()
        let now = ContinuousClock.now
        try sockets.send(Self.query(knowing: "bob"))
        #expect(stands.hasUsefulDatagram(sockets.receiver, now: now), "it may advertise anything")
        #expect(sockets.receive() == Self.query(knowing: "bob"))
        stands.advertisedNames = AdvertisedNames(instance: "bob", hostName: "host")
        for instance in ["bob", "carol", "dave"] { try sockets.send(Self.query(knowing: instance)) }
        #expect(stands.hasUsefulDatagram(sockets.receiver, now: now))
        #expect(stands.hasUsefulDatagram(sockets.receiver, now: now), "the library has not read it yet")
        #expect(sockets.receive() == Self.query(knowing: "carol"))
        #expect(!stands.hasUsefulDatagram(sockets.receiver, now: now))
        #expect(sockets.receive() == nil)
    }

    @Test("lets few truncated queries through from one interface, and the same again while it is not read")
    func truncated() throws {
        let sockets = try LoopbackSockets(from: 5353)
        let stands = MulticastGuard()
        let now = ContinuousClock.now
        stands.advertisedNames = AdvertisedNames(instance: "bob", hostName: "host")
        for instance in ["carol", "dave"] { try sockets.send(Self.query(knowing: instance, flags: 0x0200)) }
        #expect(stands.hasUsefulDatagram(sockets.receiver, now: now))
        #expect(stands.hasUsefulDatagram(sockets.receiver, now: now), "the library has not read it yet")
        #expect(sockets.receive() == Self.query(knowing: "carol", flags: 0x0200))
        #expect(!stands.hasUsefulDatagram(sockets.receiver, now: now))
        #expect(sockets.receive() == nil)
    }

    @Test("hears this node answer, and then removes what it would not answer again")
    func answered() throws {
        let sockets = try LoopbackSockets(from: 5353, toGroup: true)
        let stands = MulticastGuard()
        let now = ContinuousClock.now
        stands.advertisedNames = AdvertisedNames(instance: "bob", hostName: "host")
        let service = DNSMessage.name("_earshot._tcp.local")
        let data = DNSMessage.name("bob", thenAt: 12)
        let answer = DNSMessage(answers: [.init(name: service, type: .pointer, data: data, seconds: 4500)]).bytes
        for bytes in [Self.query(knowing: "carol"), answer, Self.query(knowing: "carol")] { try sockets.send(bytes) }
        for _ in 0..<2 {
            #expect(stands.hasUsefulDatagram(sockets.receiver, now: now))
            _ = sockets.receive()
        }
        #expect(!stands.hasUsefulDatagram(sockets.receiver, now: now))
        try sockets.send(Self.query(knowing: "carol"))
        #expect(stands.hasUsefulDatagram(sockets.receiver, now: now + QueryFilter.silence))
    }

    @Test("leaves each query of who asks from another port, and is answered alone")
    func otherPort() throws {
        let sockets = try LoopbackSockets()
        let stands = MulticastGuard()
        let now = ContinuousClock.now
        stands.advertisedNames = AdvertisedNames(instance: "bob", hostName: "host")
        for instance in ["carol", "bob", "dave"] {
            try sockets.send(Self.query(knowing: instance))
            #expect(stands.hasUsefulDatagram(sockets.receiver, now: now))
            #expect(sockets.receive() == Self.query(knowing: instance))
        }
    }

    @Test("learns from the socket on which interface a datagram came, and from which port")
    func arrival() throws {
        for family in [AF_INET, AF_INET6] {
            let sockets = try LoopbackSockets(family)
            try sockets.send([1, 2, 3])
            var buffer = [UInt8](repeating: 0, count: 2)
            #expect(DatagramSocket.peek(sockets.receiver, into: &buffer)?.interface == 0, "it was not asked to tell")
            try sockets.tellInterfaces()
            try sockets.send([4, 5])
            DatagramSocket.remove(from: sockets.receiver)
            let arrival = try #require(DatagramSocket.peek(sockets.receiver, into: &buffer))
            #expect(buffer == [4, 5])
            #expect(arrival.byteCount == 2)
            #expect(arrival.interface == if_nametoindex("lo"))
            #expect(!arrival.isToGroup)
            let zeros = [UInt8](repeating: 0, count: 15)
            #expect(arrival.source == (family == AF_INET ? [127, 0, 0, 1] + zeros.prefix(12) : zeros + [1]))
            #expect(arrival.sourcePort == sockets.senderPort)
            #expect(sockets.receive() == [4, 5])
            #expect(DatagramSocket.peek(sockets.receiver, into: &buffer) == nil)
        }
    }

    @Test("makes room for more datagrams to wait")
    func room() throws {
        let sockets = try LoopbackSockets()
        let before = sockets.room
        DatagramSocket.makeRoom(in: sockets.receiver)
        #expect(sockets.room > before)
    }

    @Test("removes a bounded number at once, and the rest when it is asked again")
    func bounded() throws {
        let sockets = try LoopbackSockets()
        let stands = MulticastGuard()
        let now = ContinuousClock.now
        for _ in 0...MulticastGuard.removalLimit { try sockets.send([1]) }
        #expect(!stands.hasUsefulDatagram(sockets.receiver, now: now))
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
    private let family: CInt

    /// - Parameters:
    ///   - port: from where one sends; any that is free if it is 0.
    ///   - toGroup: whether it sends to a group of which the other is a member, and which tells of that.
    init(_ family: CInt = AF_INET, from port: UInt16 = 0, toGroup: Bool = false) throws {
        self.family = family
        receiver = socket(family, clinuxnetwork_datagram, 0)
        sender = socket(family, clinuxnetwork_datagram, 0)
        // Stacks of this host may have it, too, whoever runs them.
        _ = setOption(sender, SOL_SOCKET, SO_REUSEADDR, CInt(1))
        _ = setOption(sender, SOL_SOCKET, SO_REUSEPORT, CInt(1))
        try Self.bind(receiver, family, port: 0, isAnywhere: toGroup)
        try Self.bind(sender, family, port: port)
        if toGroup {
            try tellInterfaces()
            try connectToGroup()
        } else {
            guard Self.withAddress(of: receiver, { connect(sender, $0, $1) }) == 0 else {
                throw DiscoveryError.failedCall("connect")
            }
        }
    }

    private func connectToGroup() throws {
        let loopback = in_addr(s_addr: inet_addr("127.0.0.1"))
        var group = sockaddr_in()
        group.sin_family = sa_family_t(AF_INET)
        group.sin_addr.s_addr = inet_addr("239.255.77.1")
        let membership = ip_mreq(imr_multiaddr: group.sin_addr, imr_interface: loopback)
        let isMember =
            setOption(receiver, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, membership) == 0
            && setOption(sender, CInt(IPPROTO_IP), IP_MULTICAST_IF, loopback) == 0
        group.sin_port = Self.port(of: receiver).bigEndian
        let isConnected = withUnsafePointer(to: group) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(sender, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isMember, isConnected else { throw DiscoveryError.failedCall("connect") }
    }

    deinit {
        close(receiver)
        close(sender)
    }

    var senderPort: UInt16 { Self.port(of: sender) }

    /// How many bytes may wait in the receiver.
    var room: CInt {
        var bytes: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &bytes, &size)
        return bytes
    }

    /// As the library does.
    func tellInterfaces() throws {
        let (level, option) = family == AF_INET ? (IPPROTO_IP, IP_PKTINFO) : (IPPROTO_IPV6, IPV6_RECVPKTINFO)
        guard setOption(receiver, CInt(level), option, CInt(1)) == 0 else {
            throw DiscoveryError.failedCall("setsockopt")
        }
    }

    func send(_ bytes: [UInt8]) throws {
        guard Glibc.send(sender, bytes, bytes.count, 0) == bytes.count else { throw DiscoveryError.failedCall("send") }
    }

    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 10_000)
        let count = recv(receiver, &buffer, buffer.count, clinuxnetwork_no_wait)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    private static func bind(_ descriptor: CInt, _ family: CInt, port: UInt16, isAnywhere: Bool = false) throws {
        let result: CInt
        if family == AF_INET {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr(isAnywhere ? "0.0.0.0" : "127.0.0.1")
            result = bindSocket(descriptor, to: address)
        } else {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            result = bindSocket(descriptor, to: address)
        }
        guard result == 0 else { throw DiscoveryError.failedCall("bind") }
    }

    private static func port(of descriptor: CInt) -> UInt16 {
        // It has the same place in the addresses of both families.
        withAddress(of: descriptor) { address, _ in
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
        }
    }

    private static func withAddress<Result>(
        of descriptor: CInt, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &size)
                return body(address, size)
            }
        }
    }
}
