import Earshot
import Testing

@Suite("A proof of the page")
struct SessionProofTests {
    private let key = [UInt8](0..<32)
    private let about = SessionProof(
        port: 7118, nonce: String(repeating: "n", count: 26), clientNonce: String(repeating: "c", count: 32),
        method: "GET",
        target: "/v1/node?x=1")

    @Test("is what docs/http-api.md says, as other implementations reckon it")
    func vector() {
        #expect(
            about.text(as: .request, key: key)
                == "0e2fd98ed0234f32d0ba1d0d168759e56de2a8e12f8b1d13cadcc047b6ad5598")
    }

    @Test("is for one role, port, nonce, method and target, and for one key")
    func differs() {
        let others = [
            SessionProof(
                port: 7119, nonce: about.nonce, clientNonce: about.clientNonce, method: "GET", target: about.target),
            SessionProof(port: 7118, nonce: "", clientNonce: about.clientNonce, method: "GET", target: about.target),
            SessionProof(port: 7118, nonce: about.nonce, clientNonce: "", method: "GET", target: about.target),
            SessionProof(
                port: 7118, nonce: about.nonce, clientNonce: about.clientNonce, method: "POST", target: about.target),
            SessionProof(
                port: 7118, nonce: about.nonce, clientNonce: about.clientNonce, method: "GET", target: "/v1/node"),
        ]
        let roles: [SessionProof.Role] = [.login, .session, .key, .greeting, .answer]
        let proofs =
            [about.text(as: .request, key: key), about.text(as: .request, key: [1])]
            + roles.map { about.text(as: $0, key: key) } + others.map { $0.text(as: .request, key: key) }
        #expect(Set(proofs).count == proofs.count)
        for proof in proofs { #expect(about.isShown(by: proof, as: .request, key: key) == (proof == proofs[0])) }
        #expect(!about.isShown(by: "", as: .request, key: key))
    }

    @Test("has nonces that hold no line break, and are drawn anew")
    func nonces() {
        let drawn = Set((0..<100).map { _ in SessionProof.randomNonce() })
        #expect(drawn.count == 100 && drawn.allSatisfy(SessionProof.isNonce))
        for text in ["", "short", String(repeating: "x", count: 65), "0123456789abcde\n", "0123456789abcde\u{e9}"] {
            #expect(!SessionProof.isNonce(text))
        }
    }
}
