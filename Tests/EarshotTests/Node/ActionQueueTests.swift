import Testing

@testable import Earshot

@Suite("The queue of a shell's actions")
struct ActionQueueTests {
    private var queue = ActionQueue<Int>()
    private var done: [Int] = []

    /// Each action from 1 to 3 brings about ten times itself and one more, at once.
    private mutating func perform(_ actions: [Int]) {
        guard queue.add(actions) else { return }
        while let action = queue.next() {
            done.append(action)
            if action < 4 { perform([action * 10, action * 10 + 1]) }
        }
    }

    @Test("does what an action brings about after all that was asked for before it")
    mutating func order() {
        perform([1, 2, 3])
        #expect(done == [1, 2, 3, 10, 11, 20, 21, 30, 31])
    }

    @Test("is worked off by who asks next, too, even where there was nothing to do")
    mutating func again() {
        perform([])
        perform([4])
        perform([5])
        #expect(done == [4, 5])
    }
}
