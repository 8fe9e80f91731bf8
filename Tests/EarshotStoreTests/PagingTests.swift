import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotStore

@Suite("Paging")
struct PagingTests {
    @Test("through a history covers every message exactly once, in one order both ways", arguments: 0..<UInt64(25))
    func coverage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let logs = Self.logs(using: &generator)
        let store = try Store.inMemory()
        for commit in Self.commits(of: logs, using: &generator) { try store.commit(commit) }
        let timeline = Self.timeline(of: logs)
        let limit = Int.random(in: 1...7, using: &generator)
        #expect(try Self.backwards(in: store, limit: limit) == timeline)
        #expect(try Self.forwards(in: store, from: timeline.first, limit: limit) == timeline)
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

    private static func page(in store: Store, _ bound: HistoryBound, limit: Int) throws -> [MessageID] {
        let rows = try #require(try store.history(of: identifier(1), bound, limit: limit))
        #expect(rows.count <= limit)
        return rows.map { MessageID(log: $0.log.logID, sequence: $0.entry.sequence) }
    }

    private static func backwards(in store: Store, limit: Int) throws -> [MessageID] {
        var all: [MessageID] = []
        var page = try page(in: store, .latest, limit: limit)
        while let first = page.first {
            all = page + all
            page = try Self.page(in: store, .before(first), limit: limit)
        }
        return all
    }

    private static func forwards(in store: Store, from first: MessageID?, limit: Int) throws -> [MessageID] {
        var all = first.map { [$0] } ?? []
        while let last = all.last {
            let page = try page(in: store, .after(last), limit: limit)
            guard !page.isEmpty else { break }
            all += page
        }
        return all
    }
}
