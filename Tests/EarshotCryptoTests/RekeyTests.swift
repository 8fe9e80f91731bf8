import EarshotCrypto
import Testing

@Suite("By Noise's rules for keys and nonces")
struct RekeyTests {
    @Test("each direction is rekeyed on its own, and both sides go on")
    func goesOnAfterRekey() throws {
        var (a, b) = try Handshake.transports()
        _ = try b.open(a.seal([0]))
        a.rekeySending()
        b.rekeyReceiving()
        #expect(try b.open(a.seal([1])) == [1])
        #expect(try a.open(b.seal([2])) == [2])
        b.rekeySending()
        a.rekeyReceiving()
        #expect(try a.open(b.seal([3])) == [3])
        #expect(try b.open(a.seal([4])) == [4])
    }

    @Test("a side that missed the rekey opens nothing more")
    func refusesWithoutRekey() throws {
        var (a, b) = try Handshake.transports()
        a.rekeySending()
        let sealed = try a.seal([1])
        expect(.decryptionFailed) { try b.open(sealed) }
        b.rekeyReceiving()
        #expect(try b.open(sealed) == [1])
    }

    @Test("a rekey changes the key and not the nonce")
    func keepsNonce() throws {
        let key = SecretBytes.random(count: 32)
        var rekeyed = CipherState(key: key, nonce: 7)
        var untouched = CipherState(key: key, nonce: 7)
        rekeyed.rekey()
        #expect(rekeyed.nonce == 7)
        #expect(try rekeyed.encrypt([1]) != untouched.encrypt([1]))
    }

    @Test("the nonce 2^64 - 1 encrypts no message")
    func exhaustsEncryption() throws {
        var cipher = CipherState(key: .random(count: 32), nonce: .max - 1)
        _ = try cipher.encrypt([1])
        expect(.nonceExhausted) { try cipher.encrypt([1]) }
        cipher.rekey()
        expect(.nonceExhausted) { try cipher.encrypt([1]) }
    }

    @Test("the nonce 2^64 - 1 decrypts no message")
    func exhaustsDecryption() throws {
        let key = SecretBytes.random(count: 32)
        var sender = CipherState(key: key, nonce: .max - 1)
        var receiver = CipherState(key: key, nonce: .max - 1)
        let last = try sender.encrypt([1])
        #expect(try receiver.decrypt(last) == [1])
        expect(.nonceExhausted) { try receiver.decrypt(last) }
    }

    @Test("nonces beyond 32 bits stay distinct")
    func usesWholeNonce() throws {
        let key = SecretBytes.random(count: 32)
        var low = CipherState(key: key, nonce: 1)
        var high = CipherState(key: key, nonce: 1 << 32 | 1)
        #expect(try low.encrypt([1]) != high.encrypt([1]))
    }

    @Test("without a key a cipher leaves the text unchanged")
    func passesWithoutKey() throws {
        var cipher = CipherState()
        #expect(try cipher.encrypt([1, 2]) == [1, 2])
        #expect(try cipher.decrypt([1, 2]) == [1, 2])
        #expect(cipher.nonce == 0)
    }
}
