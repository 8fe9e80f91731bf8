import Earshot
import Testing

@Suite("A node's configuration")
struct ConfigurationTests {
    @Test(
        "is refused at once if a peer's address cannot be dialled",
        arguments: [
            PeerAddress(host: "300.1.2.3", port: 7000), PeerAddress(host: "b$b", port: 7000),
            PeerAddress(host: "fe80::1%", port: 7000), PeerAddress(host: "bob", port: 0),
        ])
    func invalidPeer(address: PeerAddress) async throws {
        let alice = try TestUser("alice")
        let error = await expect(.invalidAddress) {
            try await Node.open(alice.home, configuration: NodeConfiguration(staticPeers: [address], logger: .quiet))
        }
        #expect(error?.message.contains(address.port == 0 ? "port" : address.host) == true)
    }

    @Test("is refused at once if it names more peers than are dialled")
    func tooManyPeers() async throws {
        let alice = try TestUser("alice")
        let peers = (1...257).map { PeerAddress(host: "host", port: $0) }
        await expect(.invalidAddress) {
            try await Node.open(alice.home, configuration: NodeConfiguration(staticPeers: peers, logger: .quiet))
        }
    }
}
