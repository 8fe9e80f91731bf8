import DequeModule
import EarshotProtocol

/// Values by the numbers of requests, which ascend. Most requests are answered in the order in which they came: their values are
/// found at the beginning, without a hash for each of many calls.
struct InOrder<Value> {
    private var values: Deque<(number: UInt64, value: Value)> = []

    var isEmpty: Bool { values.isEmpty }

    mutating func insert(_ value: Value, _ requestID: RequestID) {
        let number = requestID.number
        guard let last = values.last, last.number > number else { return values.append((number, value)) }
        values.insert((number, value), at: place(of: number))
    }

    mutating func remove(_ requestID: RequestID) -> Value? {
        guard values.first?.number != requestID.number else { return values.removeFirst().value }
        let place = place(of: requestID.number)
        guard place < values.count, values[place].number == requestID.number else { return nil }
        return values.remove(at: place).value
    }

    mutating func takeAll() -> [Value] {
        defer { values = [] }
        return values.map(\.value)
    }

    /// Where a number is, or would be.
    private func place(of number: UInt64) -> Int {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
