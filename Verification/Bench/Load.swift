import Earshot
import EarshotModel
import Foundation
import Synchronization

/// Messages that are written as fast as a number of them may be under way.
struct Load: Sendable {
    /// Bytes of a message that says nothing.
    static let bytes = 100
    /// A run in which nothing happens for so long has failed.
    private static let patience = Duration.seconds(60)

    let count: Int
    /// Messages of one call.
    let batch: Int
    /// Messages whose calls have not returned.
    let inFlight: Int

    static func drafts(_ count: Int) -> [MessageDraft] {
        (0..<count).map { _ in MessageDraft(String(repeating: "x", count: bytes)) }
    }

    /// Writes it: as many tasks as calls may be under way make one call after the other.
    /// - Parameters:
    ///   - receipts: how many come for all of it; with none, it is over when all calls have returned.
    ///   - call: sends the messages of these numbers.
    ///   - progress: is told at each tenth of the receipts how many have come.
    /// - Returns: seconds from the first call until the last receipt.
    /// - Throws: `Crowd.Failure` if nothing happens for a minute.
    func write(
        by node: Node, receipts: Int, progress: @escaping @Sendable (Int) -> Void = { _ in },
        call: @escaping @Sendable (Range<Int>) async throws -> Void
    ) async throws -> Double {
        let delivered = node.events.events(.messageDelivered, bufferLimit: max(1, receipts))
        let steps = Counter()
        let start = ContinuousClock.now
        try await Self.watching(steps) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if receipts > 0 {
                    group.addTask {
                        var seen = 0
                        for try await _ in delivered {
                            seen += 1
                            _ = steps.take(1)
                            if seen % max(1, receipts / 10) == 0 { progress(seen) }
                            if seen == receipts { return }
                        }
                        throw Crowd.Failure(description: "\(seen) of \(receipts) receipts came")
                    }
                }
                let next = Counter()
                for _ in 0..<max(1, inFlight / batch) {
                    group.addTask {
                        while true {
                            let first = next.take(batch)
                            guard first < count else { return }
                            try await call(first..<min(first + batch, count))
                            _ = steps.take(1)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return milliseconds(start.duration(to: .now)) / 1000
    }

    /// Ends what makes no step for too long.
    /// - Throws: what it throws, also because it was ended.
    private static func watching(_ steps: Counter, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask {
                var last = -1
                while last != steps.value {
                    last = steps.value
                    try await Task.sleep(for: patience)
                }
                throw Crowd.Failure(
                    description: "a run has come to \(last) calls and receipts, and no further for a minute")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// A number that several tasks count up.
final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }

    /// - Returns: the number before.
    func take(_ count: Int) -> Int { number.wrappingAdd(count, ordering: .relaxed).oldValue }
}

extension GroupNode {
    /// Makes room for what somebody writes: entries of a stranger have little.
    func befriend(_ author: GroupNode) async throws {
        try await node.messages.send("hello", to: author.node.userID)
    }

    /// Writes a load.
    /// - Parameters:
    ///   - recipients: how many receipts each message has.
    ///   - destination: where the call of a number goes.
    /// - Returns: seconds from the first call until the last receipt.
    func write(
        _ load: Load, recipients: Int, to destination: @escaping @Sendable (Int) -> Destination
    ) async throws -> Double {
        let drafts = Load.drafts(load.batch)
        return try await load.write(by: node, receipts: load.count * recipients) { [node] numbers in
            _ = try await node.messages.send(
                Array(drafts.prefix(numbers.count)), to: destination(numbers.lowerBound / load.batch),
                idempotencyKey: nil)
        }
    }

    /// Milliseconds from the call until each of so many others has a message, for one after the other.
    func latencies(
        _ count: Int, recipients: Int, to destination: @escaping @Sendable (Int) -> Destination
    ) async throws -> [Double] {
        let single = Load(count: 1, batch: 1, inFlight: 1)
        var latencies: [Double] = []
        for number in 0..<count {
            latencies.append(1000 * (try await write(single, recipients: recipients) { _ in destination(number) }))
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
