import DequeModule
import EarshotModel

/// Calls that wait while a log is taken back from their recipient, or from one of them.
struct HeldSends: Sendable {
    private(set) var sends: Deque<PendingSend> = []
    private(set) var count = 0
    private(set) var bytes = 0
    /// The part of it that does not count in the queue for the disk.
    private(set) var outside = HeldTotal()

    /// Whether the first of them has kept its place in the queue for the disk. Sends with a place come before the
    /// others.
    var isFirstQueued: Bool { sends.count > outside.calls }

    var first: PendingSend? { sends.first }

    /// Adds a send before all others.
    /// - Parameter isQueued: whether it still counts in the queue for the disk, as all sends before it then must.
    mutating func prepend(_ send: PendingSend, isQueued: Bool) {
        sends.prepend(send)
        count += send.count
        bytes += send.bytes
        if !isQueued { outside.add(send) }
    }

    mutating func append(_ send: PendingSend) {
        sends.append(send)
        count += send.count
        bytes += send.bytes
        outside.add(send)
    }

    @discardableResult
    mutating func removeFirst() -> PendingSend {
        let isQueued = isFirstQueued
        let send = sends.removeFirst()
        if !isQueued { outside.remove(send) }
        count -= send.count
        bytes -= send.bytes
        return send
    }
}

/// Messages that wait while logs are taken back, and do not count in the queue for the disk.
struct HeldTotal: Sendable {
    private(set) var calls = 0
    private(set) var count = 0
    private(set) var bytes = 0

    /// Whether one more may be held. A single call may have any size.
    func hasRoom(for send: PendingSend) -> Bool {
        calls == 0
            || (count + send.count <= Limits.allHeldSends && bytes + send.bytes <= Limits.allHeldSendBytes)
    }

    mutating func add(_ send: PendingSend) {
        calls += 1
        count += send.count
        bytes += send.bytes
    }

    mutating func remove(_ send: PendingSend) {
        calls -= 1
        count -= send.count
        bytes -= send.bytes
    }

    static func + (a: HeldTotal, b: HeldTotal) -> HeldTotal {
        var sum = a
        sum.calls += b.calls
        sum.count += b.count
        sum.bytes += b.bytes
        return sum
    }
}
