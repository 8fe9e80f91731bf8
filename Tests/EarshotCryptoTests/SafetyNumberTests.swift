import EarshotCrypto
import EarshotModel
import TestSupport
import Testing

@Suite("Safety numbers")
struct SafetyNumberTests {
    /// One number, in every way in which people type it.
    private static let digits = "300354477692869396892869876765458257569162576843440918079131"

    /// All but the last digit of it.
    private static let start = String(digits.dropLast())
    private static let notNumbers: [String] = [
        "", " ", "3", start, "\(digits)0", "\(start)O", "\(start)x", "+\(digits)", "\(digits)\u{200B}",
        // Arabic-Indic and fullwidth digits; a combining mark on a digit.
        "\(start)\u{661}", "\(start)\u{FF11}", "\(digits)\u{301}",
    ]

    private static func user(_ byte: UInt8) throws -> UserID {
        UserID(try #require(Bytes32([UInt8](repeating: byte, count: Bytes32.count))))
    }

    /// libsignal, `rust/protocol/src/fingerprint.rs`, `fingerprint_test_v1` (in Java `NumericFingerprintGeneratorTest`,
    /// `testVectorsVersion1`). The hashes are the first 32 bytes, as the scannable fingerprint there carries them.
    @Test(
        "are constructed as Signal's published vectors say, under Signal's version and identifiers",
        arguments: [
            (
                "0506863bc66d02b40d27b8d49ca7c09e9239236f9d7d25d6fcca5ce13c7064d868", "+14152222222",
                "1e301a0353dce3dbe7684cb8336e85136cdc0ee96219494ada305d62a7bd61df", "300354477692869396892869876765"
            ),
            (
                "05f781b6fb32fed9ba1cf2de978d4d5da28dc34046ae814402b5c0dbd96fda907b", "+14153333333",
                "d62cbf73a11592015b6b9f1682ac306fea3aaf3885b84d12bca631e9d4fb3a4d", "458257569162576843440918079131"
            ),
        ])
    func signalVector(key: String, identifier: String, hash: String, digits: String) {
        let computed = NumericFingerprint(version: 0, iterations: 5200)
            .hash(ofKey: Hex.bytes(key), identifier: Array(identifier.utf8))
        #expect(computed.count == NumericFingerprint.hashBytes)
        #expect(Hex.text(Array(computed.prefix(32))) == hash)
        #expect(NumericFingerprint.digits(of: computed) == digits)
        #expect(Self.digits.contains(digits))
    }

    @Test("fill each group up to five digits with zeros, and read its five bytes most significant first")
    func groups() {
        let first: [UInt8] = [0, 0, 0, 0, 7], second: [UInt8] = [0x01, 0, 0, 0, 0],
            last: [UInt8] = [0, 0, 0x01, 0x86, 0xA0]
        let zeros = [UInt8](repeating: 0, count: 5)
        // 2^32 is 4,294,967,296; 0x0186A0 is 100,000.
        #expect(
            NumericFingerprint.digits(of: first + second + zeros + zeros + zeros + last + zeros)
                == "00007" + "67296" + "00000" + "00000" + "00000" + "00000")
    }

    @Test("are the same on both sides, with the smaller half first")
    func symmetry() throws {
        for (a, b) in [(1, 2), (2, 1), (3, 200), (7, 7)] as [(UInt8, UInt8)] {
            let (alice, bob) = (try Self.user(a), try Self.user(b))
            let number = SafetyNumber(alice, bob)
            #expect(number == SafetyNumber(bob, alice))
            #expect(number.digits.utf8.count == SafetyNumber.digitCount)
            let halves = [SafetyNumber.half(alice), SafetyNumber.half(bob)]
            #expect(number.digits == halves.min().map { $0 + (halves.max() ?? "") })
        }
    }

    @Test("differ if either key does, in that key's half")
    func dependsOnBothKeys() throws {
        let (alice, bob, mallory) = (try Self.user(1), try Self.user(2), try Self.user(3))
        #expect(SafetyNumber(alice, bob) != SafetyNumber(alice, mallory))
        #expect(SafetyNumber(alice, bob) != SafetyNumber(mallory, bob))
        #expect(SafetyNumber.half(alice) != SafetyNumber.half(mallory))
    }

    @Test("are never those that Signal would give for the same key and identifier")
    func versionIsOurs() throws {
        let user = try Self.user(1)
        let signals = NumericFingerprint(version: 0, iterations: SafetyNumber.iterations)
            .hash(ofKey: user.bytes, identifier: Array(user.description.utf8))
        #expect(SafetyNumber.half(user) != NumericFingerprint.digits(of: signals))
    }

    @Test("are shown as twelve groups of five, in three lines of four")
    func groupsAndLines() throws {
        let number = try #require(SafetyNumber(typed: Self.digits))
        #expect(
            number.lines == [
                "30035 44776 92869 39689", "28698 76765 45825 75691", "62576 84344 09180 79131",
            ])
        #expect(
            number.description == "30035 44776 92869 39689 28698 76765 45825 75691 62576 84344 09180 79131")
        #expect(SafetyNumber(typed: number.description) == number)
        #expect(SafetyNumber(typed: number.lines.joined(separator: "\n")) == number)
    }

    @Test(
        "are read however a person spaces them",
        arguments: [
            "300354477692869396892869876765458257569162576843440918079131",
            "  30035 44776 92869 39689\r\n28698 76765 45825 75691\r\n62576 84344 09180 79131\n",
            "30035-44776-92869-39689-28698-76765-45825-75691-62576-84344-09180-79131",
            "30035–44776—92869‑39689\u{A0}28698\u{3000}76765\u{2028}45825\t75691 62576 84344 09180 79131",
        ])
    func typed(text: String) {
        #expect(SafetyNumber(typed: text)?.digits == Self.digits)
    }

    @Test(
        "are not read from anything that is not 60 ASCII digits",
        arguments: notNumbers)
    func notANumber(text: String) {
        #expect(SafetyNumber(typed: text) == nil)
    }
}
