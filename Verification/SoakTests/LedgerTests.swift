import Testing

@testable import EarshotSoak

@Suite("The ledger of a soak")
struct LedgerTests {
    private let lane = Lane(author: .alice, index: 3)

    /// A ledger whose lane has had so many messages accepted.
    private func ledger(accepted count: Int) -> PairLedger {
        var ledger = PairLedger()
        for _ in 0..<count { ledger.accept(ledger.next(on: lane)) }
        return ledger
    }

    private func see(_ numbers: [Int], in ledger: inout PairLedger, by reader: PairLedger.Reader = .disk(.bob)) {
        for number in numbers { ledger.see(Numbered(lane: lane, number: number), by: reader) }
    }

    @Test("finds nothing wrong where each was seen once and in order")
    func sound() {
        var ledger = ledger(accepted: 3)
        see([1, 2, 3], in: &ledger)
        #expect(ledger.faults == .none)
        #expect(ledger.missing(of: .alice, by: .disk(.bob)) == 0)
        #expect(ledger.seen(of: .alice, by: .disk(.bob)) == 3)
        #expect(ledger.accepted == 3)
    }

    @Test("counts what was accepted and not seen", arguments: [([1, 3], 1), ([1, 2], 1), ([2], 2), ([], 3)])
    func lost(seen: [Int], missing: Int) {
        var ledger = ledger(accepted: 3)
        see(seen, in: &ledger)
        #expect(ledger.missing(of: .alice, by: .disk(.bob)) == missing)
        #expect(ledger.missing(of: .bob, by: .disk(.bob)) == 0)
    }

    @Test("counts what was seen twice, however far apart")
    func doubled() {
        var ledger = ledger(accepted: 3)
        see([1, 1, 2, 3, 1], in: &ledger)
        #expect(ledger.faults.doubled == 2)
        #expect(ledger.faults.reordered == 0)
    }

    @Test("counts what was seen after a later one of its lane")
    func reordered() {
        var ledger = ledger(accepted: 4)
        see([2, 1, 4, 3], in: &ledger)
        #expect(ledger.faults.reordered == 2)
        #expect(ledger.faults.doubled == 0)
        #expect(ledger.missing(of: .alice, by: .disk(.bob)) == 0)
    }

    @Test("holds lanes and readers apart")
    func apart() {
        var ledger = ledger(accepted: 2)
        let other = ledger.next(on: Lane(author: .bob, index: 3))
        ledger.accept(other)
        see([1, 2], in: &ledger, by: .disk(.bob))
        ledger.see(other, by: .disk(.bob))
        see([1, 2], in: &ledger, by: .history(.bob))
        #expect(ledger.faults == .none)
        #expect(ledger.missing(of: .bob, by: .history(.bob)) == 1)
    }

    @Test("counts what nobody sent")
    func invented() {
        var ledger = ledger(accepted: 1)
        see([1, 2], in: &ledger)
        ledger.see(Numbered(lane: Lane(author: .bob, index: 0), number: 1), by: .disk(.bob))
        ledger.seeForeign()
        #expect(ledger.faults.invented == 3)
    }

    @Test("takes a message in doubt for nothing until it is seen, and repeats the number that was not")
    func doubt() {
        var ledger = ledger(accepted: 1)
        let doubtful = ledger.next(on: lane)
        #expect(ledger.missing(of: .alice, by: .disk(.alice)) == 1)
        see([1], in: &ledger, by: .disk(.alice))
        #expect(ledger.missing(of: .alice, by: .disk(.alice)) == 0)
        #expect(!ledger.hasSeen(doubtful, by: .disk(.alice)))
        #expect(ledger.next(on: lane) == doubtful)
        ledger.see(doubtful, by: .disk(.alice))
        #expect(ledger.hasSeen(doubtful, by: .disk(.alice)))
        ledger.accept(doubtful)
        #expect(ledger.next(on: lane).number == 3)
        #expect(ledger.faults == .none)
    }

    @Test("lets a reader begin again")
    func restart() {
        var ledger = ledger(accepted: 2)
        see([1, 2], in: &ledger)
        ledger.restart(.disk(.bob))
        see([1, 2], in: &ledger)
        #expect(ledger.faults == .none)
    }
}

@Suite("A numbered message")
struct NumberedTests {
    @Test("is read from its text, to the letter")
    func text() {
        let message = Numbered(lane: Lane(author: .bob, index: 12), number: 345)
        #expect(Numbered(message.text) == message)
        #expect(Numbered(message.text + "x") == nil)
        #expect(Numbered("carol 1 1 ") == nil)
        #expect(Numbered("bob 1 0 ") == nil)
        #expect(Numbered("") == nil)
    }
}
