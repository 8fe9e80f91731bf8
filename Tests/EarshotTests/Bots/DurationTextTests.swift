import Testing

@testable import Earshot

@Suite("A span of time that somebody types")
struct DurationTextTests {
    @Test(
        "is whole numbers with units, the largest unit first",
        arguments: [
            ("90s", 90), ("15m", 900), ("2h", 7200), ("3d", 259_200), ("1w", 604_800), ("1d12h", 129_600),
            ("1H30M", 5400),
        ])
    func read(text: String, seconds: Int) {
        #expect(DurationText.duration(text) == .seconds(seconds))
    }

    @Test(
        "is refused if it has no unit, no number, units in another order, or is nothing or endless",
        arguments: [
            "", "5", "h", "2x", "-2h", "1.5h", "30m1h", "1h1h", "0s", "2 h", "101y", "36501d", "99999999999999999999w",
            "9223372036854775807w", "٣h",
        ])
    func refused(text: String) {
        #expect(DurationText.duration(text) == nil)
    }
}
