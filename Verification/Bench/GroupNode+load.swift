import Earshot
import EarshotModel
import Foundation

/// Messages of 100 bytes that are written as fast as a number of them may be under way.
struct Load: Sendable {
    let count: Int
    /// Messages of one call.
    let batch: Int
    /// Messages whose calls have not returned.
    let inFlight: Int

    static let bytes = 100

    fileprivate var calls: Int { count / batch }
}

extension GroupNode {
    /// Makes room for what somebody writes: entries of a stranger have little.
    func befriend(_ author: GroupNode) async throws {
        try await node.messages.send("hello", to: author.node.userID)
    }

    /// Writes a load.
    /// - Parameters:
    ///   - load: its count is a multiple of its batch.
    ///   - recipients: how many receipts each message has; with none, it is over when all calls have returned.
    ///   - destination: where the call of a number goes.
    /// - Returns: seconds from the first call until the last receipt.
    func write(
        _ load: Load, recipients: Int, to destination: @escaping @Sendable (Int) -> Destination
    ) async throws -> Double {
        let receipts = load.count * recipients
        let delivered = node.events.events(.messageDelivered, bufferLimit: max(1, receipts))
        let text = String(repeating: "x", count: Load.bytes)
        let drafts = (0..<load.batch).map { _ in MessageDraft(text) }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            if receipts > 0 {
                group.addTask {
                    var seen = 0
                    for await _ in delivered {
                        seen += 1
                        if seen == receipts { return }
                    }
                }
            }
            let next = Next(0)
            for _ in 0..<max(1, load.inFlight / load.batch) {
                group.addTask { [node] in
                    while true {
                        let call = next.take(1)
                        guard call < load.calls else { return }
                        _ = try await node.messages.send(drafts, to: destination(call), idempotencyKey: nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        return milliseconds(start.duration(to: .now)) / 1000
    }

    /// Milliseconds from the call until each of so many others has a message, once for each number.
    func latencies(_ count: Int, recipients: Int, to destination: (Int) -> Destination) async throws -> [Double] {
        var delivered = node.events.events(.messageDelivered).makeAsyncIterator()
        let text = String(repeating: "x", count: Load.bytes)
        var latencies: [Double] = []
        for number in 0..<count {
            let start = ContinuousClock.now
            let message = try await node.messages.send(MessageDraft(text), to: destination(number))
            var seen = 0
            while seen < recipients, let change = await delivered.next() {
                if change.messageID == message.messageID { seen += 1 }
            }
            latencies.append(milliseconds(start.duration(to: .now)))
        }
        return latencies
    }
}

extension Spread {
    /// The median, with the least and the greatest.
    func text(_ digits: Int) -> String {
        String(format: "%.\(digits)f (%.\(digits)f to %.\(digits)f)", median, minimum, maximum)
    }
}
