import EarshotProtocol
import Testing

@testable import Earshot

@Suite("Values in the order of their requests")
struct InOrderTests {
    private static let count: UInt64 = 11

    private func filled() -> InOrder<UInt64> {
        var values = InOrder<UInt64>()
        for number in 1...Self.count { values.insert(number, RequestID(number)) }
        return values
    }

    @Test("are taken once, in whatever order", arguments: 1..<count)
    func takenOnce(step: UInt64) {
        var values = filled()
        // The count is a prime, so each number comes once.
        for turn in 0..<Self.count {
            let number = turn * step % Self.count + 1
            #expect(values.remove(RequestID(number)) == number)
            #expect(values.remove(RequestID(number)) == nil)
        }
        #expect(values.isEmpty)
        #expect(values.remove(RequestID(1)) == nil)
    }

    @Test("come back to their place", arguments: 1...count)
    func comeBack(number: UInt64) {
        var values = filled()
        #expect(values.remove(RequestID(number)) == number)
        values.insert(number, RequestID(number))
        #expect(values.takeAll() == Array(1...Self.count))
        #expect(values.isEmpty)
    }
}
