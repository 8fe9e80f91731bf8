import Foundation
import TestSupport
import Testing

@testable import EarshotStore

@Suite("The write-ahead log")
struct CheckpointTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var logBytes: Int {
        get throws {
            try FileManager.default.attributesOfItem(atPath: folder.file("history.db") + "-wal")[.size] as? Int ?? 0
        }
    }

    /// So much is written back at a time: 1000 pages of 4 KiB.
    private static let checkpointBytes = 1000 * 4096

    @Test("is written back beside the commits, so it does not grow without end", arguments: [true, false])
    func staysSmall(isAwaited: Bool) async throws {
        let store = try Store(path: folder.file("history.db"))
        var log = SampleLog()
        var largest = 0
        for step in 0..<1000 {
            log.append(at: Int64(step + 1), body: Array(repeating: 7, count: 16_384))
            let commit = log.commit(from: UInt64(step + 1))
            if isAwaited {
                try store.commit(commit)
            } else {
                try await withCheckedThrowingContinuation { done in store.commit(commit) { done.resume(with: $0) } }
            }
            largest = max(largest, try logBytes)
        }
        #expect(largest > Self.checkpointBytes / 2 && largest < 2 * Self.checkpointBytes)
    }

    @Test("is to be written back after 1000 pages, and after 1000 more where a reader stood in the way")
    func due() throws {
        let store = try Store.inMemory()
        let checkpoints = Checkpoints()
        checkpoints.grew(to: 999)
        #expect(!checkpoints.isDue)
        checkpoints.grew(to: 1000)
        #expect(checkpoints.isDue)
        try store.write { checkpoints.run($0) }
        #expect(!checkpoints.isDue)
        checkpoints.grew(to: 1999)
        #expect(!checkpoints.isDue)
        checkpoints.grew(to: 2000)
        #expect(checkpoints.isDue)
    }

    @Test("counts from nothing when it begins anew")
    func beginsAnew() throws {
        let store = try Store.inMemory()
        let checkpoints = Checkpoints()
        checkpoints.grew(to: 1500)
        try store.write { checkpoints.run($0) }
        checkpoints.grew(to: 10)
        checkpoints.grew(to: 1000)
        #expect(checkpoints.isDue)
    }
}
