import EarshotModel
import NIOCore
import Testing

@testable import Earshot

@Suite("A socket's address")
struct SocketAddressTests {
    @Test("keeps the scope of a link-local one, so that its host can be dialled back")
    func scope() throws {
        // The loopback interface is there on every host, and has number 1.
        let address = try SocketAddress.makeAddressResolvingHost("fe80::1%lo", port: 7)
        #expect(address.peerAddress == PeerAddress(host: "fe80::1%lo", port: 7))
        #expect(SocketAddress(literal: PeerAddress(host: "fe80::1%lo", port: 7)) == address)
    }

    @Test(
        "is named without one otherwise, and an IPv4 one over a dual-stack socket as what it is",
        arguments: [("fd00::1", "fd00::1"), ("10.1.2.3", "10.1.2.3"), ("::ffff:10.1.2.3", "10.1.2.3")])
    func plain(_ literal: String, _ host: String) throws {
        #expect(try SocketAddress(ipAddress: literal, port: 7).peerAddress == PeerAddress(host: host, port: 7))
    }
}
