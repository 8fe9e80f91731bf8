import EarshotModel
import EarshotProtocol
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import EarshotStore

@Suite("The deletion of contents")
struct DeletionTests {
    private let log = SampleLog.at([1, 2, 3, 4])

    /// The first is delivered; the second and the fourth failed and may have left, the third was withheld anyway.
    private func stored() throws -> Store {
        let store = try Store.inMemory()
        var commit = log.commit
        var progress = DeliveryProgress()
        (progress.offered, progress.sent, progress.delivered) = (4, 4, 1)
        commit.deliveries = [
            DeliveryRecord(logID: log.logID, recipientID: log.record.recipientID, progress: progress)
        ]
        commit.failures = (1...4).map {
            DeliveryFailure(
                messageID: log.messageID($0), recipientID: log.record.recipientID, reason: .expired, isWithheld: $0 == 3
            )
        }
        try store.commit(commit)
        return store
    }

    @Test(
        "tells of the messages that are withheld from then on, once they are so on the disk", arguments: [true, false])
    func tells(isWhole: Bool) throws {
        let store = try stored()
        let told = Mutex<[[MessageID]]>([])
        let (log, device) = (log, log.record.description.deviceID)
        for _ in 1...2 {
            if isWhole {
                _ = store.deleteContents(
                    of: log.conversationID, deviceID: device, listed: 9,
                    withheld: { messageIDs in told.withLock { $0.append(messageIDs) } })
            } else {
                _ = try store.deleteContents(
                    of: (1...4).map(log.messageID), deviceID: device,
                    withheld: { messageIDs in told.withLock { $0.append(messageIDs) } })
            }
        }
        #expect(told.withLock { $0 } == [[log.messageID(2), log.messageID(4)]])
        let withheld = try store.snapshot().failures.filter(\.isWithheld).map(\.messageID)
        #expect(Set(withheld) == Set([2, 3, 4].map(log.messageID)))
    }

    @Test("tells of none where it was refused")
    func refused() throws {
        let store = try stored()
        let told = Mutex(0)
        let outcome = try store.deleteContents(
            of: [log.messageID(2), log.messageID(9)], deviceID: log.record.description.deviceID,
            withheld: { _ in told.withLock { $0 += 1 } })
        #expect(outcome.unknown == [log.messageID(9)] && outcome.deletedCount == 0)
        #expect(told.withLock { $0 } == 0)
    }

    private func delete(_ messageIDs: [MessageID], in store: Store) throws -> DeletionOutcome {
        try store.deleteContents(
            of: messageIDs, deviceID: log.record.description.deviceID)
    }

    @Test("knows no message of a number that no log can have", arguments: [0, UInt64(Int64.max) + 1, .max])
    func impossible(sequence: UInt64) throws {
        let outcome = try delete([log.messageID(1), log.messageID(sequence)], in: stored())
        #expect(outcome.unknown == [log.messageID(sequence)] && outcome.deletedCount == 0)
    }

    @Test("knows no message that was withheld, and then deletes none of several")
    func withheld() throws {
        let store = try Store.inMemory()
        var log = SampleLog(device: 8)
        log.append(at: 1)
        log.append(at: 2, isWithheld: true)
        try store.commit(log.commit)
        let outcome = try delete([1, 2].map(log.messageID), in: store)
        #expect(outcome.unknown == [log.messageID(2)] && outcome.deletedCount == 0)
        #expect(try store.row(of: log.messageID(1))?.entry.isDeleted == false)
        // What was deleted is no longer there either, and yet known.
        #expect(try delete([log.messageID(1)], in: store).deletedCount == 1)
        let again = try delete([log.messageID(1)], in: store)
        #expect(again.deletedCount == 0 && again.unknown.isEmpty && again.undelivered.isEmpty)
    }

    @Test("is not overwritten while somebody reads, and holds up no commit for them")
    func reader() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.db")
        let store = try Store(path: path)
        try store.commit(log.commit)
        let patience = try busyTimeout(of: store)
        let start = ContinuousClock.now
        try Store.reading(path: path).database.read { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
            let outcome = try store.overwriteDeleted()
            #expect(count == 4 && outcome == .waitsForReaders)
        }
        // The store's patience with others is longer than this.
        #expect(patience == 5000 && ContinuousClock.now - start < .milliseconds(patience - 1000))
        #expect(try busyTimeout(of: store) == patience)
        #expect(try store.overwriteDeleted() == .done)
    }

    private func busyTimeout(of store: Store) throws -> Int {
        try #require(try store.database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") })
    }
}
