import EarshotCrypto
import EarshotModel
import TestSupport
import Testing

@Suite("With X25519")
struct X25519Tests {
    @Test(
        "RFC 7748, section 5.2: the function gives the published results",
        arguments: [
            [
                "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
                "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
            ],
            [
                "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
                "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
            ],
        ])
    func matchesFunction(vector: [String]) throws {
        let key = try AgreementKey(secret: Hex.secret(vector[0]))
        #expect(try key.sharedSecret(with: publicKey(vector[1])) == Hex.secret(vector[2]))
    }

    @Test("RFC 7748, section 5.2: a thousand iterations give the published result")
    func matchesIteration() throws {
        let nine = "0900000000000000000000000000000000000000000000000000000000000000"
        var scalar = Hex.secret(nine)
        var point = try publicKey(nine)
        for turn in 1...1000 {
            let result = try AgreementKey(secret: scalar).sharedSecret(with: point)
            point = AgreementPublicKey(scalar.withUnsafeBytes { Bytes32(exactly: $0) })
            scalar = result
            if turn == 1 {
                let once = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
                #expect(result == Hex.secret(once))
            }
        }
        #expect(scalar == Hex.secret("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
    }

    @Test("RFC 7748, section 6.1: Alice and Bob agree on the published secret")
    func matchesAgreement() throws {
        let alice = try AgreementKey(
            secret: Hex.secret("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
        let bob = try AgreementKey(
            secret: Hex.secret("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
        let shared = Hex.secret("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(
            try alice.publicKey == publicKey("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
        #expect(try bob.publicKey == publicKey("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
        #expect(try alice.sharedSecret(with: bob.publicKey) == shared)
        #expect(try bob.sharedSecret(with: alice.publicKey) == shared)
    }

    @Test("a public key of low order is refused", arguments: LowOrderPoint.all)
    func refusesLowOrder(point: String) throws {
        let remote = try publicKey(point)
        expect(.lowOrderKey) { try AgreementKey.generate().sharedSecret(with: remote) }
    }

    @Test("a secret key is 32 bytes", arguments: [0, 31, 33])
    func checksSecret(count: Int) {
        expect(.invalidKeyLength) { try AgreementKey(secret: .random(count: count)) }
    }

    private func publicKey(_ text: String) throws -> AgreementPublicKey {
        try #require(AgreementPublicKey(bytes: Hex.bytes(text)))
    }
}
