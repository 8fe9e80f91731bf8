import EarshotModel
import Testing

@Suite("A name by itself")
struct DeceptiveNameTests {
    /// Names of people, bots and families, as they are written.
    static let ordinary = [
        "bob", "b0b", "Bob Smith", "bob@example.org", "O'Neill", "O’Neill", "Łukasz", "Søren", "José", "Zoë",
        "Đặng Thị Hà",
        "İbrahim", "Şükrü", "Ægir", "Straße", "Hawaiʻi", "Дмитрий", "Пётр Їжак", "ВОВА", "Анна-Мария", "Αθηνά",
        "Νίκος Παπαδόπουλος", "Արամ", "გიორგი", "ᏣᎳᎩ", "דוד", "יוסי כהן", "محمد", "محمد ۵", "می‌خواهم", "हिन्दी", "ไทย",
        "தமிழ்", "田中 taro", "田中太郎", "タロウくん", "ﾀﾛｳ", "taroくん", "한글Lee", "ㄅㄆㄇ Bob", "李雷", "田中（太郎）",
        "Team ①", "👩‍👩‍👧", "❤️", "1️⃣", "🅱", "Ⓜ️", "🇩🇪", "Дмитрий Smith", "Vladimir Дмитриев", "Bob 田中",
        "क्‍ष", "x²", "№ 5", "café ☕️",
    ]

    @Test("is not deceptive if people write it so", arguments: ordinary)
    func honest(text: String) throws {
        #expect(try !UserName(text).isDeceptive)
    }

    @Test(
        "is deceptive if a word mixes scripts that share shapes",
        arguments: [
            "b\u{43E}b", "\u{412}ob", "b\u{3BF}b", "b\u{585}b", "\u{13F4}ob", "b\u{2C9F}b", "b\u{A4F3}b", "b\u{10A5}b",
            "\u{430}\u{3BF}", "Bob Sm\u{456}th", "bo\u{10FF}", "b\u{42A}b", "Дtж", "bob\u{5D5}", "b\u{665}b",
            // Scripts without a table that lend a Latin word a letter: Warang Citi, Elbasan, a Bengali digit.
            "b\u{118C8}b", "b\u{10516}b", "\u{9EA}ob", "日本\u{43E}",
        ])
    func mixed(text: String) throws {
        #expect(try UserName(text).isDeceptive)
    }

    @Test(
        "is deceptive if a word beside Latin ones only looks Latin",
        arguments: [
            "\u{420}\u{43E}\u{440} Smith", "Bob \u{421}\u{43E}\u{43E}\u{440}\u{435}\u{440}", "b-\u{43E}-b", "x.\u{3BF}",
        ])
    func imitation(text: String) throws {
        #expect(try UserName(text).isDeceptive)
    }

    @Test(
        "is deceptive if it has letters that are forms of others",
        arguments: [
            "\u{FF42}ob", "\u{FF22}\u{FF2F}\u{FF22}", "\u{1D41B}ob", "bo\u{1D68B}", "\u{24B7}ob", "\u{1F131}ob",
            "\u{212C}ob",
            "He\u{2113}en", "\u{FB01}ona", "\u{2160}an", "bob\u{FF17}", "\u{1D6C2}",
        ])
    func compatibility(text: String) throws {
        #expect(try UserName(text).isDeceptive)
    }

    @Test(
        "is deceptive if it has a joiner or a selector where it changes nothing",
        arguments: [
            "bob\u{200D}", "b\u{200C}ob", "bob\u{FE0F}", "bob\u{E0100}", "\u{43E}\u{200D}", "\u{200D}bob",
            "Bob \u{FE0F}x",
            "Zoë\u{FE0F}",
        ])
    func invisible(text: String) throws {
        #expect(try UserName(text).isDeceptive)
    }
}
