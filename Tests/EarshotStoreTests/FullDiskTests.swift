import EarshotModel
import EarshotProtocol
import TestSupport
import Testing

@testable import EarshotStore

@Suite("A full disk", .enabled(if: SmallDisk.isAvailable, "this process may not mount a small file system"))
struct FullDiskTests {
    @Test("refuses a commit whole, leaves the store readable, and takes commits again when there is space")
    func fullDisk() throws {
        let disk = try SmallDisk()
        let store = try Store(path: disk.file("history.db"))
        var log = SampleLog()
        let failure = try #require(fill(store, &log))
        #expect(failure.code == .full)

        // All that was committed is there, and nothing of what was not.
        let kept = Array(log.entries.dropLast())
        let head = try #require(try store.snapshot().logs.first?.head)
        #expect(head.sequence == UInt64(kept.count))
        #expect(try store.entries(of: log.logID, from: 1, countLimit: 999, byteLimit: .max) == kept)
        #expect(try store.history(of: log.conversationID, .latest, limit: 5)?.count == 5)
        expect(.full) { try store.commit(log.commit(from: head.sequence + 1)) }

        try disk.makeSpace()
        try store.commit(log.commit(from: head.sequence + 1))
        #expect(try store.snapshot().logs == [log.record])
        #expect(try store.entries(of: log.logID, from: 1, countLimit: 999, byteLimit: .max) == log.entries)
        #expect(try store.integrityFindings() == [])
    }

    @Test("leaves a deletion as it is committed, and overwrites what was deleted when there is space")
    func deletion() throws {
        let disk = try SmallDisk()
        let store = try Store(path: disk.file("history.db"))
        var log = SampleLog()
        // What was committed stands in the log of the database alone, which takes more than half of the space.
        for sequence in UInt64(1)...5 {
            log.append(at: Int64(sequence), body: [UInt8](repeating: 1, count: 38_000))
            try store.commit(log.commit(from: sequence))
        }
        let outcome = try store.deleteContents(
            of: [log.messageID(1)], deviceID: identifier(99))
        #expect(outcome.deletedCount == 1)
        #expect(try store.overwriteDeleted() == .waitsForSpace)
        #expect(try store.row(of: log.messageID(1))?.entry.isDeleted == true)

        try disk.makeSpace()
        #expect(try store.overwriteDeleted() == .done)
        #expect(try store.row(of: log.messageID(1))?.entry.isDeleted == true)
    }

    /// Commits entry after entry until one is refused.
    private func fill(_ store: Store, _ log: inout SampleLog) -> StoreError? {
        for sequence in UInt64(1)...200 {
            log.append(at: Int64(sequence), body: [UInt8](repeating: 1, count: 40_000))
            do { try store.commit(log.commit(from: sequence)) } catch { return error }
        }
        return nil
    }
}
