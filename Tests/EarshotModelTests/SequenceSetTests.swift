import EarshotModel
import Testing

@Suite("A set of sequence numbers")
struct SequenceSetTests {
    @Test("is what a set of the same numbers is, however ranges come and go", arguments: 1...20 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var state = seed
        func draw(_ limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
        func range() -> ClosedRange<UInt64> {
            let first = draw(40) + 1
            return first...first + draw(6)
        }
        var (set, model) = (SequenceSet(), Set<UInt64>())
        var (other, otherModel) = (SequenceSet(), Set<UInt64>())
        for _ in 0..<200 {
            let range = range()
            switch draw(4) {
            case 0:
                set.remove(range)
                model.subtract(range)
            case 1:
                other.insert(range)
                otherModel.formUnion(range)
            case 2 where draw(10) == 0:
                set.removeAll(after: range.lowerBound)
                model = model.filter { $0 <= range.lowerBound }
            default:
                set.insert(range)
                model.formUnion(range)
            }
            #expect(Set(set.ranges.joined()) == model && SequenceSet(ranges: set.ranges) == set)
            #expect((1...50).allSatisfy { set.contains($0) == model.contains($0) })
            #expect(Set(set.union(other).ranges.joined()) == model.union(otherModel))
            #expect(Set(set.subtracting(other).ranges.joined()) == model.subtracting(otherModel))
            #expect(Set(set.intersection(other).ranges.joined()) == model.intersection(otherModel))
        }
    }

    @Test("has its first numbers from a place on, as far as they follow each other")
    func first() {
        var set = SequenceSet(2...9)
        set.insert(12)
        #expect(set.first(from: 1, limit: 3) == 2...4)
        #expect(set.first(from: 5, limit: 30) == 5...9)
        #expect(set.first(from: 10, limit: 1) == 12...12)
        #expect(set.first(from: 13, limit: 1) == nil)
    }

    @Test(
        "is not made of ranges that touch, overlap or fall",
        arguments: [[1...2, 3...4], [1...3, 3...4], [5...6, 1...2]])
    func apart(ranges: [ClosedRange<UInt64>]) {
        #expect(SequenceSet(ranges: ranges) == nil)
    }
}
