import EarshotModel
import EarshotSimulation
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    static func random(_ generator: inout SeededGenerator) -> [UInt8] {
        (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    @Test("hold exactly 32 bytes", arguments: [0, 1, 31, 33, 64])
    func length(count: Int) {
        #expect(UserID(bytes: [UInt8](repeating: 1, count: count)) == nil)
        #expect(Bytes32([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("give their bytes back, from an array, a slice and any other collection")
    func bytes() throws {
        let bytes = Array(UInt8(0)..<32)
        #expect(try #require(UserID(bytes: bytes)).bytes == bytes)
        #expect(try #require(UserID(bytes: ([9] + bytes).dropFirst())).bytes == bytes)
        #expect(try #require(UserID(bytes: UInt8(0)..<32)).bytes == bytes)
    }

    @Test("are ordered as their bytes are, one by one")
    func order() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let a = Self.random(&generator)
            var b = Self.random(&generator)
            let shared = Int.random(in: 0...32, using: &generator)
            b.replaceSubrange(..<shared, with: a[..<shared])
            let (first, second) = (try #require(DeviceID(bytes: a)), try #require(DeviceID(bytes: b)))
            #expect((first < second) == a.lexicographicallyPrecedes(b))
            #expect((first == second) == (a == b))
        }
    }

    @Test("sort as their texts do")
    func textOrder() throws {
        var generator = SeededGenerator(seed: 2)
        let identifiers = try (0..<200).map { _ in try #require(LogID(bytes: Self.random(&generator))) }
        #expect(identifiers.sorted().map(\.description) == identifiers.map(\.description).sorted())
    }

    @Test("are read from the 52 characters that they are written as")
    func text() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let identifier = try #require(UserID(bytes: Self.random(&generator)))
            #expect(identifier.description.count == 52)
            #expect(UserID(identifier.description) == identifier)
        }
    }

    @Test(
        "are not read from another length, upper case, or loose padding",
        arguments: [
            "", String(repeating: "0", count: 51), String(repeating: "0", count: 53),
            String(repeating: "A", count: 52), String(repeating: "0", count: 51) + "1",
        ])
    func malformedText(text: String) {
        #expect(UserID(text) == nil)
    }

    @Test("have a fingerprint of twenty characters in groups of four")
    func fingerprint() throws {
        let userID = try #require(UserID(bytes: Array(UInt8(0)..<32)))
        #expect(userID.fingerprint.split(separator: " ").map(\.count) == [4, 4, 4, 4, 4])
        #expect(userID.description.hasPrefix(userID.fingerprint.filter { $0 != " " }))
    }

    @Test("signatures hold exactly 64 bytes and give them back")
    func signature() throws {
        let bytes = Array(UInt8(0)..<64)
        #expect(try #require(Signature(bytes)).bytes == bytes)
        #expect(Signature(bytes.dropLast()) == nil)
        #expect(Signature(bytes + [0]) == nil)
    }
}
