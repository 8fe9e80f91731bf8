import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotStore

@Suite("Paging through a store's history")
struct PagingTests {
    @Test("covers every message exactly once, in one order both ways", arguments: 0..<UInt64(25))
    func coverage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let logs = Self.logs(using: &generator)
        let store = try Store.inMemory()
        let commits = Self.commits(of: logs, using: &generator)
        for commit in commits { try store.commit(commit) }
        let limit = Int.random(in: 1...7, using: &generator)
        for (order, timeline) in [(HistoryOrder.time, Self.timeline(of: logs)), (.arrival, Self.arrivals(of: commits))]
        {
            #expect(try Self.backwards(in: store, order, limit: limit) == timeline)
            #expect(try Self.forwards(in: store, order, limit: limit) == timeline)
        }
    }

    /// Up to four logs of one conversation, with many equal times among them and withheld entries in between.
    private static func logs(using generator: inout SeededGenerator) -> [SampleLog] {
        (0..<Int.random(in: 1...4, using: &generator)).map { device in
            var log = SampleLog(device: UInt8(device))
            var time: Int64 = 0
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                time += Int64.random(in: 0...3, using: &generator)
                log.append(at: time, isWithheld: generator.oneIn(5))
            }
            return log
        }
    }

    /// The logs' entries, each log in order, the logs interleaved as it happens.
    private static func commits(of logs: [SampleLog], using generator: inout SeededGenerator) -> [Commit] {
        var commits: [Commit] = []
        var left = logs.map { $0.entries[...] }
        while let index = left.indices.filter({ !left[$0].isEmpty }).randomElement(using: &generator) {
            let count = Int.random(in: 1...5, using: &generator)
            var commit = Commit()
            commit.logs = [logs[index].record]
            commit.entries = [LogEntries(logID: logs[index].logID, entries: Array(left[index].prefix(count)))]
            left[index] = left[index].dropFirst(count)
            commits.append(commit)
        }
        return commits
    }

    private static func timeline(of logs: [SampleLog]) -> [MessageID] {
        let places = logs.flatMap { log in
            log.entries.compactMap { entry -> (HybridTimestamp, MessageID)? in
                guard case .body = entry.content else { return nil }
                return (entry.timestamp, log.messageID(entry.sequence))
            }
        }
        return places.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }.map(\.1)
    }

    private static func arrivals(of commits: [Commit]) -> [MessageID] {
        commits.flatMap(\.entries).flatMap { run in
            run.entries.filter(\.kind.isShown).map { MessageID(log: run.logID, sequence: $0.sequence) }
        }
    }

    private static func page(
        in store: Store, _ bound: HistoryBound, _ order: HistoryOrder, limit: Int
    ) throws -> [MessageID] {
        let rows = try #require(try store.history(of: identifier(1), bound, order: order, limit: limit))
        #expect(rows.count <= limit)
        return rows.map { MessageID(log: $0.log.logID, sequence: $0.entry.sequence) }
    }

    private static func backwards(in store: Store, _ order: HistoryOrder, limit: Int) throws -> [MessageID] {
        var all: [MessageID] = []
        var page = try page(in: store, .latest, order, limit: limit)
        while let first = page.first {
            all = page + all
            page = try Self.page(in: store, .before(first), order, limit: limit)
        }
        return all
    }

    private static func forwards(in store: Store, _ order: HistoryOrder, limit: Int) throws -> [MessageID] {
        var all: [MessageID] = []
        var page = try page(in: store, .first, order, limit: limit)
        while let last = page.last {
            all += page
            page = try Self.page(in: store, .after(last), order, limit: limit)
        }
        return all
    }
}
