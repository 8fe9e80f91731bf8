import EarshotCrypto
import TestSupport
import Testing

@Suite("With boxes that a passphrase seals")
struct PassphraseBoxTests {
    private static let passphrase = SecretBytes(copying: Array("correct horse".utf8))
    private static let secret = SecretBytes(copying: Array("the secret".utf8))
    /// As little as Argon2id can do: these tests try hundreds of boxes.
    private static let cheap = PassphraseCost(passes: 1, kibibytes: 8)

    private let box: [UInt8]

    init() throws {
        box = try PassphraseBox.seal(Self.secret, passphrase: Self.passphrase, cost: Self.cheap)
    }

    @Test("a box with the default cost opens, and records that cost")
    func opensDefault() throws {
        let box = try PassphraseBox.seal(Self.secret, passphrase: Self.passphrase)
        #expect(Array(box[12..<20]) == [0, 0, 0, 3, 0, 4, 0, 0], "3 passes over 262144 KiB")
        #expect(try PassphraseBox.open(box, passphrase: Self.passphrase) == Self.secret)
    }

    @Test("a box that another program made by the format's description opens")
    func opensForeignBox() throws {
        let header =
            "65617273686f742d626f78010000000100000040000102030405060708090a0b0c0d0e0f"
            + "6465666768696a6b6c6d6e6f707172737475767778797a7b"
        let ciphertext = "f1719fa1525abf6ea51b503af269caa191749acee1cf7e5d511a"
        let box = Hex.bytes(header + ciphertext)
        #expect(try PassphraseBox.open(box, passphrase: Self.passphrase) == Self.secret)
    }

    @Test("secrets from empty to the longest come back", arguments: [0, 1, 32, PassphraseBox.maximumSecretBytes])
    func roundTrips(count: Int) throws {
        let secret = SecretBytes.random(count: count)
        let box = try PassphraseBox.seal(secret, passphrase: Self.passphrase, cost: Self.cheap)
        #expect(try PassphraseBox.open(box, passphrase: Self.passphrase) == secret)
    }

    @Test("a secret that is too long is refused")
    func bounds() {
        let secret = SecretBytes.random(count: PassphraseBox.maximumSecretBytes + 1)
        expect(.secretTooLong) { try PassphraseBox.seal(secret, passphrase: Self.passphrase, cost: Self.cheap) }
        let box = self.box + [UInt8](repeating: 0, count: PassphraseBox.maximumSecretBytes)
        expect(.malformedBox) { try PassphraseBox.open(box, passphrase: Self.passphrase) }
    }

    @Test("two boxes of one secret share nothing but their parameters")
    func isRandomized() throws {
        let other = try PassphraseBox.seal(Self.secret, passphrase: Self.passphrase, cost: Self.cheap)
        #expect(other.prefix(20) == box.prefix(20))
        #expect(other[20..<36] != box[20..<36])
        #expect(other[36..<60] != box[36..<60])
        #expect(other[60...] != box[60...])
    }

    @Test("another passphrase does not open it", arguments: ["", "correct hors", "correct horse ", "Correct horse"])
    func refusesOtherPassphrase(passphrase: String) {
        expect(.wrongPassphrase) {
            try PassphraseBox.open(box, passphrase: SecretBytes(copying: Array(passphrase.utf8)))
        }
    }

    @Test("a box cut short anywhere, or lengthened, does not open")
    func refusesOtherLength() {
        for length in 0..<76 {
            expect(.malformedBox) { try PassphraseBox.open(Array(box.prefix(length)), passphrase: Self.passphrase) }
        }
        for length in 76..<box.count {
            expect(.wrongPassphrase) { try PassphraseBox.open(Array(box.prefix(length)), passphrase: Self.passphrase) }
        }
        expect(.wrongPassphrase) { try PassphraseBox.open(box + [0], passphrase: Self.passphrase) }
    }

    @Test("a bit altered anywhere keeps it shut")
    func refusesAlteredBox() {
        for (bit, altered) in box.withEachBitFlipped.enumerated() {
            let error = #expect(throws: CryptoError.self, "bit \(bit)") {
                try PassphraseBox.open(altered, passphrase: Self.passphrase)
            }
            let isInMagicOrVersion = bit < 12 * 8
            let isPastParameters = bit >= 20 * 8
            if isInMagicOrVersion { #expect(error?.code == .malformedBox, "bit \(bit)") }
            if isPastParameters { #expect(error?.code == .wrongPassphrase, "bit \(bit)") }
        }
    }

    @Test(
        "parameters that would exhaust memory or time, or that Argon2id does not have, are refused",
        arguments: [(0, 8), (5, 8), (.max, 8), (1, 0), (1, 7), (1, 1024 * 1024 + 1), (1, .max)] as [(UInt32, UInt32)])
    func refusesHostileParameters(passes: UInt32, kibibytes: UInt32) {
        var hostile = box
        hostile.replaceSubrange(12..<16, with: withUnsafeBytes(of: passes.bigEndian) { Array($0) })
        hostile.replaceSubrange(16..<20, with: withUnsafeBytes(of: kibibytes.bigEndian) { Array($0) })
        expect(.malformedBox) { try PassphraseBox.open(hostile, passphrase: Self.passphrase) }
    }

    @Test("a box is recognized by its first bytes")
    func recognizesBox() {
        #expect(PassphraseBox.isBox(box))
        #expect(!PassphraseBox.isBox([]))
        #expect(!PassphraseBox.isBox(Array("earshot-bo".utf8)))
        #expect(!PassphraseBox.isBox([UInt8](repeating: 7, count: 32)))
    }
}
