/// What is yet to happen in virtual time: the earliest first, and in the order of asking if times are equal.
struct EventQueue<Event> {
    private struct Item {
        let time: Int64
        let number: Int
        let event: Event

        func precedes(_ other: Item) -> Bool { time == other.time ? number < other.number : time < other.time }
    }

    private var heap: [Item] = []
    private var count = 0

    var isEmpty: Bool { heap.isEmpty }

    mutating func push(_ event: Event, at time: Int64) {
        count += 1
        heap.append(Item(time: time, number: count, event: event))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func pop() -> (time: Int64, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.event) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].precedes(heap[least])
            {
                least = child
            }
            guard least != parent else { break }
            heap.swapAt(least, parent)
            parent = least
        }
        return (first.time, first.event)
    }
}
