import EarshotModel
import Testing

@Suite("Names among others")
struct LookAlikesTests {
    private static func names(_ texts: [String]) throws -> [UserName] { try texts.map { try UserName($0) } }

    @Test("are shown as they are when nothing is confusable with them", arguments: DeceptiveNameTests.ordinary)
    func ordinary(text: String) throws {
        let name = try UserName(text)
        #expect(name.displayed(among: []) == text)
        #expect(name.displayed(among: try Self.names(["carol", "Иван", "山田", text])) == text)
    }

    @Test("never make an ordinary name look strange, all together")
    func ordinaryTogether() throws {
        let names = try Self.names(DeceptiveNameTests.ordinary)
        let lookAlikes = LookAlikes(names)
        // The only pair in the list that looks alike: two apostrophes.
        let strange = names.filter { lookAlikes.displayed($0) != $0.text }
        #expect(try strange == Self.names(["O’Neill"]))
        #expect(lookAlikes.displayed(try #require(strange.first)) == "O\\u{2019}Neill")
    }

    @Test(
        "are escaped where they deceive by themselves, whoever else there is",
        arguments: [
            ("b\u{43E}b", "b\\u{43e}b"), ("\u{FF42}ob", "\\u{ff42}ob"), ("\u{1D41B}ob", "\\u{1d41b}ob"),
            ("bob\u{200D}", "bob\\u{200d}"), ("P\u{451}tr", "P\\u{451}tr"), ("J\u{43E}sé", "J\\u{43e}sé"),
            // Nothing that looks like another: the letter that does not belong is the ASCII one.
            ("Жtж", "\\u{416}t\\u{436}"),
        ])
    func deceptive(text: String, shown: String) throws {
        #expect(try UserName(text).displayed(among: []) == shown)
    }

    @Test(
        "are escaped where they look like another name",
        arguments: [
            ("\u{412}\u{41E}\u{412}", "BOB", "\\u{412}\\u{41e}\\u{412}"),
            ("Bob\u{A0}Smith", "Bob Smith", "Bob\\u{a0}Smith"),
            ("O\u{2019}Neill", "O'Neill", "O\\u{2019}Neill"), ("So\u{338}ren", "Søren", "So\\u{338}ren"),
            ("❤\u{FE0F}", "❤", "❤\\u{fe0f}"), ("\u{1F171}ob", "bob", "\\u{1f171}ob"), ("力", "カ", "力"),
            ("カ", "力", "\\u{30ab}"), ("\u{441}\u{430}\u{440}", "CAP", "\\u{441}\\u{430}\\u{440}"),
        ])
    func twin(text: String, other: String, shown: String) throws {
        let others = try Self.names(["carol", other, text])
        #expect(try UserName(text).displayed(among: others) == shown)
        #expect(LookAlikes(others).displayed(try UserName(text)) == shown)
    }

    @Test(
        "of which one looks like the other are never both shown so that they look alike, unless both are ASCII",
        arguments: [
            ("bob", "b\u{43E}b"), ("Søren", "So\u{338}ren"), ("カ", "力"), ("Дтж", "Дtж"), ("\u{413}а", "\u{393}а"),
            ("\u{412}\u{41E}\u{412}", "\u{412}O\u{412}"), ("Αθηνά", "Aθηνά"), ("한", "한\u{FE0F}"),
        ])
    func neverBothPlain(a: String, b: String) throws {
        let names = try Self.names([a, b])
        #expect(names[0].skeleton == names[1].skeleton)
        #expect(names.contains { $0.displayed(among: names).contains("\\u{") })
    }

    @Test("that are honest are left alone by a deceptive twin, which is escaped itself")
    func honestTwin() throws {
        let names = try Self.names(["Дмитрий", "Дм\u{438}тp\u{438}й"])
        #expect(names[0].displayed(among: names) == "Дмитрий")
        #expect(names[1].displayed(among: names).contains("\\u{"))
    }

    @Test("that differ in case alone are shown as they are")
    func caseAlone() throws {
        let names = try Self.names(["Рома", "рома"])
        for name in names { #expect(name.displayed(among: names) == name.text) }
    }

    @Test("in ASCII are shown as they are, and said to look like each other")
    func ascii() throws {
        let others = try Self.names(["bob", "carol", "B0B", "b\u{43E}b", "bob", "b0b"])
        let name = try UserName("b0b")
        #expect(name.displayed(among: others) == "b0b")
        #expect(try name.lookAlikes(among: others) == Self.names(["bob", "B0B", "b\u{43E}b"]))
        #expect(try LookAlikes(others).names(like: name) == Self.names(["B0B", "bob", "b\u{43E}b"]))
        #expect(try UserName("dave").lookAlikes(among: others).isEmpty)
        #expect(LookAlikes(others).names(like: try UserName("dave")).isEmpty)
    }

    @Test("are found among ten thousand, and among ten thousand that all look alike")
    func many() throws {
        let distinct = try (0..<10_000).map { try UserName("user \($0)\u{43E}") }
        let lookAlikes = LookAlikes(distinct)
        #expect(distinct.allSatisfy { lookAlikes.displayed($0).hasSuffix("\\u{43e}") })

        let zeros = try (0..<1 << 13).map { bits in
            try UserName((0..<13).map { bits >> $0 & 1 == 0 ? "\u{43E}" : "\u{3BF}" }.joined())
        }
        let alike = LookAlikes(zeros)
        #expect(Set(zeros.map(\.skeleton)).count == 1)
        #expect(zeros.allSatisfy { alike.displayed($0).contains("\\u{") })
    }
}
