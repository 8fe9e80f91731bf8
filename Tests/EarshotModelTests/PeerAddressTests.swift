import EarshotModel
import Testing

@Suite("Peer addresses")
struct PeerAddressTests {
    @Test(
        "are read from host and port, and written the same",
        arguments: [
            ("bob.local:4000", "bob.local", 4000), ("10.0.0.2:1", "10.0.0.2", 1), ("[::1]:65535", "::1", 65535),
            ("[fe80::1%eth0]:80", "fe80::1%eth0", 80), ("[2001:db8::7]:4000", "2001:db8::7", 4000),
        ] as [(String, String, UInt16)])
    func roundTrip(text: String, host: String, port: UInt16) {
        let address = PeerAddress(text)
        #expect(address == PeerAddress(host: host, port: port))
        #expect(address?.description == text)
    }

    @Test(
        "are not read without a host and a port from 1 to 65535",
        arguments: [
            "", ":", ":80", "bob", "bob:", "bob:0", "bob:65536", "bob:-1", "bob:+80", "bob:080", "bob:80 ", "bob: 80",
            "bob:80x", "bob:٨٠", "[]:80", "[::1]", "[::1]80", "::1:80", "fe80::1%eth0:80",
            "[[bob]]:80", "[bob:80", "bob]:80", "[]]:80",
        ])
    func malformed(text: String) {
        #expect(PeerAddress(text) == nil)
    }

    @Test("have no spaces, which would part them in a list", arguments: ["bob smith:80", "a\tb:80", "[::1 ]:80"])
    func spaces(text: String) {
        #expect(PeerAddress(text) == nil)
    }
}
