import Testing

@testable import EarshotModel

@Suite("The skeleton of a name")
struct NameSkeletonTests {
    @Test(
        "is the same for names that look alike",
        arguments: [
            ("bob", "Bob"), ("bob", "b0b"), ("bob", "b\u{43E}b"), ("BOB", "\u{412}\u{41E}\u{412}"),
            ("bob", "b\u{3BF}b"), ("bob", "b\u{585}b"), ("BOB", "\u{13F4}O\u{13F4}"),
            ("alice", "\u{430}lice"), ("Alice", "\u{391}lice"), ("alice", "a1ice"), ("alice", "a|ice"), ("Ian", "lan"),
            ("bill", "BILL"), ("Bern", "Bem"), ("wendy", "vvendy"), ("mallory", "rnallory"),
            ("bob", "\u{FF42}\u{FF4F}\u{FF42}"), ("bob", "\u{1D41B}\u{1D428}\u{1D41B}"),

            ("bob7", "bob\u{1D7DF}"), ("bob", "\u{24D1}\u{24DE}\u{24D1}"), ("Max", "Ma\u{2179}"),
            ("fiona", "\u{FB01}ona"),
            ("Bob Smith", "Bob\u{A0}Smith"), ("Bob Smith", "Bob\u{3000}\u{2003}Smith"), ("a b", "a  b"),
            ("Ann-Lee", "Ann\u{2013}Lee"), ("Ann-Lee", "Ann\u{2011}Lee"), ("O'Neill", "O\u{2019}Neill"),
            ("S\u{F8}ren", "So\u{338}ren"), ("bob", "bob\u{200D}"), ("bob", "b\u{FE0F}ob"), ("❤", "❤\u{FE0F}"),
            ("\u{413}\u{43E}\u{433}\u{438}", "\u{393}\u{43E}\u{433}\u{438}"),
            ("\u{41D}\u{418}\u{41D}\u{410}", "\u{43D}\u{418}\u{43D}\u{430}"), ("\u{30AB}", "\u{529B}"),
            // The first is mathematical: bold small alpha.
            ("\u{1D6C2}", "\u{3B1}"), ("\u{1D6B9}\u{398}", "\u{398}\u{398}"),
        ] as [(String, String)])
    func alike(a: String, b: String) throws {
        #expect(try UserName(a).skeleton == UserName(b).skeleton)
    }

    @Test(
        "differs for names that people tell apart",
        arguments: [
            ("bob", "rob"), ("bob", "bobb"), ("José", "Jose"), ("Søren", "Soren"), ("Łukasz", "Lukasz"), ("Zoë", "Zoe"),
            ("Дмитрий", "Dmitri"), ("Αθηνά", "Athena"), ("田中", "田口"), ("Dan", "Clan"), ("a b", "ab"), ("👍", "👎"),
            ("ab-c", "a-bc"), ("\u{1F1E9}\u{1F1EA}", "\u{1F1EB}\u{1F1F7}"),
        ])
    func different(a: String, b: String) throws {
        #expect(try UserName(a).skeleton != UserName(b).skeleton)
    }

    @Test(
        "folds ASCII as it is written down",
        arguments: [("Bob", "bob"), ("Will0w | 1", "vvlllovv l l"), ("Mo\"`", "rno'''"), ("a.b_c@D", "a.b_c@d")])
    func ascii(text: String, skeleton: String) throws {
        #expect(try UserName(text).skeleton == skeleton)
    }

    @Test("has a table that can be read, and that holds no ASCII")
    func table() throws {
        #expect(ConfusableTable.count > 1000)
        for value in 0...0x7F as ClosedRange<UInt32> {
            #expect(ConfusableTable.prototype(of: try #require(Unicode.Scalar(value))) == nil)
        }
    }
}
