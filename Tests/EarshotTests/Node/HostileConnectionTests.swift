import Earshot
import TestSupport
import Testing

@Suite("A hostile or foreign peer")
struct HostileConnectionTests {
    private let alice: TestUser

    init() throws { alice = try TestUser("alice") }

    @Test(
        "that does not speak the protocol is cut off and reported, and the node goes on",
        arguments: [
            Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), [UInt8](repeating: 0xff, count: 3000),
            [UInt8](repeating: 0, count: 10), [0, 5, 1, 2, 3, 4, 5], [0, 34] + [UInt8](repeating: 9, count: 34),
            // A key of low order, with which every secret would be zero (RFC 7748, section 6.1).
            hello([0x08, 2], key: 0),
            Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), [8, 0] + [UInt8](repeating: 1, count: 2048),
        ])
    func junk(bytes: [UInt8]) async throws {
        try await alice.start()
        let connection = try RawConnection(to: alice.address.port)
        try connection.write(bytes)
        #expect(try await connection.readToEnd() == [])
        let failure = try await alice.events.first("the failure") { $0.linkFailure }
        #expect(failure.address.hasPrefix("127.0.0.1:"))
        #expect(failure.userID == nil)
        try await checkThatItGoesOn()
    }

    @Test("that connects and says next to nothing is reported when it goes, and not one that says nothing at all")
    func nothing() async throws {
        try await alice.start()
        do { _ = try RawConnection(to: alice.address.port) }
        do { try RawConnection(to: alice.address.port).write([0]) }
        let failure = try await alice.events.first("the failure") { $0.linkFailure }
        #expect(failure.code == "closedByPeer")
        #expect(await alice.events.events.compactMap(\.linkFailure).count == 1)
        try await checkThatItGoesOn()
    }

    @Test("of another version is told so, in the clear, and reported")
    func otherVersion() async throws {
        try await alice.start()
        let connection = try RawConnection(to: alice.address.port)
        try connection.write(Self.hello([0x08, 1]))
        // Two zero bytes, unsupported version, our version.
        #expect(try await connection.readToEnd() == [0, 0, 4, 2])
        let failure = try await alice.events.first("the failure") { $0.linkFailure }
        #expect(failure.code == "unsupportedVersion")
        #expect(failure.message.contains("version 1") && failure.message.contains("this node 2"))
    }

    @Test("of another network is told so, in the clear, and reported")
    func otherNetwork() async throws {
        try await alice.start()
        let connection = try RawConnection(to: alice.address.port)
        try connection.write(Self.hello([0x08, 2, 0x12, 3] + Array("lab".utf8)))
        #expect(try await connection.readToEnd() == [0, 0, 5, 2])
        let failure = try await alice.events.first("the failure") { $0.linkFailure }
        #expect(failure.code == "otherNetwork")
    }

    @Test("that opens many connections from one address keeps 64, and leaves when it closes them")
    func manyConnections() async throws {
        try await alice.start()
        let over = 6
        var connections = try (0..<Limits.pendingHandshakesPerAddress + over).map { _ in
            try RawConnection(to: alice.address.port)
        }
        #expect(try await RawConnection.closed(of: connections, atLeast: over) == over)
        connections.removeAll()
        try await checkThatItGoesOn()
    }

    @Test("that opens connections from many addresses keeps 256 in all")
    func manyAddresses() async throws {
        try await alice.start()
        let port = alice.address.port
        // Both ends of each are descriptors of this process, which may have 1,024 where nobody allows it more.
        let (perAddress, over) = (Limits.pendingHandshakesPerAddress - 4, 4)
        let connections = try (0..<Limits.pendingHandshakes + over).map {
            try RawConnection(to: port, from: "127.0.1.\(1 + $0 / perAddress)")
        }
        #expect(try await RawConnection.closed(of: connections, atLeast: over) == over)
    }

    /// A first word, and a first Noise message: an ephemeral key, in the clear (Noise, section 7.5).
    static func hello(_ word: [UInt8], key: UInt8 = 9) -> [UInt8] {
        [0, UInt8(word.count)] + word + [0, 32] + [UInt8](repeating: key, count: 32)
    }

    /// A friendly node can still link and talk to it.
    private func checkThatItGoesOn(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let bob = try TestUser("bob")
        try await bob.start(peers: [alice.address])
        try await bob.waitForLink(to: alice)
        let message = try await bob.send("still there?", to: alice)
        try await bob.events.state(.delivered, of: message.messageID)
        #expect(try await alice.events.receivedTexts(1) == ["still there?"], sourceLocation: sourceLocation)
    }
}
