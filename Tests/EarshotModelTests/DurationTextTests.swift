import EarshotModel
import Testing

@Suite("A span of time that somebody types")
struct DurationTextTests {
    @Test(
        "is numbers with units, the largest unit first, or a number of seconds",
        arguments: [
            ("90s", 90_000), ("15m", 900_000), ("2h", 7_200_000), ("3d", 259_200_000), ("1w", 604_800_000),
            ("1d12h", 129_600_000), ("1H30M", 5_400_000), ("1.5h", 5_400_000), ("1h0.5m", 3_630_000), ("5", 5000),
            ("0.0015", 2), ("0", 0), ("36500d", 3_153_600_000_000),
        ])
    func read(text: String, milliseconds: Int64) throws {
        #expect(try DurationText.duration(text) == .milliseconds(milliseconds))
    }

    @Test(
        "is refused if it has no number, units in another order, or no such unit",
        arguments: [
            "", "h", "2x", "-2h", "30m1h", "1h1h", "1h30", "2 h", "5 minutes", ".", "1.2.3s", "inf", "nan", "0x10",
            "1e300", "٣h",
        ])
    func refused(text: String) {
        #expect(throws: DurationText.Fault.malformed) { try DurationText.duration(text) }
    }

    @Test(
        "is refused if it is more than a hundred years",
        arguments: ["101000w", "36500d1s", "99999999999999999999w", "9223372036854775807"])
    func tooLong(text: String) {
        #expect(throws: DurationText.Fault.tooLong) { try DurationText.duration(text) }
    }
}
