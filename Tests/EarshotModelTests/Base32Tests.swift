import EarshotModel
import EarshotSimulation
import Testing

@Suite("Base32")
struct Base32Tests {
    /// Crockford's alphabet on the bits of RFC 4648, section 10, computed by hand.
    @Test(
        "encodes five bits a character, most significant first, padded with zero bits",
        arguments: [
            ([], ""), ([0], "00"), ([0xff], "zw"), ([0x66], "cr"), ([0x66, 0x6f, 0x6f, 0x62, 0x61], "csqpyrk1"),
        ] as [([UInt8], String)])
    func knownTexts(bytes: [UInt8], text: String) {
        #expect(Base32.encode(bytes) == text)
        #expect(Base32.decode(text) == bytes)
    }

    @Test("gives back every byte string of every length", arguments: 0...40)
    func roundTrip(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        for _ in 0..<50 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(Base32.decode(Base32.encode(bytes)) == bytes)
        }
    }

    @Test(
        "refuses characters outside its alphabet", arguments: ["i0", "l0", "o0", "u0", "A0", "0 ", "0-", "0é", "0\0"])
    func foreignCharacters(text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test("refuses a last character with bits that stand for nothing", arguments: ["01", "zz", "00001", "0000001"])
    func loosePadding(text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test("refuses lengths that no byte string has", arguments: ["0", "000", "000000", "00000000" + "0"])
    func impossibleLengths(text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test("reads only what it would write: of all texts of two characters, one for each byte")
    func canonical() {
        let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let readable = alphabet.flatMap { a in alphabet.map { String([a, $0]) } }.filter { Base32.decode($0) != nil }
        #expect(Set(readable) == Set((0...255).map { Base32.encode([UInt8($0)]) }))
    }
}
