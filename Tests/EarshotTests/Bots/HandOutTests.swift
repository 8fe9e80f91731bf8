import Testing

@testable import Earshot

@Suite("Messages that were handed out")
struct HandOutTests {
    private func handOut(_ items: (id: String, sender: String)...) -> HandOut<String> {
        var handOut = HandOut<String>()
        handOut.begin(items.map { HandOut.Item(id: $0.id, sender: $0.sender) })
        return handOut
    }

    private func replies(_ handOut: HandOut<String>, replyLimit: Int = 100, messageLimit: Int = .max) -> [String]? {
        handOut.acknowledgement(replyLimit: replyLimit, messageLimit: messageLimit)?.replies.map {
            "\($0.index) \($0.reply)"
        }
    }

    @Test("are begun in order, one of each sender at a time, and so many at once")
    func order() {
        var handOut = handOut(("a1", "alice"), ("a2", "alice"), ("b1", "bob"), ("c1", "carol"))
        #expect(handOut.start(limit: 2) == [0, 2])
        #expect(handOut.start(limit: 2) == [])
        handOut.finish(0, [])
        #expect(handOut.start(limit: 2) == [1])
        handOut.finish(2, [])
        #expect(handOut.start(limit: 2) == [3])
        handOut.finish(1, [])
        handOut.finish(3, [])
        #expect(handOut.start(limit: 2) == [])
    }

    @Test("are acknowledged in order: what is done early waits for all before it")
    func prefix() {
        var handOut = handOut(("a1", "alice"), ("b1", "bob"), ("c1", "carol"))
        _ = handOut.start(limit: 3)
        handOut.finish(1, ["to bob"])
        #expect(handOut.acknowledgement(replyLimit: 100) == nil)
        handOut.finish(0, ["to alice", "again"])
        #expect(replies(handOut) == ["0 to alice", "0 again", "1 to bob"])
        #expect(handOut.acknowledgement(replyLimit: 100)?.through == 1)
        handOut.acknowledged(through: 1)
        #expect(handOut.acknowledgement(replyLimit: 100) == nil)
        #expect(!handOut.isOver)
        handOut.finish(2, [])
        #expect(replies(handOut) == [])
        handOut.acknowledged(through: 2)
        #expect(handOut.isOver)
    }

    @Test("are acknowledged together as far as one commit takes their answers, or one by one")
    func limits() {
        var handOut = handOut(("a1", "alice"), ("b1", "bob"), ("c1", "carol"))
        _ = handOut.start(limit: 3)
        for index in 0..<3 { handOut.finish(index, ["x", "y"]) }
        #expect(handOut.acknowledgement(replyLimit: 5)?.count == 2)
        #expect(handOut.acknowledgement(replyLimit: 1)?.count == 1)
        #expect(handOut.acknowledgement(replyLimit: 100, messageLimit: 1)?.count == 1)
        #expect(handOut.acknowledgement(replyLimit: 100)?.count == 3)
    }

    @Test("behind one that failed are not begun, and what was done there is not done again")
    func failure() {
        var handOut = handOut(("a1", "alice"), ("b1", "bob"), ("a2", "alice"), ("c1", "carol"))
        #expect(handOut.start(limit: 2) == [0, 1])
        handOut.fail(0, "no database")
        #expect(handOut.start(limit: 2) == [])
        #expect(!handOut.isOver)
        handOut.finish(1, ["to bob"])
        #expect(handOut.isOver)
        #expect(handOut.failure?.reason == "no database")
        #expect(handOut.acknowledgement(replyLimit: 100) == nil)

        handOut.begin([("a1", "alice"), ("b1", "bob"), ("a2", "alice")].map { .init(id: $0.0, sender: $0.1) })
        #expect(handOut.start(limit: 2) == [0])
        handOut.finish(0, [])
        #expect(replies(handOut) == ["1 to bob"])
        handOut.acknowledged(through: 1)
        #expect(handOut.start(limit: 2) == [2])
    }

    @Test("before one that failed are begun still, so that all of them can be acknowledged")
    func beforeFailure() {
        var handOut = handOut(("a1", "alice"), ("a2", "alice"), ("b1", "bob"), ("c1", "carol"))
        #expect(handOut.start(limit: 2) == [0, 2])
        handOut.fail(2, "no database")
        handOut.finish(0, [])
        #expect(handOut.start(limit: 2) == [1])
        handOut.finish(1, [])
        #expect(!handOut.isOver)
        handOut.acknowledged(through: 1)
        #expect(handOut.isOver && handOut.failure?.index == 2)
    }

    @Test("that were under way beside one that failed can be put back, and have not failed")
    func putBack() {
        var handOut = handOut(("a1", "alice"), ("b1", "bob"))
        _ = handOut.start(limit: 2)
        handOut.fail(1, "too late")
        handOut.putBackAll()
        #expect(!handOut.isOver && handOut.start(limit: 2) == [0])
    }

    @Test("whose program has ended fail, and those that it did not have yet do not")
    func programEnded() {
        var handOut = handOut(("a1", "alice"), ("a2", "alice"))
        #expect(handOut.start(limit: 1) == [0])
        handOut.failAll("killed")
        #expect(handOut.failure?.reason == "killed")
        #expect(handOut.isOver)
        #expect(handOut.underWay("a1") == nil)
    }

    @Test("are remembered no longer once they are acknowledged")
    func forgotten() {
        var handOut = handOut(("a1", "alice"))
        _ = handOut.start(limit: 1)
        handOut.finish(0, ["once"])
        handOut.acknowledged(through: 0)
        handOut.begin([.init(id: "a1", sender: "alice")])
        #expect(handOut.acknowledgement(replyLimit: 1) == nil)
        #expect(handOut.start(limit: 1) == [0])
    }
}
