import EarshotModel
import EarshotSimulation
import EarshotStore
import Testing

@Suite("What the store keeps of a consumer")
struct ConsumerRecordTests {
    @Test("is what the node remembers, after any changes", arguments: 1...8 as ClosedRange<UInt64>)
    func agrees(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let store = try Store.inMemory()
        var record = ConsumerRecord(name: "bot", cursor: 10, createdAt: 1)
        try commit(.make(record), to: store)
        for time in 1...200 as ClosedRange<Int64> {
            let change = change(at: time, &generator)
            record.apply(change)
            try commit(change, to: store)
            #expect(try store.snapshot().consumers == [record], "\(change)")
            #expect(record.again.allSatisfy { $0 <= record.cursor }, "\(change)")
        }
    }

    @Test("forgets the oldest of too many that are set aside, in memory and on the disk")
    func manySetAside() throws {
        let store = try Store.inMemory()
        var record = ConsumerRecord(name: "bot", cursor: 0, createdAt: 1)
        try commit(.make(record), to: store)
        for entry in 1...Int64(Limits.setAside + 3) {
            let change = ConsumerChange.setAside(entry, ConsumerFailure("reason", time: 1))
            record.apply(change)
            try commit(change, to: store)
        }
        #expect(record.setAside == Set(4...Int64(Limits.setAside + 3)))
        #expect(try store.snapshot().consumers == [record])
    }

    private func commit(_ change: ConsumerChange, to store: Store) throws {
        var commit = Commit()
        commit.programChanges = [.consumer("bot", change)]
        try store.commit(commit)
    }

    private func change(at time: Int64, _ generator: inout SeededGenerator) -> ConsumerChange {
        let entry = Int64.random(in: 1...20, using: &generator)
        return switch Int.random(in: 0..<6, using: &generator) {
        case 0: .acknowledge(through: entry, time: time)
        case 1: .move(to: entry)
        case 2:
            .countFruitless(
                head: entry, count: Int.random(in: 1...5, using: &generator),
                Bool.random(using: &generator) ? ConsumerFailure("failure", time: time) : nil)
        case 3, 4: .setAside(entry, ConsumerFailure("reason", time: time))
        default: .handOutAgain(entry)
        }
    }
}
