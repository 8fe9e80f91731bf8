import Testing

@testable import EarshotCommand

@Suite("A time that somebody claims")
struct LocalTimeTests {
    @Test(
        "is shown to people with a year of four digits, however far away it is",
        arguments: [.max, .min, 1 << 53, 1 << 62, -(1 << 62), 253_402_300_800_000] as [Int64])
    func extremes(milliseconds: Int64) {
        #expect(LocalTime.full(milliseconds).wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d/) != nil)
        #expect(LocalTime.precise(milliseconds).wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil)
        #expect(LocalTime.clock(milliseconds).wholeMatch(of: /\d\d:\d\d/) != nil)
        #expect(LocalTime.isSameDay(milliseconds, milliseconds))
    }
}
