import EarshotProtocol
import Testing

@testable import Earshot

@Suite("Requests on their way to the loop")
struct AskingTests {
    private let asking = Asking<Int>()

    @Test("tell the loop once for all that wait")
    func once() {
        #expect(asking.add(1))
        #expect(!asking.add(2))
        #expect(asking.take().requests == [1, 2])
        #expect(asking.take().requests.isEmpty)
        #expect(asking.add(3))
    }

    @Test("are taken in their order, so many in a turn, and the loop comes again for the rest")
    func turns() {
        let turn = Asking<Int>.turn
        for number in 0...2 * turn { _ = asking.add(number) }
        var taken: [Int] = []
        var hasMore = [Bool]()
        repeat {
            let next = asking.take()
            #expect(next.requests.count <= turn)
            taken += next.requests
            hasMore.append(next.hasMore)
            // Who asks meanwhile waits for the turn that comes anyway.
            if next.hasMore, taken.count == turn { #expect(!asking.add(2 * turn + 1)) }
        } while hasMore.last == true
        #expect(taken == Array(0...2 * turn + 1))
        #expect(hasMore == [true, true, false])
    }

    @Test("have small answers: each is copied several times on its way to the caller, with the room for an error")
    func smallAnswers() {
        #expect(MemoryLayout<EarshotError>.size <= 48)
        #expect(MemoryLayout<Result<RequestAnswer, EarshotError>>.size <= 64)
    }
}
