import Testing

@testable import EarshotSoak

@Suite("Two histories")
struct HistoryLineTests {
    private func differences(_ a: [Int], _ b: [Int]) -> Int {
        let lines = [a, b].map { $0.map { HistoryLine<Numbered>(message: nil, isDelivered: true, hash: $0) } }
        return HistoryLine<Numbered>.differences(lines[0], lines[1])
    }

    @Test("are alike where they have the same messages in the same places")
    func alike() { #expect(differences([1, 2, 3], [1, 2, 3]) == 0) }

    @Test("differ by what only one of them has")
    func missing() { #expect(differences([1, 2, 3], [3, 4]) == 3) }

    @Test("differ by what stands in another place")
    func order() { #expect(differences([1, 2, 3], [1, 3, 2]) == 2) }

    @Test("differ by what only one of them shows as taken back, wherever that stands")
    func takenBack() {
        func line(_ hash: Int, _ id: String?) -> HistoryLine<Numbered> {
            HistoryLine(message: nil, isDelivered: true, retractedID: id, isWithdrawn: id != nil, hash: hash)
        }
        let history = [line(1, nil), line(2, "a"), line(3, nil)]
        #expect(HistoryLine.differences(history, [line(5, "a"), line(1, nil), line(3, nil)]) == 0)
        #expect(HistoryLine.differences(history, [line(1, nil), line(3, nil)]) == 1)
    }

    @Test("differ by what is there twice")
    func twice() { #expect(differences([1, 2, 2], [1, 2]) == 1) }
}
