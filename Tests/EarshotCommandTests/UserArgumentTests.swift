import Testing

@testable import EarshotCommand

@Suite("The recipients that an argument names")
struct UserArgumentTests {
    @Test(
        "are parted by commas, without blanks around them, each once",
        arguments: [
            ("bob", ["bob"]), ("bob,carol", ["bob", "carol"]), (" bob ,\t carol\u{a0}", ["bob", "carol"]),
            ("bob,bob , bob", ["bob"]), ("mary ann,bob", ["mary ann", "bob"]), ("bob\n", ["bob\n"]), ("", [""]),
            ("bob, ", ["bob", ""]), (" ", [""]),
        ])
    func parted(text: String, recipients: [String]) { #expect(UserArgument.split(text) == recipients) }
}
