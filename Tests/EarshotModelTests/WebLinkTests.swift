import EarshotModel
import Testing

@Suite("A link of a message")
struct WebLinkTests {
    @Test(
        "is http or https with a host",
        arguments: [
            ("https://example.org", "example.org"), ("HTTP://Example.ORG:8080/a?b=c#d", "example.org:8080"),
            ("https://127.0.0.1/%C3%A9", "127.0.0.1"), ("http://[::1]:80/", "[::1]:80"),
            ("http://[fe80::1]/", "[fe80::1]"),
            ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"), ("http://printer/", "printer"),
            ("https://example.org?a", "example.org"),
        ])
    func valid(text: String, host: String) throws {
        let link = try WebLink(text)
        #expect(link.host == host && link.description == text)
    }

    @Test(
        "is nothing that runs or opens anything else",
        arguments: [
            "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.org", "example.org", "",
            "ftp://a/",
        ])
    func scheme(text: String) { expectInvalid(WebLink.Invalid.otherScheme) { try WebLink(text) } }

    @Test(
        "has no host that reads as another one",
        arguments: [
            "https://", "https:///a", "https://bank.example@evil.example/", "https://a%2Eb/", "https://a:b:1/",
            "https://a:x/",
            "https://a:65536/", "https://a:/", "https://[::1/", "https://[]/", "https://.../", "http://a,b/",
        ])
    func host(text: String) { expectInvalid(WebLink.Invalid.wrongHost) { try WebLink(text) } }

    @Test(
        "has no character that a browser reads in another way",
        arguments: [
            "https://a/b c", "https://a\\@b/", "https://a/\u{202e}", "https://bücher.example/", "https://a/\n",
            "https://a/<",
        ])
    func characters(text: String) { expectInvalid(WebLink.Invalid.forbiddenCharacter) { try WebLink(text) } }

    @Test("has at most 2 KiB")
    func length() throws {
        let start = "https://a/"
        _ = try WebLink(start + String(repeating: "a", count: 2048 - start.count))
        expectInvalid(WebLink.Invalid.tooLong(bytes: 2049)) {
            try WebLink(start + String(repeating: "a", count: 2049 - start.count))
        }
    }
}
